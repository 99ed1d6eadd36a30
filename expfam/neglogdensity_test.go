package expfam_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

func TestNegLogDensity(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, k := range enginetest.Short(e, 2, conjugates) { // TestFloat32 has the same for all
			t.Run(k.name, func(t *testing.T) {
				var loc, logConc, u []float64
				for _, l := range []float64{-1.1, 0.4, 2.3} {
					for _, conc := range []float64{0.6, 5, 70} {
						for _, d := range []float64{-2.2, -0.9, -0.01, 0.3, 1.2} {
							loc, logConc, u = append(loc, l), append(logConc, math.Log(conc)), append(u, l+d)
						}
					}
				}
				out := enginetest.Call(t, e, func(loc, logConc, u *node) []*node {
					v := k.c.NegLogDensity(loc, logConc, u)
					return append(graph.Gradient(graph.ReduceAllSum(v), loc, logConc, u), v)
				}, loc, logConc, u)
				theta := fromCoordinate(k.c)
				// Up to a term in u: compare with the member at (0, 0).
				zero := enginetest.Call(t, e, k.c.NegLogDensity, make([]float64, len(u)), make([]float64, len(u)), u)[0]
				host := func(l, c, u float64) float64 {
					at, _ := theta(u)
					q := Standard{Conjugate: k.c}
					return q.At(0, 0).LogProb(at) - q.At(l, c).LogProb(at)
				}
				atZero := evaluate(t, e, func(u *node) *node {
					return k.c.NegLogDensity(graph.ZerosLike(u), graph.ZerosLike(u), u)
				})
				for i := range u {
					at := fmt.Sprintf("(%g, %g, %g)", loc[i], logConc[i], u[i])
					near(t, "value at "+at, out[3][i]-zero[i], host(loc[i], logConc[i], u[i]), 1e-12)
					const tol = 1e-8
					near(t, "d/dloc at "+at, out[0][i],
						differences(func(l float64) float64 { return host(l, logConc[i], u[i]) }, loc[i], 1e-3), tol)
					near(t, "d/dlogConc at "+at, out[1][i],
						differences(func(c float64) float64 { return host(loc[i], c, u[i]) }, logConc[i], 1e-3), tol)
					near(t, "d/du at "+at, out[2][i],
						differences(func(u float64) float64 { return host(loc[i], logConc[i], u) + atZero(u) }, u[i],
							1e-3), tol)
				}
			})
		}
	})
}

// evaluate lifts a graph function to the host. It runs on pairs: ONNX Runtime 1.30 builds an invalid model when a
// gradient that starts from the constant 1 has a single element.
func evaluate(t *testing.T, e *engine.Engine, f func(x *node) *node) func(float64) float64 {
	exec := must.Get(graph.NewExec(e.Backend, f))(t)
	t.Cleanup(exec.Finalize)
	return func(x float64) float64 { return enginetest.Float64s(exec.MustCall([]float64{x, x})[0])[0] }
}
