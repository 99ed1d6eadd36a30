// Package diffusion draws from the posterior of a model of package expfam by a reverse diffusion that the data guide.
//
//	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 500, Seed: 1})
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
// Both routes treat one cell at a time. At high noise the cells of x₀ | x_t are strongly correlated, so a sum over the
// evidences of single cells counts the same information several times. [Quadrature] and [Corrected] therefore couple
// the cells through the covariance C of x₀ | x_t. The likelihood acts on cell j like an observation rⱼ of x₀ⱼ − mⱼ with
// precision Wⱼ, and the posterior mean of x₀ moves by
//
//	δ = C (C + W⁻¹)⁻¹ r,
//
// which is computed by a few steps of conjugate gradients, with one Jacobian product each.
//
// The evidence ℓⱼ(mⱼ, sⱼ²) depends on x_t through the variance too. Its slope in the variance is ∂ℓⱼ/∂sⱼ² = (gⱼ² −
// hⱼ)/2, with g and h of [Quadrature]. The derivatives (v/√α) dsⱼ²/dx_t are third cumulants of x₀ | x_t, which are 0
// under a Gaussian prior. Under other priors the default [Restarts] add (v/√α) Σⱼ ∂ℓⱼ/∂sⱼ² dsⱼ²/dx_t to δ, for one more
// Jacobian product. By this term the data say how rough a surface is, or which of two levels a cell has.
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
//   - [PredictorCorrector], the paper's sampler. [Paper] has its settings in the paper.
//
// # Kinds of one's own
//
// You add a guidance or a method by a type with the methods of [Guidance] or [Method]. [Point] has everything that a
// guidance may use, and [Point.Cov], [Point.Shifted] and [Point.Pull] multiply by the Jacobian. An inference network is
// an [Inferrer], and may be an [InferrerFor]. A [Drawer] draws x₀ given x_t and the data. A [Refiner] is a method that
// takes more steps where the data are more precise than its last noise level, as a [Demand] says.
//
// # Reading order
//
// guidance.go, quadrature.go, quadrature_operator.go, linearisation.go, solve.go, evidence.go; method.go, demand.go and
// a file for each method; sampler.go, setup.go, graded.go, gridded.go; covariance.go and its two types, correlation.go,
// correlation_cosines.go, rowvariance.go; compiled.go, compiler.go, stepgraph.go; diagnosis.go, diagnosis_demand.go,
// run.go; batch.go; storage.go, memory.go; live.go.
package diffusion
