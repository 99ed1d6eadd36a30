package increments

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// The moments of an increment given its noisy value are integrals over the law's density, and over its atom.
func TestMixture(t *testing.T) {
	for _, law := range []Law{Gauss{}, Laplace{}, BernoulliLaplace{}, Student{Degrees: 3}, Student{Degrees: 1}} {
		t.Run(law.String(), func(t *testing.T) {
			m := must.Get(NewMixture(law))(t)
			for _, sigma := range []float64{0.05, 1} {
				values := []float64{0, 0.1, 1, -2.5}
				x := make([]float64, Cells)
				copy(x, values)
				l := level.At(sigma)
				for j := range x {
					x[j] *= l.SqrtAlpha
				}
				out := benchtest.Call(t, func(x, a, v *graph.Node) []*graph.Node {
					mean, variance := m.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
					return []*graph.Node{mean, variance}
				}, [][]float64{x}, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
				for j, v := range values {
					mean, variance := momentsOf(law, v, sigma)
					sd := math.Sqrt(variance)
					// The grid of variances has the density to 1e-6, of Cauchy's law to 1e-4 in its tails.
					d := math.Abs(out[0][j]-mean) / sd
					must.Be(t, d <= 1e-3, "σ %g, u %g: mean %g, and %g by integration", sigma, v, out[0][j], mean)
					if r := out[1][j] / variance; math.Abs(r-1) > 2e-3 {
						t.Errorf("σ %g, u %g: variance %g, and %g by integration", sigma, v, out[1][j], variance)
					}
				}
			}
		})
	}
}

// momentsOf integrates over an increment, in units of the law's spread, that is at u in noise sigma.
func momentsOf(law Law, u, sigma float64) (mean, variance float64) {
	const n = 8000
	var mass, first, second float64
	add := func(v, w float64) {
		w *= math.Exp(-(v - u) * (v - u) / (2 * sigma * sigma))
		mass += w
		first += w * v
		second += w * v * v
	}
	reach := 12 * sigma
	for i := range n {
		v := u + reach*(2*(float64(i)+0.5)/n-1)
		add(v, math.Exp(law.LogProb(v*law.Spread()))*law.Spread()*2*reach/n)
	}
	if _, atom := law.(BernoulliLaplace); atom {
		add(0, math.Exp(law.LogProb(0)))
	}
	mean = first / mass
	return mean, second/mass - mean*mean
}
