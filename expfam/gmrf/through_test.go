package gmrf

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// seen are data of a draw of the prior.
func seen(t *testing.T, p Prior, like expfam.Likelihood, seed uint64) ([]float64, expfam.Observations) {
	t.Helper()
	x := expfam.Must(p.Draw(expfam.Stream(seed, "test/seen")))
	data := expfam.Must(like.Simulate(expfam.Must(like.Theta(x)), nil, 1, seed))
	return x, expfam.Must(like.Observe(data))
}

// H = I is no operator, to rounding.
func TestIdentityIsNoOperator(t *testing.T) {
	prior := Prior{Grid: grid.Grid{Rows: 6, Cols: 4}, Range: 4, SD: 0.7, Level: 4, KnownLevel: true}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: &operator.Select{Cells: 24}}
	_, obs := seen(t, prior, like, 2)
	got := expfam.Must(Sample(prior, like, obs, Options{Draws: 3, Fresh: true}))
	like.Operator = nil
	want := expfam.Must(Sample(prior, like, obs, Options{Draws: 3, Fresh: true}))
	// The mode is known to 1e-4 of a standard deviation.
	must.Be(t, mat.EqualApprox(got.X, want.X, 1e-4), "draws differ")
	near(t, "log evidence", got.Info.Diagnostics["log_evidence"], want.Info.Diagnostics["log_evidence"], 1e-6)
}

// Counts of sums of intensities, against long chains; the range and the standard deviation
// are found as well as cells find them.
func TestSumsAgainstHMC(t *testing.T) {
	prior := Prior{Grid: grid.Grid{Rows: 6, Cols: 6}, Range: 4, SD: 0.7, Level: 2, LevelSD: 0.5}
	blur := &operator.Convolution{Rows: 6, Cols: 6, Kernel: operator.Gaussian{SD: 0.8}}
	like := expfam.Likelihood{Family: expfam.Poisson{},
		Operator: expfam.SumOf{Operator: operator.Offset{Of: blur, By: 2}}}
	_, obs := seen(t, prior, like, 3)
	want := expfam.Must(hmc.Sample(expfam.Must(prior.Gaussian()), like, obs, hmc.Options{Draws: 2000, Seed: 1}))
	fit := expfam.Must(Fit(prior, like, obs))
	mean, sd, variance := want.Latent().Mean(), want.Latent().SD(), fit.Variance()
	for j, m := range fit.Mean() {
		// 8000 draws of the chains are off by some 0.02, and one term of the expansion leaves as much.
		z := (m - mean[j]) / sd[j]
		must.Be(t, math.Abs(z) <= 0.09, "cell %d: the mean is off by %.3f standard deviations", j, z)
		near(t, fmt.Sprintf("cell %d: ratio of standard deviations", j), math.Sqrt(variance[j])/sd[j], 1, 0.12)
	}
	open := expfam.Must(Fit(Prior{Grid: prior.Grid, Level: 2, LevelSD: 0.5}, like, obs))
	must.Be(t, open.LogEvidence >= fit.LogEvidence && open.SD() >= 0.2 && open.SD() <= 3,
		"fitted range %g and sd %g have the evidence %g, the truth %g", open.Range(), open.SD(), open.LogEvidence,
		fit.LogEvidence)
}

func TestOperatorsAreRefused(t *testing.T) {
	g := grid.Grid{Rows: 3, Cols: 3}
	masked := grid.Grid{Rows: 3, Cols: 3, Outside: make([]bool, 9)}
	masked.Outside[4] = true
	blur := expfam.Likelihood{Family: expfam.Poisson{}, Operator: &operator.Convolution{Rows: 3, Cols: 3}}
	obs := slices.Repeat(expfam.Observations{{Stat: 1, Size: 1}}, 9)
	for _, c := range []struct {
		prior Prior
		obs   expfam.Observations
		o     Options
		want  string
	}{
		{Prior{Grid: grid.Grid{Rows: 3, Cols: 4}}, obs, Options{}, "looks at 9 cells, and the prior has 12"},
		{Prior{Grid: g}, obs[1:], Options{}, "8 observations of 9 data"},
		{Prior{Grid: g}, append(expfam.Observations{{}, {Stat: math.NaN()}}, obs[2:]...), Options{},
			"datum 1 has statistic NaN"},
		{Prior{Grid: masked}, obs, Options{}, "looks at cell 4, which lies outside of the domain"},
		{Prior{Grid: g}, obs, Options{Overdispersed: true}, "are for data of single cells"},
		{Prior{Grid: g}, obs, Options{Window: 2}, "are for data of single cells"},
	} {
		must.Refuse(Sample(c.prior, blur, c.obs, c.o))(t, c.want)
	}
}
