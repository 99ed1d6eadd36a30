package expfam

import (
	"slices"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Five of a hundred draws expect 200 events, the others 10 or none, and as many were seen. The means of a few huge
// draws are strange in whatever order the draws are. Counts vary as those of an NB2 of dispersion 0.03.
func TestStrangeInAnyOrder(t *testing.T) {
	for _, usual := range []float64{10, 0} {
		totals := slices.Concat(slices.Repeat([]float64{usual}, 95), slices.Repeat([]float64{200}, 5))
		for range totals {
			totals = append(totals[1:], totals[0])
			variances, mean := make([]float64, len(totals)), 0.0
			for i, v := range totals {
				variances[i], mean = v+0.03*v*v, mean+v/float64(len(totals))
			}
			must.Need(t, strange(totals, variances, usual, mean), "the total of draw 50 is %g", totals[50])
		}
	}
}
