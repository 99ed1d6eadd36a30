package gmrf

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// The draws that take transitions agree with the posterior, hyperparameters included; the same draws made wrong do not.
func TestCertificate(t *testing.T) {
	g := grid.Grid{Rows: 7, Cols: 9}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	truth := expfam.Must(Prior{Grid: g, Range: 4, SD: 0.8, Level: 0.3, KnownLevel: true}.
		Draw(expfam.Stream(1, "certificate")))
	obs, rng := make(expfam.Observations, g.Len()), expfam.Stream(2, "certificate")
	for j, x := range truth {
		if j%3 > 0 {
			obs[j] = expfam.Term{Stat: distuv.Poisson{Lambda: math.Exp(x), Src: rng}.Rand(), Size: 1}
		}
	}
	for name, c := range map[string]struct {
		prior   Prior
		options Options
	}{
		"known":      {prior: Prior{Grid: g, Range: 4, SD: 0.8, Nugget: 0.3}},
		"integrated": {prior: Prior{Grid: g}},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Draws, c.options.Fresh, c.options.Seed = 300, true, 3
			post := expfam.Must(Sample(c.prior, like, obs, c.options))
			got := post.Info.Certificate
			must.Need(t, got != nil, "no certificate")
			t.Log(got, post.Info.Diagnostics)
			must.Be(t, got.Verdict() != "wrong" && got.Location <= 2*got.Floor, "%v", got)
		})
	}
}
