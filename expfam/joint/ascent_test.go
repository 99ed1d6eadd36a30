package joint

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// rook is the graph of rows × cols areas that share an edge.
func rook(t *testing.T, rows, cols int) *graph.Neighbours {
	var pairs [][2]int
	for i := range rows * cols {
		if i%cols > 0 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
		if i >= cols {
			pairs = append(pairs, [2]int{i - cols, i})
		}
	}
	return must.Get(graph.Edges(rows*cols, pairs))(t)
}

// The gradient of the evidence and the tangents of the mode agree with differences, for constraints in the matrix and
// in columns, and for an unknown constant of the likelihood.
func TestGradient(t *testing.T) {
	log := expfam.MustLink("exp(x)")
	for i, c := range []struct {
		times int
		area  gp.Family
		like  expfam.Likelihood
	}{
		{20, graph.BYM2{Neighbours: rook(t, 3, 4)}, expfam.Likelihood{Family: expfam.Poisson{}, Link: log}},
		{30, graph.ICAR{Neighbours: rook(t, 4, 7)}, expfam.Likelihood{Family: expfam.Poisson{}, Link: log}},
		{12, graph.ICAR{Neighbours: rook(t, 3, 4)}, expfam.Likelihood{Family: expfam.NB2{}, Link: log,
			Unknown: law.Laws{"dispersion": nil}}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p := graph.SpaceTime{Time: graph.Walk{Cells: c.times}, Area: c.area, Interaction: graph.TypeIV, LevelSD: 3}
			rng := expfam.Stream(uint64(i), "gradient")
			y := make([]float64, p.Dim())
			for k := range y {
				y[k] = expfam.Poisson{}.Rand(2*math.Exp(0.7*math.Sin(float64(k)/9)), expfam.Given(1), rng)
			}
			obs := must.Get(c.like.Observe(expfam.Data{Y: [][]float64{y}}))(t)
			m := must.Get(newModel(gp.Unknown{Of: p}, c.like, obs))(t)
			at := make([]float64, len(m.parameters))
			for k := range at {
				at[k] = 0.4 * float64(k-1)
			}
			_, slope, around := m.gradient(at)
			const h = 0.003 // differences are off by h² of a third derivative of some thousand
			for k := range at {
				moved := append([]float64(nil), at...)
				moved[k] = at[k] + h
				high, _, above := m.gradient(moved)
				moved[k] = at[k] - h
				low, _, below := m.gradient(moved)
				difference := (high - low) / (2 * h)
				must.Be(t, math.Abs(slope[k]-difference) < 0.01, "slope %d: %g, by differences %g", k, slope[k],
					difference)
				floats.Sub(above.mode, below.mode)
				floats.Scale(1/(2*h), above.mode)
				size := floats.Norm(around.tangents[k], 2)
				must.Be(t, floats.Distance(above.mode, around.tangents[k], 2) < 1e-3*size, "tangent %d differs", k)
			}
		})
	}
}
