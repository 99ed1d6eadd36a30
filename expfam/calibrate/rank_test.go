package calibrate

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// The transform of a rank is uniform over the places that the value may have: those of its ties and its own.
func TestPITIsUniformOverItsPlaces(t *testing.T) {
	const n = 2000
	rng := expfam.Stream(1, "test/pit")
	for _, c := range []struct {
		rank      Rank
		low, high float64
	}{
		{Rank{Below: 0, Draws: 9}, 0, 0.1}, {Rank{Below: 9, Draws: 9}, 0.9, 1}, {Rank{Below: 2, Equal: 3, Draws: 9},
			0.2, 0.6},
	} {
		var sum, squares float64
		for range n {
			u := c.rank.PIT(rng)
			must.Need(t, u >= c.low && u < c.high, "%+v: %g, want %g to %g", c.rank, u, c.low, c.high)
			z := (u - c.low) / (c.high - c.low)
			sum, squares = sum+z/n, squares+z*z/n
		}
		// Four standard errors of the moments of a uniform number: √(1/12) and √(4/45).
		must.Be(t, math.Abs(sum-0.5) <= 4*math.Sqrt(1./12/n) && math.Abs(squares-1./3) <= 4*math.Sqrt(4./45/n),
			"%+v: moments %.4f and %.4f, want 1/2 and 1/3", c.rank, sum, squares)
	}
}
