// Package expfam is the model of a Bayesian inverse problem. The unknown is a field of parameters, such as a curve of
// rates or a map of probabilities. The prior of the field is known through samples, and the observations follow an
// exponential family. The method is that of Micheli, Monod and Bhatt, "Diffusion Models for Inverse Problems in the
// Exponential Family" (2025). Package diffusion draws from the posterior:
//
//	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
//	obs, err := like.Observe(data)
//	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 500, Seed: 1})
//
// # The model
//
// The field has d cells. Cell j has a latent value x₀ⱼ, a parameter θⱼ = g⁻¹(x₀ⱼ), where
// g⁻¹ is the inverse [Link], and observations yⱼ that follow a [Family]
//
//	p(y | θ) = h(y) exp(η(θ) T(y) − A(θ)).
//
// All data of a cell are summed up in one [Term]: a statistic T and a size N, by which their likelihood is proportional
// to exp(η(θ) T − N A(θ)). Exposures, trials and replicates are part of the size. A cell without data has the zero
// Term. The latent field x₀ has a [Prior].
//
// With an [Operator] a datum depends on several cells: η = H x₀ + offset, or a sum of intensities ([SumOf]).
// [Together] joins several data sets on one field. [Terms] is a likelihood that was checked, with its derivatives, and
// a [Forward] is its forward model for a number of cells.
//
// # Priors
//
// The diffusion dx = −½ β x dt + √β dw ([level.VP]) adds noise to a draw of the prior: x_t | x₀ ~ N(√α x₀, v). A Prior
// gives the mean m and the variances s² of x₀ | x_t. The mean determines the score ∇ log p(x_t) = (√α m − x_t)/v
// (Tweedie). The Jacobian of the mean determines the covariance C = Cov(x₀ | x_t) = (v/√α) dm/dx_t. Package gp has
// priors for which these are exact; package learn learns them from draws. [Product] joins priors of different cells,
// and [Nugget] adds independent noise.
//
// # Posteriors
//
// A [Posterior] has draws of x₀ and the likelihood that turns them into θ. Packages diffusion, hmc, gmrf, gp and counts
// make posteriors of the same model, each in its own way; [Forward.Stored] keeps those that take long. [Merge] joins
// the shares of a run, and [Posterior.Through] looks at a posterior through an operator. Package calibrate compares
// posteriors with a reference.
//
// # In a program
//
// Every long function has two forms. diffusion.Sample listens to Ctrl-C and to the notebook's stop button, and logs to
// [slog.Default]. diffusion.SampleContext ends with its context, and logs to the logger of the context ([WithLogger]).
// The same holds for learn.Train and learn.TrainContext, and for long functions of other packages. A run that ends
// early stores the draws that are finished, and returns them with [ErrInterrupted].
//
// # Kinds of one's own
//
// You add a likelihood, a link, a prior or an operator by a type with the methods of [Family], [Link], [Prior] or
// [Operator]; package diffusion lists those of guidances and methods. A type can do more by methods of these optional
// interfaces:
//
//   - any kind: [Checker] refuses impossible fields by name;
//   - a family: [General] is a likelihood that η and A do not determine;
//   - a prior: [Simulator] draws from it, [Coupled] returns how strongly its cells are
//     coupled, [Linear] multiplies by its covariance, [Bounded] has its bounds, [Ranged] its noise levels, and
//     [Lattice] its grid;
//   - an operator: [RowOperator] returns its rows, [OffsetOperator] adds an offset.
//
// # Reading order
//
// family.go and a file for each likelihood, conjugate.go; link.go, likelihood.go, observations.go, terms.go;
// operator.go, forward.go, forward_part.go; prior.go, nugget.go, product.go; posterior.go,
// draws.go, localvariance.go, examine.go, certify.go.
package expfam
