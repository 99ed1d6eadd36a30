// Package weights documents the trained networks beside it, which the lessons load by path:
//
//	gp-experts-score        the score network of the one-dimensional benchmark
//	gp-experts-normal       inference network, Normal prior of θ = x
//	gp-experts-poisson      inference network, Gamma prior of θ = exp(c + x)
//	gp-experts-exponential  inference network, Gamma prior of θ = exp(c − x)
//	gp-mlp-…                the same four with the paper's plain network
//	images-score            the U-Net of scenes.Procedural, 64×64
//
// train.go trained the gp networks on draws of gp.RBF{}. ../train trained images-score in two runs of less than an hour
// each on two cores: first a network that does not adapt, and from it the network that ships. All are in the public
// domain (CC0).
package weights

//go:generate go run train.go
//go:generate go run ../train -optimizer adam -adaptive=false -faint 0 -halves 5000 -steps 3500 -out images-first.safetensors
//go:generate go run ../train -optimizer adam -from images-first.safetensors -halves 4000 -steps 5500 -rate 7e-4 -seed 1 -sheets 1 -out images-score.safetensors
