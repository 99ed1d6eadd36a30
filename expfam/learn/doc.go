// Package learn trains networks: priors, which it learns from draws, and the paper's inference networks.
//
//	prior, err := learn.Train(sim, learn.Training{Steps: 3000})
//	err = prior.Save("prior.safetensors")
//	prior, err = learn.Load("prior.safetensors")
//	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{})
//
// A [Prior] is an [expfam.Prior]. A network of package nn computes its moments of x₀ | x_t. The network is trained by
// denoising score matching on the draws of an [expfam.Simulator].
//
// An [Inference] is an [diffusion.Inferrer], trained by the paper's amortised objective (Micheli, Monod and Bhatt 2025,
// section 3.4). Only the guidances Evidence, Tempered and Corrected of package expfam use an inference network. If the
// data have a linear operator, the network is trained for that operator, and Evidence uses it.
//
// A training can start from a trained network ([Training].From), to tune it to other draws or to other sizes of a grid:
//
//	tuned, err := learn.Train(photos, learn.Training{From: prior, Steps: 500})
//
// Trained networks are stored under a hash of everything that determines them. A training that was interrupted
// continues where it stopped. Files of networks have the layout of safetensors.
//
// # Reading order
//
// train.go, windows.go, task.go, trainer.go, descent.go, batches.go, importance.go, update.go, adam.go, muon.go,
// devices.go; prior.go, augment.go, scale.go, coupling.go; scales.go, grid.go, pyramid.go, mirror.go;
// start.go, inference.go, sight.go; report.go, report_bands.go, report_file.go, file.go, key.go, trainer_store.go.
package learn
