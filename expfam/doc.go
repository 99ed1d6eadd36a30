// Package expfam draws from the posterior of a field of parameters under a
// prior that is known through samples, given observations that follow an
// exponential family: Bayesian inverse problems with diffusion priors, after
// Micheli, Monod and Bhatt, "Diffusion Models for Inverse Problems in the
// Exponential Family" (2025).
//
//	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
//	obs, err := like.Observe(data)
//	post, err := expfam.Sample(prior, like, obs, expfam.Sampler{Draws: 500, Seed: 1})
//
// # The model
//
// Cell j of d has a latent value x₀ⱼ, a parameter θⱼ = g⁻¹(x₀ⱼ) by an inverse
// [Link], and observations yⱼ of a [Family]
//
//	p(y | θ) = h(y) exp(η(θ) T(y) − A(θ)).
//
// All of a cell's data enter as one [Term]: a statistic and a size, of which
// exposures, trials and replicates are part; a cell without data has the zero
// Term. x₀ has a [Prior].
//
// # The diffusion
//
// The prior is known through the diffusion dx = −½β x dt + √β dw ([VP]): with
// x_t | x₀ ~ N(√α x₀, v), the mean m and the variances s² of x₀ | x_t give the
// score ∇ log p(x_t) = (√α m − x_t)/v (Tweedie), and the mean's Jacobian gives
// the covariance C = Cov(x₀ | x_t) = (v/√α) dm/dx_t. Package gp has priors for
// which these are exact; package learn learns them from draws.
//
// # The evidence
//
// Sampling the posterior needs the score of p(x_t | y), that is the prior's plus
//
//	∇ log p(y | x_t),   p(y | x_t) = ∫ p(y | θ) p(θ | x_t) dθ.
//
// A [Guidance] approximates it. There are two routes:
//
//   - the evidence trick of the paper (its section 3.3): replace p(θⱼ | x_t) by
//     the family's conjugate prior q(θ | ν, τ) with parameters from an
//     inference network (learn.TrainInference, the paper's section 3.4); then the
//     integral is the closed-form evidence
//     log h(y) + A(ν+T, τ+N) − A(ν, τ): [Evidence], [Tempered], [Corrected];
//   - the marginal evidence by quadrature: replace p(x₀ⱼ | x_t) by
//     N(mⱼ, sⱼ²) and integrate numerically: [Quadrature]. It needs no second
//     network and no retraining when the family or the link changes, and is
//     the default.
//
// Both treat one cell at a time. At high noise the cells of x₀ | x_t are
// strongly correlated, and a sum of cell evidences counts the same information
// several times. [Quadrature] and [Corrected] couple the cells through C: the
// likelihood acts on cell j like an observation rⱼ with precision Wⱼ, and the
// posterior mean of x₀ moves by
//
//	δ = C (C + W⁻¹)⁻¹ r,
//
// a few steps of conjugate gradients, one Jacobian product each.
//
// # The sampler
//
// Posterior score = prior score + evidence score, so that every [Method] works
// with every guidance: [Restarts] (the default), [Multistep], [ODE],
// [PredictorCorrector] (the paper's; its setting is [Paper]).
//
// # In a program
//
// Everything long has two forms. [Sample] listens to Ctrl-C and to the notebook's stop
// button, and logs to [slog.Default]. [SampleContext] does neither: it ends with its
// context, whose logger ([WithLogger]) it uses. So do learn.Train and learn.TrainContext,
// and their like in the other packages. What is finished when a run ends early comes with
// [ErrInterrupted], and is stored.
//
// # Kinds of one's own
//
// A likelihood, a link, a prior, a guidance, a method or an operator of one's own is a type
// with the methods of [Family], [Link], [Prior], [Guidance], [Method] or [Operator]. What
// our kinds can do besides are methods that may be left out, each an interface:
//
//   - [Checker] refuses impossible fields by name, of any kind;
//   - a family: [General] for a likelihood that is more than η and A; its [Conjugate] may
//     have a [NormalFitter];
//   - a link: [FormulaLink] has a formula, [VectorLink] evaluates many x at once, [Typeset]
//     prints as mathematics;
//   - a prior: [Simulator] draws, [Coupled] knows its coupling, [Linear] its covariance, and
//     [Bounded], [Ranged], [Stationary] and [Lattice] what their names say;
//   - a guidance: [Point] has what it may use, [Point.Cov], [Point.Shifted] and [Point.Pull]
//     the Jacobian; an [Inferrer] may be an [InferrerFor];
//   - a method: [Refiner] follows data more precise than its last noise level, which are a
//     [Demand];
//   - a baseline: [Stored] keeps its posteriors, [Reference] is what [Distances] compare with.
//
// # Reading order
//
// family.go and a file for each likelihood, link.go, likelihood.go,
// observations.go, terms.go; conjugate.go; sde.go, prior.go, package learn;
// guidance.go, quadrature.go, solve.go, evidence.go; method.go, demand.go,
// sampler.go, compiled.go; reading.go, misfit.go, setting.go; posterior.go,
// distance.go; microscope.go and exchangeable.go, where all of it is known exactly.
package expfam
