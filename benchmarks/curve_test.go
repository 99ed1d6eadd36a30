package benchmarks

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// TestCurve scores the exact prior with as many evaluations as were asked for, and a method
// that cannot take so few is left out.
func TestCurve(t *testing.T) {
	points, err := Normal.CurveOf(problem.Prior, []Effort{Efforts[0],
		{"one", func(n int) (diffusion.Sampler, bool) { return diffusion.Sampler{}, false }}}, []int{4}, Seeds(1001, 2))
	must.Do(t, err)
	must.Need(t, len(points) == 1 && points[0].Score != nil && points[0].Score.Evaluations == 4, "%v", points)
	// A Gaussian posterior is exact in any number of steps. 500 exact draws have 0.056, with a
	// standard deviation of 0.01 over data sets.
	s := points[0].Score
	must.Be(t, s.W1 < 0.085 && s.Sums > 0.7, "W1 %.3f and sums inside %.2f", s.W1, s.Sums)
	table := CurveTable(points)
	must.Be(t, strings.Contains(table, "| covariance-drawn steps | 4 | 0.0"), "%v", table)
	// What the case draws is part of the key of stored points.
	gaps := Normal
	gaps.Missing = 0.5
	other, err := gaps.CurveOf(problem.Prior, Efforts[:1], []int{4}, Seeds(1001, 2))
	must.Do(t, err)
	must.Be(t, other[0].Score.W1 != points[0].Score.W1, "with half of the data the points are those of all data")
	// Every effort takes what it is asked for.
	for _, e := range Efforts {
		for _, n := range []int{4, 6, 8, 12, 20, 30, 60} {
			if s, ok := e.Sampler(n); ok {
				got := len(s.Method.Steps())
				must.Be(t, got <= n && got >= n-1, "%s: %d evaluations, want %d", e.Name, got, n)
			}
		}
	}
}

// A sampler of images takes as many evaluations as it is asked for, or says that it can't.
func TestImageEffortsTakeWhatIsAsked(t *testing.T) {
	restarts := ImageEfforts()[0]
	for n := 1; n <= 60; n++ {
		s, ok := restarts.Sampler(n)
		if ok != (n >= 5) { // one step of each descent, and the estimate
			t.Errorf("%d evaluations: possible %v", n, ok)
		}
		if !ok {
			continue
		}
		got := len(s.Method.Steps())
		must.Be(t, got == n, "%d evaluations, want %d", got, n)
	}
}
