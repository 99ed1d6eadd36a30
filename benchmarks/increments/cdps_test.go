package increments

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// Under normal increments D = τ/(τ + σ²) x_t/√α, and the step of the guidance is known in full.
func TestCDPSIsItsFormula(t *testing.T) {
	prior := must.Get(NewMixture(Gauss{}))(t)
	a := mat.NewDense(2, Cells, nil)
	for j := range Cells {
		a.Set(0, j, math.Cos(float64(j)))
		a.Set(1, j, 0.1*float64(j%5))
	}
	m := CDPS{A: a, Zeta: 0.7, N: 50}
	step := m.Steps()[30]
	y, noise := []float64{1.5, -2}, 0.3
	x := make([]float64, Cells)
	for j := range x {
		x[j] = math.Sin(3 * float64(j))
	}
	row := func(scale float64) []float64 { return []float64{y[0] * scale, y[1] * scale} }
	out := benchtest.Call(t, func(x, sqrtAlpha, v, stat, size *graph.Node) []*graph.Node {
		l := level.Nodes{SqrtAlpha: sqrtAlpha, V: v}
		p := &diffusion.Point{X: x, Level: l, Stat: stat, Size: size}
		p.Mean, p.Var = prior.Moments(x, l)
		return []*graph.Node{m.Shift(p)}
	}, [][]float64{x}, [][]float64{{step.Level.SqrtAlpha}}, [][]float64{{step.Level.V}},
		[][]float64{row(1 / (noise * noise))},
		[][]float64{{1 / (noise * noise), 1 / (noise * noise)}})

	sigma := step.Level.Sigma()
	gain := 1 / (1 + sigma*sigma) / step.Level.SqrtAlpha
	var rest [2]float64
	f := 0.0
	for k := range rest {
		rest[k] = y[k]
		for j := range x {
			rest[k] -= a.At(k, j) * gain * x[j]
		}
		f += rest[k] * rest[k] / 2
	}
	for j := range x {
		slope := -gain * (a.At(0, j)*rest[0] + a.At(1, j)*rest[1])
		want := -m.Zeta / math.Sqrt(f) * slope
		got := step.B * out[0][j]
		must.Be(t, math.Abs(got-want) <= 1e-9*(1+math.Abs(want)), "cell %d moves by %g, want %g", j, got, want)
	}
	// Without data ancestral steps keep the law of x_t under a normal prior.
	kept := step.A + step.B*gain
	next := m.Steps()[31].Level
	variance := kept*kept + step.S*step.S
	// Var x_t is α + v = 1 under unit variance, and the step lacks the variance of x₀ | x_t.
	missing := step.B * step.B * sigma * sigma / (1 + sigma*sigma)
	must.Be(t, math.Abs(variance+missing-(next.SqrtAlpha*next.SqrtAlpha+next.V)) <= 1e-12,
		"the variance after a step is %g and %g are missing", variance, missing)
	err := (CDPS{A: a}).Check()
	must.Be(t, err != nil, "a Zeta of 0 was taken")
}
