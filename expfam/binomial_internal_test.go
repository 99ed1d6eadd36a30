package expfam

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The base measures of huge counts, against their closed forms. Γ(y+½)/(Γ(½) y!) is (πy)^−½ (1 − 1/(8y) + …).
func TestBaseMeasuresOfHugeCounts(t *testing.T) {
	for _, y := range []float64{1e6, 2e9, 1e12, 1e15, 1e18, 1e30} {
		for _, c := range []struct {
			family Family
			y      float64
			known  float64
			want   float64
		}{
			{NegativeBinomial{}, y, 1, 0},
			{NegativeBinomial{}, y, 2, math.Log1p(y)},
			{NegativeBinomial{}, y, 3, math.Log1p(y) + math.Log(y+2) - math.Ln2},
			{NegativeBinomial{}, y, 0.5, -math.Log(math.Pi*y)/2 - 1/(8*y)},
			{NegativeBinomial{}, 2, y, math.Log(y) + math.Log1p(y) - math.Ln2},
			{NegativeBinomial{}, 0, y, 0},
			{Binomial{}, 0, y, 0},
			{Binomial{}, y, y, 0},
			{Binomial{}, 1, y, math.Log(y)},
			{Binomial{}, 2, y, math.Log(y) + math.Log(y-1) - math.Ln2},
		} {
			t.Run(fmt.Sprintf("%v y=%g known=%g", c.family, c.y, c.known), func(t *testing.T) {
				term, err := c.family.Reduce(c.y, Given(c.known))
				// Below hugeCount a difference of lgamma(1e6) = 1.3e7 has an error of some 1e-8.
				must.Be(t, err == nil && math.Abs(term.Base-c.want) <= 5e-8+1e-14*math.Abs(c.want),
					"%v, %v; want %v", term.Base, err, c.want)
			})
		}
	}
	// Both ways to compute the coefficient agree where neither loses digits. C(2n, n) is 4ⁿ/√(πn) (1 − 1/(8n) + …).
	n := 1e9
	got, want := logChoose(2*n, n), 2*n*math.Ln2-math.Log(math.Pi*n)/2
	must.Be(t, math.Abs(got-want) <= 1e-13*want, "C(2n, n) with n = %g: %v, want %v", n, got, want)
}
