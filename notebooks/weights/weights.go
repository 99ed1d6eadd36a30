// Package weights documents the trained networks beside it, which the lessons
// load by path:
//
//	gp-experts-score        the score network of the one-dimensional benchmark
//	gp-experts-normal       inference network, Normal prior of θ = x
//	gp-experts-poisson      inference network, Gamma prior of θ = exp(c + x)
//	gp-experts-exponential  inference network, Gamma prior of θ = exp(c − x)
//	gp-mlp-…                the same four with the paper's plain network
//	images-score            the U-Net of grid.Procedural, 64×64
//
// train.go trained the gp networks on draws of gp.RBF{}, and ../train trained images-score, in less than an hour on two
// cores. name.go wrote into the files which architecture they have; since then Save writes it. All are in the public
// domain (CC0).
package weights

//go:generate go run train.go
//go:generate go run ../train -halves 5000 -steps 3500 -out images-score.safetensors
