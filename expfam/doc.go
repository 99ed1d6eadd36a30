// Package expfam solves Bayesian inverse problems with diffusion priors. The unknown is a
// field of parameters, such as a curve of rates or a map of probabilities. The prior of
// the field is known through samples, and the observations follow an exponential family.
// The package draws from the posterior of the field given the observations. The method is
// that of Micheli, Monod and Bhatt, "Diffusion Models for Inverse Problems in the
// Exponential Family" (2025).
//
//	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
//	obs, err := like.Observe(data)
//	post, err := expfam.Sample(prior, like, obs, expfam.Sampler{Draws: 500, Seed: 1})
//
// # The model
//
// The field has d cells. Cell j has a latent value x₀ⱼ, a parameter θⱼ = g⁻¹(x₀ⱼ), where
// g⁻¹ is the inverse [Link], and observations yⱼ that follow a [Family]
//
//	p(y | θ) = h(y) exp(η(θ) T(y) − A(θ)).
//
// All data of a cell are summed up in one [Term]: a statistic T and a size N, by which
// their likelihood is proportional to exp(η(θ) T − N A(θ)). Exposures, trials and
// replicates are part of the size. A cell without data has the zero Term. The latent
// field x₀ has a [Prior].
//
// # The diffusion
//
// The diffusion dx = −½β x dt + √β dw ([VP]) adds noise to a draw of the prior: x_t | x₀
// ~ N(√α x₀, v). A Prior gives the mean m and the variances s² of x₀ | x_t. The mean
// determines the score ∇ log p(x_t) = (√α m − x_t)/v (Tweedie). The Jacobian of the mean
// determines the covariance C = Cov(x₀ | x_t) = (v/√α) dm/dx_t. Package gp has priors for
// which these are exact; package learn learns them from draws.
//
// # The evidence
//
// Sampling the posterior needs the score of p(x_t | y). It is the score of the prior plus
//
//	∇ log p(y | x_t),   p(y | x_t) = ∫ p(y | θ) p(θ | x_t) dθ.
//
// A [Guidance] approximates it. There are two routes:
//
//   - the evidence trick of the paper (its section 3.3) replaces p(θⱼ | x_t) by the
//     family's conjugate prior q(θ | ν, τ), whose parameters come from an inference
//     network (learn.TrainInference, the paper's section 3.4). The logarithm of the integral
//     is then in closed form: log h(y) + A(ν+T, τ+N) − A(ν, τ), where A(ν, τ) is the
//     logarithm of ∫ exp(ν η(θ) − τ A(θ)) dθ. The guidances [Evidence], [Tempered] and
//     [Corrected] use it;
//   - the marginal evidence by quadrature replaces p(x₀ⱼ | x_t) by N(mⱼ, sⱼ²) and
//     integrates numerically. The guidance [Quadrature] uses it. It needs no second
//     network, and no retraining when the family or the link changes. It is the default.
//
// Both routes treat one cell at a time. At high noise the cells of x₀ | x_t are strongly
// correlated, so a sum over the evidences of single cells counts the same information
// several times. [Quadrature] and [Corrected] therefore couple the cells through C. The
// likelihood acts on cell j like an observation rⱼ of x₀ⱼ − mⱼ with precision Wⱼ, and the
// posterior mean of x₀ moves by
//
//	δ = C (C + W⁻¹)⁻¹ r,
//
// which is computed by a few steps of conjugate gradients, with one Jacobian product each.
//
// The evidence ℓⱼ(mⱼ, sⱼ²) depends on x_t through the variance too. Its slope in the variance is
// ∂ℓⱼ/∂sⱼ² = (gⱼ² − hⱼ)/2, with g and h of [Quadrature]. The derivatives (v/√α) dsⱼ²/dx_t are third
// cumulants of x₀ | x_t, which are 0 under a Gaussian prior. Under other priors the default
// [Restarts] add (v/√α) Σⱼ ∂ℓⱼ/∂sⱼ² dsⱼ²/dx_t to δ, for one more Jacobian product. By this term the
// data say how rough a surface is, or which of two levels a cell has.
//
// # The sampler
//
// The posterior score is the prior score plus the evidence score, so every [Method] works
// with every guidance. The methods are
//
//   - [CovarianceSteps], the default for curves and other priors of few cells that are close to
//     a Gaussian;
//   - [Restarts], the default for other priors, with the settings of [ImageRestarts] or
//     [OperatorRestarts] for images;
//   - [Multistep] and [ODE];
//   - [DiffPIR] with the guidance [Proximal], to compare with;
//   - [PredictorCorrector], the paper's sampler. [Paper] has its settings in the paper.
//
// # In a program
//
// Every long function has two forms. [Sample] listens to Ctrl-C and to the notebook's
// stop button, and logs to [slog.Default]. [SampleContext] ends with its context, and
// logs to the logger of the context ([WithLogger]). The same holds for learn.Train and
// learn.TrainContext, and for long functions of other packages. A run that ends early
// stores the draws that are finished, and returns them with [ErrInterrupted].
//
// # Kinds of one's own
//
// You add a likelihood, a link, a prior, a guidance, a method or an operator by a type with
// the methods of [Family], [Link], [Prior], [Guidance], [Method] or [Operator]. A type can
// do more by methods of these optional interfaces:
//
//   - any kind: [Checker] refuses impossible fields by name;
//   - a family: [General] is a likelihood that η and A do not determine; the family's
//     [Conjugate] may be a [NormalFitter];
//   - a link: [FormulaLink] has a formula, [VectorLink] evaluates many x at once, [Typeset]
//     prints as mathematics;
//   - a prior: [Simulator] draws from it, [Coupled] knows how strongly its cells are
//     coupled, [Linear] knows its covariance, [Bounded] its bounds, [Ranged] the noise
//     levels that it serves, and [Lattice] its grid; [Stationary] says that all cells are
//     alike;
//   - a guidance: [Point] has everything that a guidance may use, and [Point.Cov],
//     [Point.Shifted] and [Point.Pull] multiply by the Jacobian; an [Inferrer] may be an
//     [InferrerFor];
//   - a method: [Refiner] takes more steps where the data are more precise than its last
//     noise level, as a [Demand] says;
//   - a baseline: [Stored] keeps its posteriors, and a [Reference] is what [Distances]
//     compares with.
//
// # Reading order
//
// family.go and a file for each likelihood, link.go, likelihood.go, observations.go,
// terms.go; conjugate.go; sde.go, prior.go, nugget.go, package learn; guidance.go, quadrature.go,
// solve.go, evidence.go; method.go, demand.go, sampler.go, compiled.go, stepgraph.go; diagnosis.go,
// misfit.go, configuration.go; posterior.go, localvariance.go, distance.go; microscope.go and
// exchangeable.go, where the exact answers are known.
package expfam
