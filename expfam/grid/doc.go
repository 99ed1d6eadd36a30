// Package grid has data on lattices: the geometry of a lattice, readers and writers of
// files, priors made of images, and the discrete Cox process of the paper's section 4.2.
//
//	prior := grid.Procedural{Rows: 64, Cols: 64}            // needs no data
//	photos, err := grid.ImageFolder{Path: "train"}.Open()   // ImageNet's layout, or any folder
//	truth, err := grid.ReadPhoto("boat.png", 64, 64)
//	data, err := grid.Cox{Grid: truth.Grid, Replicates: 10}.Simulate(truth.Values)
//	post, err := diffusion.Sample(learned, data.Likelihood, data.Seen, diffusion.Sampler{})
//
// A field on a lattice is a vector, row after row ([Grid.Index]). Row 0 is the top row
// unless the Y axis says otherwise. [Procedural] and [Images] are expfam.Simulators, so
// learn.Train learns from them. [Crop] cuts windows out of their images. [Stream] makes the same images ahead of time
// and in parallel.
//
// [Layers] writes maps of any values by name as GeoTIFF, GeoJSON and CSV.
//
// Package expfam does not import this package.
package grid
