package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/internal/must"
)

// TestCentre: of the posteriors of 1000 counts, each in coordinates whose mode is 0 and whose curvature there is 1,
//
//	log p(u) = α u/√α − α exp(u/√α),
//
// the nearest N(s, 1) has s = −1/(2√α), within a few hundredths of the mean √α (ψ(α) − log α). For N(m, I)
// s is m.
func TestCentre(t *testing.T) {
	const n, alpha = 1000, 10.
	root := math.Sqrt(alpha)
	each := func(value, slope func(u float64) float64) Density {
		return func(u, gradient, logp []float64) {
			clear(logp)
			for i, v := range u {
				logp[i%len(logp)] += value(v)
				gradient[i] = slope(v)
			}
		}
	}
	distance := func(p Density, from float64) float64 {
		s := make([]float64, n)
		centre(p, s, rand.New(rand.NewPCG(1, 2)))
		floats.AddConst(-from, s)
		return floats.Norm(s, 2)
	}
	gamma := each(func(u float64) float64 { return root*u - alpha*math.Exp(u/root) },
		func(u float64) float64 { return root - root*math.Exp(u/root) })
	nearest := -1 / (2 * root)
	// The mean of 32 pairs of cosh(ξ/√α) has a standard deviation of .013, times √α and √n.
	must.Be(t, distance(gamma, nearest) < 1.6, "the distance is %v of %v", distance(gamma, nearest),
		math.Sqrt(n)*math.Abs(nearest))
	normal := each(func(u float64) float64 { return -(u - 0.3) * (u - 0.3) / 2 },
		func(u float64) float64 { return 0.3 - u })
	must.Be(t, distance(normal, 0.3) < 1e-10, "the distance is %v", distance(normal, 0.3))
	// A step that leaves the support is not taken.
	edge := each(func(u float64) float64 { return math.Log(math.Max(0, 6-u)) }, func(float64) float64 { return 100 })
	must.Be(t, distance(edge, 0) == 0, "a step out of the support")
}

// TestArrival: a transition that is always accepted and has a quarter of the period leaves nothing of the distance, and
// one that is never accepted everything.
func TestArrival(t *testing.T) {
	for _, c := range []struct {
		distance, accept float64
		want             int
	}{{0, 0.9, 0}, {5, 1, 1}, {0.029, 0.5, 0}, {1, 0, 4 * leastMoves}} {
		must.Be(t, arrival(c.distance, c.accept) == c.want, "arrival%v = %d", c, arrival(c.distance, c.accept))
	}
}
