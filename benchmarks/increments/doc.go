// Package increments is the statistical benchmark of Zach, Haouchat & Unser, "A Statistical Benchmark for Diffusion
// Posterior Sampling Algorithms" (ICLR 2026). The unknown is a signal of 64 samples, the running sum of independent
// increments ([Law]). The data are the signal behind one of four linear operators ([Operators]), with normal noise at
// 25 dB ([New]). A Gibbs sampler draws the exact posterior ([Gibbs]). A diffusion method has two scores ([Score]): the
// squared error of its posterior mean over that of the exact posterior mean, in dB, and how often its set of highest
// density holds the signal.
//
// The same signals with Poisson and Binomial data are a benchmark of their own ([Problem.Counted]).
//
// A [Method] makes draws. The methods are
//
//   - the library's samplers on a [Model] ([Guided]);
//   - a diffusion by expectation propagation ([Propagation]), for increments that are far from normal;
//   - the methods that the authors compare: C-DPS ([CDPS]), DiffPIR (package diffpir) and
//     DPnP ([DPnP]).
//
// A model is a prior of increments learned from simulated increments ([LearnIncrements]), a prior of signals that a
// network has learned from simulated signals ([Learn]), or the exact prior of the increments ([NewMixture]). A
// [Campaign] compares contenders, and keeps their scores in the store. README.md of the module has the table.
package increments
