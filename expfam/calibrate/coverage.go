package calibrate

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// Coverage measures how often equal-tailed intervals hold what they should.
// Its methods give a number in [0, 1] for every cell, whose mean is the
// coverage: 0 or 1, but at the ends of intervals between draws, and for counts
// that are an end, where it is the probability of [Rank.Inside]. So coverage is
// exact for any number of draws and for discrete data.
//
// Three things are called coverage, and differ:
//
//   - Latent: the true θ in the interval of θ. It is the level if the posterior
//     is calibrated; only simulations know the truth.
//   - Predictive: the data in the interval of replicated data. It is the level
//     if the posterior is calibrated, and needs no truth; on few trials it says
//     little about θ, since most of the spread is that of the data.
//   - Paper: the empirical rate y/n in the interval of θ. The rate scatters
//     around θ with its own variance (θ(1−θ)/n of a proportion, θ/e of a rate
//     per exposure e), which the interval of θ leaves out. On data that the
//     posterior has not seen it is below the level even for the exact
//     posterior, the more so the fewer the trials and the narrower the
//     posterior: a method with too wide intervals does better. It measures
//     calibration only as n grows without end. On data that the posterior has
//     seen, the interval was moved towards y/n, and may hold it more often.
type Coverage struct {
	Level float64 // default 0.95
	// Cells are those to look at. Default: all of a truth, those with data of
	// observations.
	Cells []int
	Seed  uint64 // of replicated data
}

func (c Coverage) level() float64 {
	if c.Level == 0 {
		return 0.95
	}
	return c.Level
}

// Latent is the coverage of a truth by draws of the same: θ by a posterior, x₀
// by its Latent, a functional by its draws ([Map]).
func (c Coverage) Latent(d Draws, truth []float64) (Scores, error) {
	n, _ := d.Dims()
	if err := levelFor(c.level(), n); err != nil {
		return nil, err
	}
	ranks, err := Ranks(d, truth, c.Cells)
	if err != nil {
		return nil, err
	}
	out := make(Scores, len(ranks))
	for k, r := range ranks {
		out[k] = r.Inside(c.level())
	}
	return out, nil
}

// Predictive is the coverage of data by replicated data.
func (c Coverage) Predictive(post *expfam.Posterior, obs expfam.Observations) (Scores, error) {
	y, stats, err := Replicate(post, obs, c.Cells, c.Seed)
	if err != nil {
		return nil, err
	}
	c.Cells = nil
	return c.Latent(y, stats)
}

// Paper is the paper's coverage, of the empirical rate by the interval of θ, for
// families whose θ is the mean of the rate: Normal, log-normal, Poisson,
// Bernoulli, binomial. See [Coverage] before use.
func (c Coverage) Paper(post *expfam.Posterior, obs expfam.Observations) (Scores, error) {
	cells, err := withData("coverage of rates", post, obs, c.Cells)
	if err != nil {
		return nil, err
	}
	rates, err := Rates(post.Likelihood.Family, obs)
	if err != nil {
		return nil, err
	}
	c.Cells = cells
	return c.Latent(post, rates)
}

// Coverages are the three kinds of [Coverage] of one posterior.
type Coverages struct {
	Level                     float64
	Latent, Paper, Predictive Estimate // N = 0 where it could not be had
}

func (c Coverages) String() string {
	return fmt.Sprintf("%g%% intervals: latent %v, predictive %v, rate in the interval of θ %v", 100*c.Level, c.Latent, c.Predictive, c.Paper)
}

// Compare has the three side by side. The truth may be nil.
func (c Coverage) Compare(post *expfam.Posterior, obs expfam.Observations, truth []float64) (Coverages, error) {
	out := Coverages{Level: c.level()}
	cells, err := withData("coverage", post, obs, c.Cells)
	if err != nil {
		return out, err
	}
	c.Cells = cells
	if truth != nil {
		s, err := c.Latent(post, truth)
		if err != nil {
			return out, err
		}
		out.Latent = s.Mean()
	}
	predictive, err := c.Predictive(post, obs)
	if err != nil {
		return out, err
	}
	out.Predictive = predictive.Mean()
	if s, err := c.Paper(post, obs); err == nil { // only some families have it
		out.Paper = s.Mean()
	}
	return out, nil
}

// Rates are the empirical estimates of θ: the statistic over the size, y/e of a
// Poisson count with exposure e, y/n of a binomial one; 0 in a missing cell. It
// is an error for a family whose maximum-likelihood estimate is another.
func Rates(family expfam.Family, obs expfam.Observations) ([]float64, error) {
	// The estimate solves Stat η' = Size A': it is Stat/Size if A' = θ η'.
	natural := family.Natural()
	eta, part := natural.Eta.Derivative(), natural.Partition.Derivative()
	for _, theta := range []float64{0.3, 0.7} {
		if want := theta * eta.Eval(theta); !(math.Abs(part.Eval(theta)-want) <= 1e-12*(1+math.Abs(want))) {
			return nil, fmt.Errorf("calibrate: rates: θ of %v is not the mean of an empirical rate; look at latent and predictive coverage", family)
		}
	}
	rates := make([]float64, len(obs))
	for j, t := range obs {
		if t.Size != 0 {
			rates[j] = t.Stat / t.Size
		}
	}
	return rates, nil
}
