package diffusion

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A cell beside a precise datum, of correlation r with it, keeps the share 1 − r² of its variance, and has the error of
// its own variance and r² times that of the datum's. A cell of no correlation has its own error alone.
func TestMagnified(t *testing.T) {
	const r = 0.95
	table := []float64{1, r, 0, r, 1, 0, 0, 0, 1}
	cell, times := largestMagnification(table, []site{{0, 1e12}, {}, {}}, 0.01)
	want := (1 + r*r) / (1 - r*r)
	must.Be(t, cell == 1 && math.Abs(times/want-1) < 1e-6, "cell %d %g times, want cell 1 %g times", cell, times, want)
	cell, times = largestMagnification(table, []site{{}, {}, {0, 1e12}}, 0.01)
	must.Be(t, math.Abs(times-1) < 1e-6, "cell %d %g times without a correlation", cell, times)
	_, times = largestMagnification(table, []site{{0, 1}, {0, 1}, {}}, 0.01)
	must.Be(t, times == 0, "%g times without precise data", times)
}
