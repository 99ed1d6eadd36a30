package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// nearly compares numbers in float64 that come from eigenvectors of different matrices.
func nearly(t *testing.T, what string, got, want float64) {
	t.Helper()
	must.Absolute(t, what, got, want, 1e-11*(1+math.Abs(want)))
}

// sameMoments fails unless a prior has the moments, the products with the covariance by the gradient of the mean, and
// the products with K of a Gaussian prior, on every engine.
func sameMoments(t *testing.T, p expfam.Prior, want *gp.Gaussian) {
	t.Helper()
	x, u := make([][]float64, 3), make([][]float64, 3)
	rng := expfam.Stream(1, "product")
	for b := range x {
		for range want.Dim() {
			x[b], u[b] = append(x[b], 2*rng.NormFloat64()), append(u[b], rng.NormFloat64())
		}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, sigma := range []float64{0.05, 1, 20} {
			at := level.At(sigma)
			got := enginetest.Call(t, e, func(x, u, a, v *graph.Node) []*graph.Node {
				var out []*graph.Node
				for _, prior := range []expfam.Prior{p, want} {
					mean, variance := prior.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
					out = append(out, mean, variance, graph.Gradient(graph.ReduceAllSum(graph.Mul(mean, u)), x)[0])
				}
				return out
			}, x, u, [][]float64{{at.SqrtAlpha}}, [][]float64{{at.V}})
			for i, what := range []string{"mean", "variance", "gradient"} {
				must.Need(t, len(got[i]) == len(got[i+3]), "%s has %d numbers, want %d", what, len(got[i]),
					len(got[i+3]))
				for j := range got[i] {
					nearly(t, fmt.Sprintf("%s %d at sigma %g", what, j, sigma), got[i][j], got[i+3][j])
				}
			}
		}
	})
	image, linear := p.(expfam.Linear).Multiply(u[0])
	exact, _ := want.Multiply(u[0])
	must.Need(t, linear, "the prior says that it is not linear")
	for j := range exact {
		nearly(t, fmt.Sprintf("K v %d", j), image[j], exact[j])
	}
}
