package diffusion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

type node = graph.Node

var near, differences = must.Relative, must.Differences

// noisy returns Normal data of the values, of standard deviation sd.
func noisy(rng *rand.Rand, values []float64, sd float64) expfam.Observations {
	obs, n := make(expfam.Observations, len(values)), 1/(sd*sd)
	for j, v := range values {
		obs[j] = expfam.Term{Stat: n * (v + sd*rng.NormFloat64()), Size: n}
	}
	return obs
}

// sameDraws fails unless draws differ by at most tol.
func sameDraws(t testing.TB, what any, got, want *mat.Dense, tol float64) {
	t.Helper()
	var d mat.Dense
	d.Sub(got, want)
	most := max(mat.Max(&d), -mat.Min(&d))
	must.Be(t, most <= tol, "%v: draws differ by %.3g, and may by %g", what, most, tol)
}

// agrees fails unless the mean of each cell is at most off exact standard deviations from the exact mean, and its
// standard deviation is the exact one but for a share wide.
func agrees(t testing.TB, what any, post *expfam.Posterior, mean []float64, cov mat.Matrix, off, wide float64) {
	t.Helper()
	sd := post.Latent().SD()
	for j, m := range post.Latent().Mean() {
		want := math.Sqrt(cov.At(j, j))
		must.Be(t, math.Abs(m-mean[j]) <= off*want && math.Abs(sd[j]/want-1) <= wide,
			"%v, cell %d: %.6f ± %.6f, exact %.6f ± %.6f", what, j, m, sd[j], mean[j], want)
	}
}

// onAverage returns how far the means of cells are from the exact ones, the root mean square in exact standard
// deviations, and the mean of the standard deviations over the exact ones.
func onAverage(post *expfam.Posterior, exact *gp.Conditional) (off, width float64) {
	sd := post.Latent().SD()
	n := float64(len(sd))
	for j, m := range post.Latent().Mean() {
		want := math.Sqrt(exact.Cov.At(j, j))
		off += (m - exact.Mean[j]) * (m - exact.Mean[j]) / (want * want * n)
		width += sd[j] / (want * n)
	}
	return math.Sqrt(off), width
}
