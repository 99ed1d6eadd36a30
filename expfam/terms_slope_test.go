package expfam_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// The log-likelihood of all cells and its slopes have the bits of those of the cells alone, which stored draws rely on.
func TestLogLikSlopeIsThatOfCells(t *testing.T) {
	for _, like := range []expfam.Likelihood{
		{Family: expfam.Poisson{}}, {Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(x)")},
		{Family: expfam.Binomial{Trials: 9}}, {Family: expfam.NB2{Dispersion: 0.3}},
		{Family: expfam.BetaBinomial{Trials: 9, Correlation: 0.1}, Link: expfam.MustLink("sigmoid(5*x)")},
	} {
		terms := must.Get(like.Terms())(t)
		obs := must.Get(like.Observe1(3, 0, math.NaN(), 7, 1))(t)
		x, slope, want := []float64{0.3, -1.2, 0.7, 2.1, -0.4}, make([]float64, 5), 0.
		got := terms.LogLikSlope(x, obs, slope)
		for j, c := range obs {
			if _, general := like.Family.(expfam.General); general {
				want = want + c.Base + terms.LogLik(x[j], expfam.Term{Stat: c.Stat, Size: c.Size})
			} else {
				want += terms.LogLik(x[j], c)
			}
			must.Be(t, slope[j] == terms.Slope(x[j], c), "%v: slope %v in cell %d, %v alone", like, slope[j], j,
				terms.Slope(x[j], c))
		}
		must.Be(t, got == want, "%v: %v, %v in cells alone", like, got, want)
	}
}
