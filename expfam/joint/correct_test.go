package joint_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestFunnel: twenty Bernoulli data hardly tell the standard deviation of their logits, whose Laplace evidence has too
// light a tail. The log standard deviation has the mean and the spread of nutpie's 20,000 draws (problem
// bernoulli-funnel of benchmarks/reference). Cells without data beside these 20 change nothing.
func TestFunnel(t *testing.T) {
	const mean, sd = 0.477, 0.894
	like := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(x)")}
	for _, each := range []int{1, 25} { // cells from one datum to the next
		t.Run(fmt.Sprint(19*each+1), func(t *testing.T) {
			if each > 1 && !*fulltest.Full {
				t.Skip("with -full: draws of 476 cells take minutes")
			}
			prior := gp.Unknown{Of: gp.Process{Kernel: gp.Matern{Smoothness: 0.5}, Cells: 19*each + 1, Length: 0.2},
				Laws: law.Laws{"sd": law.LogNormal{Median: 1, SD: 1}}}
			y := make([]float64, 19*each+1)
			for j := range y {
				if y[j] = math.NaN(); j%each == 0 {
					y[j] = []float64{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0}[j/each]
				}
			}
			obs := must.Get(like.Observe1(y...))(t)
			draws := fulltest.N(1000, 8000/min(each, 2))
			post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
			logs := make([]float64, draws)
			for i, v := range post.Parameters[0].Draws {
				logs[i] = math.Log(v)
			}
			m, s := stat.MeanStdDev(logs, nil)
			n := math.Sqrt(float64(draws))
			t.Logf("mean %.3f, sd %.3f, %v", m, s, post.Info.Diagnostics)
			// 4 standard errors, of kurtosis 3; without the correction the sd is .86 of the reference's
			must.Be(t, math.Abs(m-mean) < 4*sd/n && math.Abs(s/sd-1) < 4/n/math.Sqrt2,
				"mean %.3f and sd %.3f, not %g and %g", m, s, mean, sd)
		})
	}
}
