package joint

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The time of all draws never falls as an approximation takes longer, over all sizes from which draws share values of
// the parameters.
func TestMoreCellsTakeNoLessTime(t *testing.T) {
	const draws = 500
	before := 0.0
	for seconds := 1e-4; seconds < 1; seconds *= 1.01 {
		n := affordable(draws, seconds)
		must.Be(t, n >= leastDistinct && n <= draws, "%d values of the parameters for %d draws", n, draws)
		all := float64(n+1) * seconds // the number is rounded down
		must.Be(t, all >= before, "%d values take %.4g s at %.4g s each, and %.4g s at 1%% less", n, all, seconds, before)
		before = float64(n) * seconds
	}
	values := draws
	for cells := 1; cells < 2000; cells++ {
		n := (&model{cells: cells}).distinct(draws)
		must.Be(t, n <= values && values-n < draws/20 && n >= leastDense, "%d values at %d cells, and %d at one less", n,
			cells, values)
		values = n
	}
}
