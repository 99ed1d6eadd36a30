// Package increments is the statistical benchmark of Zach, Haouchat & Unser, "A Statistical Benchmark for
// Diffusion Posterior Sampling Algorithms" (ICLR 2026): signals of 64 samples that are running sums of
// independent increments ([Law]), behind four linear operators ([Operators]) and normal noise at 25 dB ([New]), whose
// exact posteriors a Gibbs sampler draws ([Gibbs]). A diffusion method is scored by how far its posterior mean
// is above the exact one in squared error, in dB, and by how often its set of highest density holds the
// signal ([Score]).
//
// The same signals with Poisson and Binomial data are a benchmark of their own ([Problem.Counted]).
//
// A [Method] makes draws: the library's samplers on a [Model] ([Guided]), a diffusion by expectation propagation
// ([Propagation]) for increments that are far from normal, and the methods that the authors compare, C-DPS
// ([CDPS]), DiffPIR (expfam.DiffPIR with expfam.Proximal) and DPnP ([DPnP]). A model is a prior of increments that was
// learned from simulated ones ([LearnIncrements]), a prior of signals that a network has learned from simulated ones
// ([Learn]), or the exact prior of the increments ([NewMixture]). A [Campaign] compares contenders, and keeps scores in the store. README.md of package benchmark has the table.
package increments
