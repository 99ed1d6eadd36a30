package increments

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// A mixture that was learned from draws has the moments of the exact one.
func TestFit(t *testing.T) {
	moments := func(p expfam.Prior, x []float64, l level.Level) (mean, variance []float64) {
		out := benchtest.Call(t, func(x, a, v *graph.Node) []*graph.Node {
			mean, variance := p.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
			return []*graph.Node{mean, variance}
		}, [][]float64{x}, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
		return out[0], out[1]
	}
	for _, law := range []Law{BernoulliLaplace{}, Student{Degrees: 3}, Gauss{}, Laplace{},
		Student{Degrees: 1}}[:fulltest.N(2, 5)] {
		t.Run(law.String(), func(t *testing.T) {
			exact := must.Get(NewMixture(law))(t)
			fit := must.Get(Fit(law, 100_000, 1))(t)
			must.Be(t, fit.String() != exact.String(), "a learned prior has the name of the exact one")
			rng := expfam.Stream(3, "test")
			for _, sigma := range []float64{0.05, 0.3, 2} {
				l, x := level.At(sigma), make([]float64, Cells)
				for j := range x {
					x[j] = l.SqrtAlpha * (law.Draw(rng)/law.Spread() + sigma*rng.NormFloat64())
				}
				mean, variance := moments(exact, x, l)
				own, spread := moments(fit, x, l)
				var miss, ratio float64
				for j := range x {
					miss += math.Pow(own[j]-mean[j], 2) / (variance[j] + 1e-6) / Cells
					ratio += math.Abs(math.Log((spread[j]+1e-6)/(variance[j]+1e-6))) / Cells
				}
				// A weight of 0.01 is learned from a thousand draws to 3%. A point's variance is at most 1e-6.
				if miss = math.Sqrt(miss); miss > 0.03 || ratio > 0.05 {
					t.Errorf("σ %g: means are %.3f sd off, logarithms of variances %.3f", sigma, miss, ratio)
				}
			}
		})
	}
	_, err := Fit(Gauss{}, 10, 1)
	must.Be(t, err != nil, "ten draws were taken")
}

// Every cell may have a noise level of its own.
func TestMixtureTakesLevelsOfCells(t *testing.T) {
	m := must.Get(NewMixture(Laplace{}))(t)
	moments := func(a, v []float64) [][]float64 {
		x := make([]float64, Cells)
		for j := range x {
			x[j] = math.Sin(float64(j))
		}
		return benchtest.Call(t, func(x, a, v *graph.Node) []*graph.Node {
			mean, variance := m.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
			return []*graph.Node{mean, variance}
		}, [][]float64{x}, [][]float64{a}, [][]float64{v})
	}
	levels := []level.Level{level.At(0.1), level.At(3)}
	var a, v []float64
	for j := range Cells {
		a, v = append(a, levels[j%2].SqrtAlpha), append(v, levels[j%2].V)
	}
	mixed := moments(a, v)
	for i, l := range levels {
		own := moments([]float64{l.SqrtAlpha}, []float64{l.V})
		for j := i; j < Cells; j += 2 {
			for k := range own {
				must.Need(t, math.Abs(mixed[k][j]-own[k][j]) <= 1e-12,
					"cell %d: moment %d is %g, and %g at its level", j, k, mixed[k][j], own[k][j])
			}
		}
	}
}
