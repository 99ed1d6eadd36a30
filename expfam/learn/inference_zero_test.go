package learn

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
)

// A network whose weights are 0 emits what the best scalar denoiser of each cell knows.
func TestUntrainedInference(t *testing.T) {
	scale := Scale{Mean: []float64{0.5, -1}, SD: []float64{2, 0.3}}
	x := [][]float64{{0.4, -2}, {1.1, 0}, {-3, 0.2}}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, c := range []struct {
		like  expfam.Likelihood
		at    func(x float64) float64 // u(g⁻¹(x))
		slope func(x float64) float64
	}{
		{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5-2*x)")},
			func(x float64) float64 { return 5 - 2*x }, func(float64) float64 { return -2 }},
		{expfam.Likelihood{Family: expfam.Binomial{Trials: 3}, Link: expfam.MustLink("0.1+0.8*sigmoid(x)")},
			func(x float64) float64 { return logit(0.1 + 0.8/(1+math.Exp(-x))) },
			func(x float64) float64 {
				s := 1 / (1 + math.Exp(-x))
				p := 0.1 + 0.8*s
				return 0.8 * s * (1 - s) / (p * (1 - p))
			}},
		{expfam.Likelihood{Family: expfam.Normal{},
			Link: expfam.Must(expfam.TableLink("cube", func(x float64) float64 { return x + x*x*x }))},
			func(x float64) float64 { return x + x*x*x }, func(x float64) float64 { return 1 + 3*x*x }},
	} {
		enginetest.On(t, func(t *testing.T, e *engine.Engine) {
			net := nn.Experts{Experts: 2, Blocks: 1, Width: 4, Embedding: 8}
			n := &Inference{Net: net, Scale: scale, Terms: expfam.Must(c.like.Terms()),
				weights: make([]float32, nn.Count(net.Params(2, 2)))}
			for _, sigma := range []float64{100, 1, 0.01} {
				t.Run(fmt.Sprintf("%v/%g", c.like, sigma), func(t *testing.T) {
					l := level.At(sigma)
					out := enginetest.Call(t, e, func(x, a, v *g.Node) []*g.Node {
						loc, conc := n.Infer(x, level.Nodes{SqrtAlpha: a, V: v})
						return []*g.Node{g.BroadcastToDims(loc, 3, 2), g.BroadcastToDims(conc, 3, 2)}
					}, x, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
					for i := range 6 {
						j := i % 2
						sd2 := scale.SD[j] * scale.SD[j]
						share := sd2 / (sd2 + sigma*sigma)
						estimate := scale.Mean[j] + share*(x[i/2][j]/l.SqrtAlpha-scale.Mean[j])
						slope := c.slope(scale.Mean[j])
						want := [2]float64{c.at(estimate), -math.Log(sigma * sigma * share * slope * slope)}
						for k, name := range []string{"location", "log concentration"} {
							// Rounding; the estimate cancels σ² of x_t/√α.
							if got := out[k][i]; math.Abs(got-want[k]) > 1e-11*math.Max(1, math.Abs(want[k])) {
								t.Errorf("%s, cell %d: %.15g, want %.15g", name, i, got, want[k])
							}
						}
					}
				})
			}
		})
	}
}
