package benchmarks

import (
	"context"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/scenes"
)

// MapMethods returns the methods for a map of prevalence: the library's sampler under the prior of images, if there is
// one, and under a Gaussian field; Gaussian Markov random fields with Laplace's approximation; kriging, neighbours and
// a constant. draws is the number of draws of each method.
//
// The methods called "ours" take the correlation of the trials of a cell from a fit by gmrf.Sample, with the smoothness
// that has more evidence. Their time includes the time of the fit. The Gaussian field also takes its smoothness, range,
// standard deviation and level from the fit.
func MapMethods(images expfam.Prior, draws int) []MapMethod {
	methods := []MapMethod{{"ours, Gaussian field", gaussianField(diffusion.Sampler{Draws: draws})}}
	if images != nil {
		methods = append([]MapMethod{{"ours, image prior", imageField(images, draws)}}, methods...)
	}
	return append(methods, Baselines(draws)...)
}

// Baselines returns the [MapMethods] that do not use the library's sampler. The posteriors of the random fields are
// mixed over the hyperparameters.
func Baselines(draws int) []MapMethod {
	var methods []MapMethod
	for _, v := range []struct {
		name  string
		prior gmrf.Prior
		over  bool
	}{
		{"GMRF, alpha 1", gmrf.Prior{Alpha: 1}, false}, {"GMRF, alpha 2", gmrf.Prior{}, false},
		{"GMRF, alpha 1, nugget", gmrf.Prior{Alpha: 1, FitNugget: true}, false},
		{"GMRF, alpha 2, nugget", gmrf.Prior{FitNugget: true}, false},
		{"GMRF, alpha 1, beta-binomial", gmrf.Prior{Alpha: 1}, true}, {"GMRF, alpha 2, beta-binomial", gmrf.Prior{},
			true},
	} {
		methods = append(methods, MapMethod{v.name, func(ctx context.Context, p Prevalence, seen expfam.Observations,
			seed uint64) (*expfam.Posterior, error) {
			v.prior.Grid = p.Grid
			return gmrf.SampleContext(ctx, v.prior, p.Likelihood, seen,
				gmrf.Options{Draws: draws, Seed: seed, Overdispersed: v.over})
		}})
	}
	o := func(seed uint64) counts.Options { return counts.Options{Draws: draws, Seed: seed} }
	return append(methods,
		MapMethod{"kriging", func(ctx context.Context, p Prevalence, seen expfam.Observations,
			seed uint64) (*expfam.Posterior, error) {
			return counts.Kriging{Grid: p.Grid, FitNugget: true}.SampleContext(ctx, p.Likelihood, seen, o(seed))
		}},
		MapMethod{"nearest neighbours", func(ctx context.Context, p Prevalence, seen expfam.Observations,
			seed uint64) (*expfam.Posterior, error) {
			return counts.Neighbours{Grid: p.Grid}.SampleContext(ctx, p.Likelihood, seen, o(seed))
		}},
		MapMethod{"constant", func(ctx context.Context, p Prevalence, seen expfam.Observations,
			seed uint64) (*expfam.Posterior, error) {
			return counts.Pooled{}.SampleContext(ctx, p.Likelihood, seen, o(seed))
		}})
}

// fitted returns the Gaussian field, of two smoothnesses, that makes the data more probable. It also returns a
// posterior under this field, which holds the fitted correlation of trials and the other fitted hyperparameters
// (empirical Bayes).
func fitted(ctx context.Context, p Prevalence, seen expfam.Observations, seed uint64) (prior gmrf.Prior,
	base *expfam.Posterior, err error) {
	seconds := 0.0
	for alpha := 1; alpha <= 2; alpha++ {
		candidate := gmrf.Prior{Grid: p.Grid, Alpha: alpha}
		post, err := gmrf.SampleContext(ctx, candidate, p.Likelihood, seen,
			gmrf.Options{Draws: 1, Seed: seed, Overdispersed: true})
		if err != nil {
			return prior, nil, err
		}
		seconds += post.Info.Seconds
		if base == nil || post.Info.Diagnostics["log_evidence"] > base.Info.Diagnostics["log_evidence"] {
			prior, base = candidate, post
		}
	}
	base.Info.Seconds = seconds
	return prior, base, nil
}

// gaussianField returns a method: the library's sampler under the Gaussian field with fitted hyperparameters.
func gaussianField(s diffusion.Sampler) func(ctx context.Context, p Prevalence, seen expfam.Observations,
	seed uint64) (*expfam.Posterior, error) {
	return func(ctx context.Context, p Prevalence, seen expfam.Observations, seed uint64) (*expfam.Posterior, error) {
		prior, base, err := fitted(ctx, p, seen, seed)
		if err != nil {
			return nil, err
		}
		field, err := prior.Fitted(base).Field()
		if err != nil {
			return nil, err
		}
		s := s
		s.Seed = seed
		post, err := diffusion.SampleContext(ctx, field, base.Likelihood, seen, s)
		if post != nil {
			post.Info.Seconds += base.Info.Seconds
		}
		return post, err
	}
}

// imageField returns a method: the library's sampler under the prior of images.
func imageField(images expfam.Prior, draws int) func(ctx context.Context, p Prevalence, seen expfam.Observations,
	seed uint64) (*expfam.Posterior, error) {
	return func(ctx context.Context, p Prevalence, seen expfam.Observations, seed uint64) (*expfam.Posterior, error) {
		_, base, err := fitted(ctx, p, seen, seed)
		if err != nil {
			return nil, err
		}
		post, err := diffusion.SampleContext(ctx, images, base.Likelihood, seen,
			diffusion.Sampler{Draws: draws, Seed: seed})
		if post != nil {
			post.Info.Seconds += base.Info.Seconds
		}
		return post, err
	}
}

// FieldTruth returns a draw of a Gaussian field of Matérn smoothness 1, whose range is a fifth of the side of the map.
// The prevalence is about 0.3, and 95% of its values lie between 0.02 and 0.9.
func FieldTruth(g grid.Grid, seed uint64) ([]float64, error) {
	across, down := g.Spacing()
	side := (across*float64(g.Cols) + down*float64(g.Rows)) / 2
	return gmrf.Prior{Grid: g, Range: side / 5, SD: 0.3, Level: -0.15,
		KnownLevel: true}.Draw(expfam.Stream(seed, "benchmark/field"))
}

// ImageTruth returns a procedural image that no training has seen: regions with borders.
func ImageTruth(g grid.Grid, seed uint64) ([]float64, error) {
	x := make([]float64, g.Len())
	scenes.Procedural{Rows: g.Rows, Cols: g.Cols, Plain: true}.Draw(expfam.Stream(seed, "procedural/1099511627776"), x)
	return x, nil
}
