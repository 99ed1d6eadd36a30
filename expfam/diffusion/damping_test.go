package diffusion

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// The image A u of a solution of (I + A) u = b is never restrained if A is a covariance. An image that is eight times
// too long for the data is cut to the length that meets them best, and one that leads away from them to nothing.
func TestRestraint(t *testing.T) {
	rng := expfam.Stream(4, "restraint")
	const d = 8
	e := must.Get(engine.Float64())(t)
	of := func(image, pull []float64) float64 {
		return enginetest.Call(t, e, func(image, pull *g.Node) *g.Node { return damping(image, pull) },
			[][]float64{image}, [][]float64{pull})[0][0]
	}
	for range 20 {
		a, u, b := covariance(d, rng), make([]float64, d), make([]float64, d)
		for j := range u {
			u[j] = rng.NormFloat64()
		}
		image := mat.NewVecDense(d, nil)
		image.MulVec(a, mat.NewVecDense(d, u))
		for j := range b {
			b[j] = u[j] + image.AtVec(j)
		}
		must.Equal(t, of(image.RawVector().Data, b), 1, "a covariance is restrained")
	}
	b := []float64{1, -2, 3}
	for _, c := range []struct{ times, want float64 }{{8, 0.125}, {-1, 0}, {0, 1}, {3, 1}} {
		image := make([]float64, len(b))
		for j := range b {
			image[j] = c.times * b[j]
		}
		if got := of(image, b); !(math.Abs(got-c.want) < 1e-15) {
			t.Errorf("an image of %g times the pull is restrained by %g, want %g", c.times, got, c.want)
		}
	}
}
