package nn

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
)

// silu and its derivative σ(x) (1 + x σ(−x)) in both precisions, also where σ is 0 or 1.
func TestSilu(t *testing.T) {
	x := []float64{-100, -20, -3, -1.2784645, -0.5, 0, 1e-3, 0.7, 4, 30, 100}
	low := make([]float32, len(x))
	for i, v := range x {
		low[i] = float32(v)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for what, arg := range map[string]any{"float64": x, "float32": low} {
			out := enginetest.Call(t, e, func(x *graph.Node) []*graph.Node {
				y := silu(x)
				return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.MulScalar(y, 2)), x)...)
			}, arg)
			tolerance := 1e-14
			if what == "float32" {
				tolerance = 1e-6 // some roundings of numbers near 1
			}
			for i, x := range x {
				sigmoid := 1 / (1 + math.Exp(-x))
				for k, want := range []float64{x * sigmoid, 2 * sigmoid * (1 + x/(1+math.Exp(x)))} {
					if got := out[k][i]; !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
						t.Errorf("%s: derivative %d at %g is %g, want %g", what, k, x, got, want)
					}
				}
			}
		}
	})
}
