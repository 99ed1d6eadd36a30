package gmrf

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var prevalence = expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}

// examined is a draw of the prior and the positives of trials in every cell but each seventh.
func examined(t *testing.T, p Prior, trials float64, seed uint64) ([]float64, expfam.Observations) {
	t.Helper()
	x := must.Get(p.Draw(expfam.Stream(seed, "test/examined")))(t)
	theta, known := must.Get(prevalence.Theta(x))(t), make([]float64, len(x))
	for j := range known {
		if j%7 != 3 {
			known[j] = trials
		}
	}
	data := must.Get(prevalence.Simulate(theta, known, 1, seed))(t)
	obs := must.Get(prevalence.Observe(data))(t)
	return x, obs
}

// Against Hamiltonian Monte Carlo on the dense prior: the first Wasserstein distance of the marginals in standard
// deviations, of which 4000 draws are 0.02. At the mode instead of the mean it is 0.2 with 40 trials, 0.09 with 400.
func TestPrevalenceAgainstHMC(t *testing.T) {
	for _, tau := range []float64{0, 0.15} {
		for _, trials := range []float64{40, 400} {
			if (tau > 0) == (trials > 40) && !*fulltest.Full {
				continue // few trials with a nugget and many without are the two ends of a cell's weight
			}
			t.Run(fmt.Sprintf("nugget %g, %g trials", tau, trials), func(t *testing.T) {
				prior := Prior{Grid: grid.Grid{Rows: 6, Cols: 6}, Range: 4, SD: 0.25, Level: -0.2, LevelSD: 0.2,
					Nugget: tau}
				_, obs := examined(t, prior, trials, 3)
				g := must.Get(prior.Gaussian())(t)
				want := must.Get(hmc.Sample(g, prevalence, obs, hmc.Options{Seed: 1}))(t)
				n, _ := want.Dims()
				got := must.Get(Sample(prior, prevalence, obs, Options{Draws: n, Seed: 1}))(t)
				mean, worst := 0.0, 0.0
				for j, sd := range want.Latent().SD() {
					a, b := mat.Col(nil, j, got.X), mat.Col(nil, j, want.X)
					slices.Sort(a)
					slices.Sort(b)
					w := 0.0
					for k := range a {
						w += math.Abs(a[k]-b[k]) / float64(n) / sd
					}
					mean, worst = mean+w/36, math.Max(worst, w)
				}
				t.Logf("W1/sd: mean %.3f, worst of 36 cells %.3f", mean, worst)
				must.Be(t, mean <= 0.05 && worst <= 0.1,
					"W1/sd is %.3f on average and %.3f in the worst cell; want 0.05 and 0.1", mean, worst)
			})
		}
	}
}

// Fields of 20×20 cells with 343 of 60 trials: log τ is known to about √(1/(2·343)) = 0.04 from effects that are seen
// with noise of their own size, to some 0.1 then; Range is given, as it takes no part.
func TestNuggetIsFound(t *testing.T) {
	taus, seeds := []float64{0, 0.1}, fulltest.N(2, 4)
	if *fulltest.Full {
		taus = append(taus, 0.3)
	}
	for _, tau := range taus {
		truth := Prior{Grid: grid.Grid{Rows: 20, Cols: 20}, Range: 8, SD: 0.3, Level: -0.1, KnownLevel: true,
			Nugget: tau}
		var logs []float64
		gain := 0.0
		for seed := range uint64(seeds) {
			_, obs := examined(t, truth, 60, seed)
			open := Prior{Grid: truth.Grid, Range: 8, FitNugget: true}
			fit := must.Get(Fit(open, prevalence, obs))(t)
			logs = append(logs, math.Log(fit.Nugget()))
			open.FitNugget = false
			without := must.Get(Fit(open, prevalence, obs))(t)
			gain += (fit.LogEvidence - without.LogEvidence) / float64(seeds)
		}
		mean, sd := stat.MeanStdDev(logs, nil)
		t.Logf("τ = %g: %.3f, sd of log %.2f; log evidence %.1f above that without", tau, math.Exp(mean), sd, gain)
		switch {
		case tau == 0 && (math.Exp(mean) > 0.06 || math.Abs(gain) > 1):
			t.Errorf("without a nugget %g is found, and gains %g", math.Exp(mean), gain)
		case tau > 0 && (math.Abs(mean-math.Log(tau)) > 0.2 || gain < 3):
			t.Errorf("nugget %g instead of %g, a gain of %g", math.Exp(mean), tau, gain)
		}
	}
}

// Three hyperparameters are mixed over, and intervals of cells without data hold their nugget.
func TestNuggetIntegrate(t *testing.T) {
	prior := Prior{Grid: grid.Grid{Rows: 10, Cols: 10}, Range: 4, SD: 0.3, KnownLevel: true, Nugget: 0.3}
	_, obs := examined(t, prior, 60, 1)
	post := must.Get(Sample(Prior{Grid: prior.Grid, FitNugget: true}, prevalence, obs,
		Options{Draws: 400}))(t)
	d := post.Info.Diagnostics
	t.Logf("%v", d)
	must.Be(t, d["nodes"] >= 10, "%g nodes", d["nodes"])
	sd := post.Latent().SD()
	must.Be(t, sd[3] >= d["nugget"], "the sd of a cell without data is %g, and the nugget %g", sd[3], d["nugget"])
}
