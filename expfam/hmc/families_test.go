package hmc

import (
	"fmt"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Every family with its default link converges with the default options, on
// data that say little (one observation per cell) and much (50 of them).
func TestFamilies(t *testing.T) {
	prior := gp.RBF{Cells: 8, Length: 0.25}
	for i, family := range []expfam.Family{
		expfam.Bernoulli{}, expfam.Binomial{Trials: 30}, expfam.BetaBinomial{Trials: 30, Correlation: 0.1},
		expfam.Exponential{}, expfam.Gamma{Shape: 3},
		expfam.Geometric{}, expfam.LogNormal{}, expfam.LogNormalVariance{}, expfam.NegativeBinomial{Successes: 4},
		expfam.Normal{}, expfam.NormalVariance{}, expfam.Pareto{}, expfam.Poisson{}, expfam.Weibull{Shape: 2},
	} {
		for k, n := range []int{1, 50} {
			if (i+k)%2 == 1 && !*fulltest.Full {
				continue // half of the families with one observation a cell, half with fifty
			}
			t.Run(fmt.Sprintf("%s/n=%d", family, n), func(t *testing.T) {
				rng := expfam.Stream(1, "hmc/families")
				truth := make([]float64, prior.Dim())
				prior.Draw(rng, truth)
				link := family.DefaultLink()
				obs := make(expfam.Observations, len(truth))
				for j, x := range truth[:6] { // two cells are missing
					for range n {
						term := must.Get(family.Reduce(family.Rand(link.At(x), expfam.Known{}, rng), expfam.Known{}))(t)
						obs[j].Stat += term.Stat
						obs[j].Size += term.Size
						obs[j].Base += term.Base
					}
				}
				post := must.Get(Sample(prior, expfam.Likelihood{Family: family}, obs, Options{Seed: 1}))(t)
				d := post.Info.Diagnostics
				must.Be(t, d["ess_bulk"] >= 2000 && d["ess_tail"] >= 1000 && d["ebfmi"] >= 0.5, "diagnostics %v", d)
				// The range of 4000 draws misses the truth of a cell once in 2000
				// times, or twice where the draws are worth half as many.
				low, high := post.Latent().EqualTailed(1)
				for j, x := range truth {
					must.Be(t, x >= low[j] && x <= high[j], "cell %d: truth %v outside [%v, %v]", j, x, low[j], high[j])
				}
			})
		}
	}
}

func TestSampleAgainstClosedForm(t *testing.T) {
	prior := gp.RBF{}
	_, obs := readReference(t, "normal")
	for i, family := range []expfam.Family{expfam.LogNormal{}, expfam.Normal{}} {
		if i > 0 && !*fulltest.Full {
			break // logarithms are normal
		}
		t.Run(family.String(), func(t *testing.T) {
			like := expfam.Likelihood{Family: family, Link: expfam.MustLink("0.5+2*x")}
			post := must.Get(Sample(prior, like, obs, Options{Draws: 2500, Seed: 3}))(t)
			want := must.Get(gp.Exact(prior, like, obs))(t)
			d := must.Get(calibrate.Distances(want, nil, post))(t)[0]
			t.Log(d)
			// 10000 independent draws are 0.056/√20 = 0.0125 away, half as many
			// 0.018; correlated cells let the mean over them vary by a third.
			must.Be(t, d.W1 <= 0.025 && d.SlicedW1 <= 0.025 && d.FM <= 0.04, "distance %v", d)
			for name, ratio := range map[string]float64{"CI": d.CI, "fs": d.FS, "rough": d.Rough} {
				if ratio < 0.96 || ratio > 1.04 { // 4/√(2·5000)
					t.Errorf("%s is %v, want 1 ± 0.04", name, ratio)
				}
			}
		})
	}
}
