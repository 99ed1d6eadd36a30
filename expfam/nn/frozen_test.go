package nn_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Weights that are held fixed change neither the heads nor their gradient with
// respect to x, with a level for each draw and with one for all, and have no
// gradient themselves.
func TestFrozen(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		eachNetwork(t, e, func(t *testing.T, n nn.Network, params []nn.Param) {
			x, levels := inputs(3, 0.3)
			each := [][][]float32{levels, levels[:1]}
			if e.String() != "go" {
				if n.String() != networks[0].String() && !*fulltest.Full {
					t.Skip("seconds to compile: run with -full")
				}
				each = each[1:] // which takes seconds to compile
			}
			for _, levels := range each {
				out := enginetest.Call(t, e, func(flat, x, l *graph.Node) []*graph.Node {
					var list []*graph.Node
					trained := nn.Unpack(flat, params)
					for _, w := range []nn.Weights{trained, trained.Frozen()} {
						head := n.Apply(w, nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)[0]
						// Nothing that a gradient passes in is a constant.
						loss := graph.ReduceAllSum(graph.Mul(head, graph.Sin(head)))
						list = append(list, append([]*graph.Node{head},
							graph.Gradient(loss, x, trained[params[0].Name])...)...)
					}
					return list
				}, busy(params), x, levels)
				for i, what := range []string{"the head", "its gradient in x"} {
					var largest float64
					for _, v := range out[i] {
						largest = max(largest, math.Abs(v))
					}
					for k, v := range out[i] {
						// Sums of 96 terms of float32, in another order.
						if got := out[3+i][k]; math.Abs(got-v) > 2e-5*largest {
							t.Errorf("%d levels: %s: value %d is %g, %g with trained weights", len(levels), what, k,
								got, v)
						}
					}
				}
				for k, v := range out[5] {
					must.Need(t, v == 0, "weight %d has the gradient %g", k, v)
				}
			}
		})
	})
}
