package hmc

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

func TestSampleWithLinks(t *testing.T) {
	want, obs := readReference(t, "poisson5")
	formula := expfam.MustLink("exp(5+x)")
	function := expfam.Must(expfam.TableLink("exp5", func(x float64) float64 { return math.Exp(x + 5) }))
	first := must.Get(Sample(rbf(30), expfam.Likelihood{Family: expfam.Poisson{}, Link: formula}, obs,
		Options{Seed: 1}))(t)
	for j, x := range first.Median() {
		// 4 standard errors of the log of a median, at an effective size of 2000.
		if got := math.Log(x) - 5; math.Abs(got-want.Median[j]) > 4*1.2533/math.Sqrt(2000)*want.SD[j] {
			t.Errorf("cell %d: median of log θ − 5 is %v, want %v", j, got, want.Median[j])
		}
	}
	t.Run("a function draws like its formula", func(t *testing.T) {
		o := Options{Seed: 1, Draws: 10, Warmup: 10, Chains: 2}
		var draws [2]*expfam.Posterior
		for i, link := range []expfam.Link{formula, function} {
			if draws[i], _ = Sample(rbf(30), expfam.Likelihood{Family: expfam.Poisson{}, Link: link}, obs,
				o); draws[i] == nil {
				t.Fatal("no draws") // so few are not expected to have converged
			}
		}
		// Rounding differs, and 20 transitions amplify it.
		must.Absolute(t, "first draw", draws[1].X.At(0, 0), draws[0].X.At(0, 0), 1e-6)
	})
	t.Run("a link that does not fit is refused", func(t *testing.T) {
		_, err := Sample(rbf(30), expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.IdentityLink}, obs,
			Options{})
		must.Be(t, err != nil && strings.HasPrefix(err.Error(), "hmc: "), "error %v", err)
	})
}
