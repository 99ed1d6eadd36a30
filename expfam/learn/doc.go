// Package learn learns priors from draws, and the paper's inference networks:
//
//	prior, err := learn.Train(sim, learn.Training{Steps: 3000})
//	err = prior.Save("prior.safetensors")
//	prior, err = learn.Load("prior.safetensors")
//	post, err := expfam.Sample(prior, like, obs, expfam.Sampler{})
//
// A [Prior] is an [expfam.Prior] whose moments of x₀ | x_t are a network of package
// nn, trained by denoising score matching on the draws of an [expfam.Simulator]. An
// [Inference] is an [expfam.Inferrer] trained by the paper's amortised objective
// (Micheli, Monod and Bhatt 2025, section 3.4); only the guidances Evidence, Tempered
// and Corrected of package expfam use one. Both are stored under a hash of everything
// that determines them, go on where an interrupt stopped them, and are files in the
// layout of safetensors.
//
// # Reading order
//
// train.go, trainer.go, batches.go, adam.go, devices.go; prior.go, scale.go, coupling.go;
// inference.go; file.go, key.go, trainer_store.go, snapshot.go.
package learn
