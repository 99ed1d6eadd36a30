package expfam

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/internal/must"
)

func TestLogLikSlope(t *testing.T) {
	family := meanFamily{Natural{
		Eta: formula.MustParse("log(theta)"), Partition: formula.MustParse("theta"), High: math.Inf(1),
	}}
	obs := Observations{{Stat: 2, Size: 1, Base: -0.7}, {}, {Size: 3}, {Stat: 4}, {Base: 5}}
	x := []float64{0.3, 900, -1, 2, 0.1} // exp(900) overflows where there are no data
	for name, link := range map[string]Link{
		"formula":  MustLink("exp(1+x)"),
		"function": Must(TableLink("f", func(x float64) float64 { return math.Exp(1 + x) })),
	} {
		t.Run(name, func(t *testing.T) {
			terms := must.Get(Likelihood{Family: family, Link: link}.Terms())(t)
			slope := make([]float64, len(x))
			got, want := terms.LogLikSlope(x, obs, slope), 0.0
			for j, c := range obs {
				// η = 1+x and A = exp(1+x), by hand.
				if c.Size == 0 && c.Stat == 0 {
					want += c.Base
					closeTo(t, "slope without data", slope[j], 0, 0)
					continue
				}
				theta := math.Exp(1 + x[j])
				want += c.Base + c.Stat*(1+x[j]) - c.Size*theta
				closeTo(t, "slope", slope[j], c.Stat-c.Size*theta, 1e-12)
			}
			closeTo(t, "log-likelihood", got, want, 1e-12)
		})
	}
}

func TestInformationsAreThoseOfTheCells(t *testing.T) {
	x := []float64{-1, 0.3, 0.7}
	obs := Observations{{Stat: 2, Size: 3, Base: 1}, {}, {Size: 2}}
	for _, link := range []Link{ExpLink, Must(TableLink("exp", math.Exp))} {
		terms := must.Get(Likelihood{Family: Poisson{}, Link: link}.Terms())(t)
		got := make([]float64, 3)
		terms.Informations(x, obs, got)
		for j, c := range obs {
			// Size exp(x), to the rounding of a derivative by chain rule.
			want := c.Size * math.Exp(x[j])
			must.Be(t, math.Abs(got[j]-want) <= 1e-12, "%v, cell %d: information %g, want %g", link, j, got[j], want)
		}
	}
}
