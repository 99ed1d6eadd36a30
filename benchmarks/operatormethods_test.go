package benchmarks

import (
	"time"

	"github.com/expfam/lab/benchmarks/diffpir"
	"github.com/expfam/lab/benchmarks/reconstruct"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/store"
)

// operatorMethod makes draws, or an estimate of θ alone.
type operatorMethod struct {
	name     string
	sample   func(o OperatorImage) (*expfam.Posterior, error)
	estimate func(o OperatorImage) ([]float64, error)
	network  expfam.Prior // that scores depend on, nil for methods without a network
}

// score is that of one image, stored, so that a run that is stopped goes on there.
func (m operatorMethod) score(o OperatorImage) (OperatorScore, error) {
	compute := func() (OperatorScore, error) {
		if m.sample != nil {
			post, err := m.sample(o)
			if err != nil {
				return OperatorScore{}, err
			}
			return o.Score(m.name, post, imageDraws)
		}
		start := time.Now()
		theta, err := m.estimate(o)
		if err != nil {
			return OperatorScore{}, err
		}
		return o.Estimate(m.name, theta, time.Since(start).Seconds()), nil
	}
	if !*full {
		return compute()
	}
	revision := operatorRevision
	if m.name == "expfam" {
		revision = drawsRevision
	}
	parts := []any{"operator images", revision, m.name, o.Name, o.Case, o.Seed}
	if m.network != nil {
		parts = append(parts, m.network.String())
	}
	key := store.Key(parts...)
	return store.Once("operator-score", key, store.JSON[OperatorScore](), compute)
}

// operatorMethods are ours first, with -full alone. Estimates without draws are stopped where they are best
// knowing the truth.
func operatorMethods(prior expfam.Prior, field *gp.Stationary) []operatorMethod {
	guided := func(g diffusion.Guidance, m diffusion.Method) func(o OperatorImage) (*expfam.Posterior, error) {
		return func(o OperatorImage) (*expfam.Posterior, error) {
			return diffusion.Sample(prior, o.Likelihood, o.Obs, diffusion.Sampler{Draws: imageDraws, Batch: 8, Seed: 1,
				Guidance: g, Method: m})
		}
	}
	all := []operatorMethod{
		{"GMRF", func(o OperatorImage) (*expfam.Posterior, error) {
			p, err := o.CoarseField()
			if err != nil {
				return nil, err
			}
			return gmrf.Sample(p, o.Likelihood, o.Obs, gmrf.Options{Draws: imageDraws, Seed: 1})
		}, nil, nil},
		{"Richardson-Lucy", nil, func(o OperatorImage) ([]float64, error) {
			theta, _, err := counts.RichardsonLucy{Iterations: 300}.Best(o.Likelihood, o.Obs, o.Theta)
			return theta, err
		}, nil},
		{"OSEM", nil, func(o OperatorImage) ([]float64, error) {
			theta, _, err := reconstruct.OSEM{Iterations: 60, Subset: o.Subset}.Best(o.Likelihood, o.Obs, o.Theta)
			return theta, err
		}, nil},
		{"total variation", nil, func(o OperatorImage) ([]float64, error) {
			v := reconstruct.TotalVariation{Rows: o.Grid.Rows, Cols: o.Grid.Cols, Weight: 0.5, Iterations: 300}
			theta, _, err := v.Best(o.Likelihood, o.Obs, o.Theta)
			return theta, err
		}, nil},
	}
	if !*full {
		return all
	}
	all = append([]operatorMethod{{"expfam", guided(nil, nil), nil, prior}}, all...)
	empirical := func(o OperatorImage) (*expfam.Posterior, error) {
		return field.Sample(o.Likelihood, o.Obs, gp.Options{Draws: imageDraws, Seed: 1})
	}
	return append(all, operatorMethod{"empirical Gaussian field", empirical, nil, nil},
		operatorMethod{"likelihood at the mean (DPS)", guided(diffusion.Delta{}, nil), nil, prior},
		operatorMethod{"DiffPIR, proximal", guided(diffpir.Proximal{}, diffpir.DiffPIR{N: 30}), nil, prior})
}
