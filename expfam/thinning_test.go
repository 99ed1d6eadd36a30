package expfam

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Positives among trials without replacement, against the hypergeometric distribution: a table of ten cells of about
// equal probability has a χ² of 9 degrees of freedom, which is above 40 with probability 8e-6.
func TestHypergeometric(t *testing.T) {
	for _, c := range []struct{ n, positive, all int }{
		{1500, 2000, 4000}, {2500, 2000, 4000}, {1200, 30, 4000}, {1200, 3990, 4000}, {5000, 7000, 12000},
		{700, 60, 900},
	} {
		t.Run(fmt.Sprintf("%d of %d, %d positive", c.n, c.all, c.positive), func(t *testing.T) {
			low, high := max(0, c.n+c.positive-c.all), min(c.n, c.positive)
			choose := func(n, k int) float64 { return logChoose(float64(n), float64(k)) }
			bin, below := make([]int, high-low+1), 0.0
			var probability [10]float64
			for y := low; y <= high; y++ {
				p := math.Exp(choose(c.positive, y) + choose(c.all-c.positive, c.n-y) - choose(c.all, c.n))
				bin[y-low] = min(9, int(10*(below+p/2)))
				probability[bin[y-low]] += p
				below += p
			}
			const draws = 5000
			rng := Stream(1, t.Name())
			var count [10]float64
			for range draws {
				y := hypergeometric(c.n, c.positive, c.all, rng)
				must.Need(t, y >= low && y <= high, "%d positives; possible are %d to %d", y, low, high)
				count[bin[y-low]]++
			}
			var chi2 float64
			for i, p := range probability {
				if p > 0 {
					chi2 += (count[i] - draws*p) * (count[i] - draws*p) / (draws * p)
				}
			}
			must.Be(t, chi2 <= 40, "χ² is %.1f, want about 9", chi2)
		})
	}
}

// A cell of 10¹² trials is thinned at once, and its parts add up.
func TestThinManyTrials(t *testing.T) {
	whole := Must(Binomial{}.Reduce(3e11, Given(1e12)))
	parts := Must(Binomial{}.Thin(whole, 3, Stream(1, "many")))
	var stat, size float64
	for _, p := range parts {
		stat, size = stat+p.Stat, size+p.Size
		// The standard deviation of a share is √(0.3·0.7·⅔/3.3e11) = 6.5e-7.
		must.Be(t, math.Abs(p.Stat/p.Size-0.3) <= 5*6.5e-7, "a part with %v positives of %v", p.Stat, p.Size)
	}
	must.Be(t, stat == 3e11 && size == 1e12, "the parts have %v positives of %v", stat, size)
	must.Refuse((Binomial{}).Thin(Term{Stat: 1, Size: 1e19}, 2, Stream(1, "too many")))(t, "1e+19 trials")
}
