// Package scenes has priors that are made of images: images that a program paints, and photographs.
//
//	prior := scenes.Procedural{Rows: 64, Cols: 64}            // needs no data
//	photos, err := scenes.ImageFolder{Path: "train"}.Open()   // ImageNet's layout, or any folder
//	truth, err := scenes.ReadPhoto("boat.png", 64, 64)
//
// [Procedural] and [Images] are expfam.Simulators, so learn.Train learns from them. [Crop] cuts windows out of their
// images.
package scenes
