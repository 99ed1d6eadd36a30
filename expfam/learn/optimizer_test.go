package learn_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// plain is an optimizer of a user: gradient descent, some times as far as the rate says.
type plain struct{ Times float64 }

func (p plain) String() string                        { return fmt.Sprintf("plain(%g)", p.Times) }
func (p plain) Scalars(_ int, rate float64) []float32 { return []float32{float32(p.Times * rate)} }
func (plain) Move(d learn.Descent) (move, first, second *graph.Node) {
	return graph.Mul(d.Gradient, d.Scalar(0)), d.First, d.Second
}

// scaled is a network of a user, with a parameter that is one number, by which it scales the mean.
type scaled struct{ nn.MLP }

func (s scaled) String() string { return "scaled " + s.MLP.String() }

func (s scaled) Params(cells, heads int) []nn.Param {
	return append(s.MLP.Params(cells, heads), nn.Param{Name: "scale", SD: 1})
}

func (s scaled) Apply(w nn.Weights, in nn.Input, heads int) []*graph.Node {
	out := s.MLP.Apply(w, in, heads)
	out[0] = graph.Mul(out[0], w["scale"])
	return out
}

// Trainings with other optimizers than Adam are stored, continue where they were stopped with the same result to the
// bit, and lower the loss.
func TestOptimizers(t *testing.T) {
	names := map[string]bool{}
	for _, o := range []learn.Optimizer{nil, learn.Muon{}, learn.Muon{Scale: 0.1}, plain{10}, plain{20}} {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			c := learntest.Tiny(t)
			c.Optimizer, c.Steps, c.Net = o, 60, scaled{nn.MLP{Width: 16}}
			whole := learntest.Train(t, few, c)
			must.Be(t, !names[whole.String()], "it trained the network of another optimizer")
			names[whole.String()] = true
			t.Setenv("EXPFAM_STORE", t.TempDir())
			c.Fresh = false
			stop(t, c, 31)
			resumed := learntest.Train(t, few, c)
			must.Be(t, same(resumed, whole), "resumed %v, whole %v", resumed, whole)
			c.Progress = func(step, _ int, _ float64) {
				must.Be(t, step >= c.Steps, "step %d of a stored training", step)
			}
			stored := learntest.Train(t, few, c)
			must.Be(t, same(stored, whole), "stored %v, whole %v", stored, whole)
			loss := whole.Curve.HeldOut
			must.Be(t, loss[len(loss)-1] < loss[0], "the loss goes from %g to %g", loss[0], loss[len(loss)-1])
		})
	}
}
