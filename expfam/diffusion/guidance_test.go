package diffusion

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// shiftOf is the shift of a guidance for one row of means, in float64.
func shiftOf(t *testing.T, e *engine.Engine, guide Guidance, like expfam.Likelihood, cov *mat.SymDense, mean []float64,
	obs expfam.Observations) []float64 {
	t.Helper()
	terms := must.Get(like.Terms())(t)
	row := func(v []float64) [][]float64 { return [][]float64{v} }
	return enginetest.Call(t, e, func(mean, stat, size *g.Node) *g.Node {
		return guide.Shift(linear{cov}.point(mean, stat, size, terms))
	}, row(mean), row(obs.Stats()), row(obs.Sizes()))[0]
}

func TestLeastSquaresGuidance(t *testing.T) {
	const d = 4
	cov := covariance(d, expfam.Stream(7, "dps"))
	mean := []float64{0.3, -1, 2, 0.5}
	times := func(u []float64) []float64 {
		out := mat.NewVecDense(d, nil)
		out.MulVec(cov, mat.NewVecDense(d, u))
		return out.RawVector().Data
	}
	equal := func(t *testing.T, got, want []float64) {
		t.Helper()
		for j := range want {
			// Sums of a few products in double precision.
			must.Absolute(t, fmt.Sprintf("cell %d", j), got[j], want[j], 1e-12*(1+math.Abs(want[j])))
		}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		// Replicates of different σ, and a missing cell.
		normal := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.MustLink("1-2*x")}
		obs := expfam.Observations{normalData(0.3, 0.5).Add(normalData(1, 2)), normalData(2, 0.1), {},
			normalData(-1, 3)}
		delta := shiftOf(t, e, Delta{}, normal, cov, mean, obs)
		t.Run("half the weight is the likelihood's", func(t *testing.T) {
			equal(t, shiftOf(t, e, DPS{Weight: 0.5}, normal, cov, mean, obs), delta)
		})
		t.Run("the paper's weight is twice that", func(t *testing.T) {
			twice := make([]float64, d)
			for j := range twice {
				twice[j] = 2 * delta[j]
			}
			equal(t, shiftOf(t, e, DPS{}, normal, cov, mean, obs), twice)
		})
		t.Run("delta is C times the slope", func(t *testing.T) {
			u := make([]float64, d)
			for j, c := range obs {
				u[j] = -2 * (c.Stat - c.Size*(1-2*mean[j]))
			}
			equal(t, delta, times(u))
		})

		counts := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
		y := []float64{3, 0, math.NaN(), 7}
		cells := expfam.Observations{{Stat: 3, Size: 1}, {Stat: 0, Size: 1}, {}, {Stat: 14, Size: 2}}
		for name, c := range map[string]struct {
			guide  Guidance
			weight func(y float64) float64
		}{
			"poisson-ls":  {PoissonLS{}, func(float64) float64 { return 1 }},
			"poisson-dps": {PoissonDPS{}, func(y float64) float64 { return 1 / (2 * math.Max(y, 0.01)) }},
		} {
			t.Run(name, func(t *testing.T) {
				u, norm := make([]float64, d), 0.0
				for j := range d {
					if cells[j].Size > 0 {
						theta := math.Exp(mean[j])
						u[j] = 2 * 0.3 * (y[j] - theta) * theta * c.weight(y[j])
						norm = math.Hypot(norm, y[j]-theta)
					}
				}
				for j := range u {
					u[j] /= norm
				}
				equal(t, shiftOf(t, e, c.guide, counts, cov, mean, cells), times(u))
			})
		}
		t.Run("unguided", func(t *testing.T) {
			equal(t, shiftOf(t, e, Unguided{}, counts, cov, mean, cells), make([]float64, d))
		})
	})
}
