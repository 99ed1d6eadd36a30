package calibrate

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// Coverage measures how often equal-tailed intervals hold the truth or the data. Its methods give a number in [0, 1]
// for every cell; the mean of these numbers is the coverage. The number is 0 or 1, except where a value ties with the
// end of an interval or the end lies between two draws; there it is the probability [Rank.Inside]. The coverage is
// therefore exact for any number of draws and for discrete data.
//
// Three things are called coverage, and differ:
//
//   - Latent: the true θ is in the interval of θ. The coverage equals the level if the
//     posterior is calibrated. The truth is only known in simulations.
//   - Predictive: the data are in the interval of replicated data. The coverage equals
//     the level if the posterior is calibrated, and no truth is needed. With few trials
//     it says little about θ, because most of the spread comes from the data.
//   - Paper: the empirical rate y/n is in the interval of θ. The rate scatters around θ
//     with its own variance (θ(1−θ)/n for a proportion, θ/e for a rate per exposure e),
//     which the interval of θ does not include. On held-out data the coverage is below
//     the level even for the exact posterior; the fewer the trials and the narrower the
//     posterior, the lower it is. A method whose intervals are too wide therefore looks
//     better. Paper measures calibration only in the limit of large n. On data that the
//     posterior has seen, the interval was moved towards y/n, and may hold it more often.
type Coverage struct {
	Level float64 // default 0.95
	// Cells are the cells to score. Default: all cells for a truth, and the cells with data for observations.
	Cells []int
	Seed  uint64 // of replicated data
}

// Latent returns the coverage of a truth by draws of the same quantity. Draws of θ are a
// posterior, draws of x₀ are its Latent, and draws of a functional are made by [Map].
func (c Coverage) Latent(d Draws, truth []float64) (Scores, error) {
	n, _ := d.Dims()
	c.Level = cmp.Or(c.Level, 0.95)
	if err := levelFor(c.Level, n); err != nil {
		return nil, err
	}
	ranks, err := Ranks(d, truth, c.Cells)
	if err != nil {
		return nil, err
	}
	out := make(Scores, len(ranks))
	for k, r := range ranks {
		out[k] = r.Inside(c.Level)
	}
	return out, nil
}

// Predictive returns the coverage of data by replicated data.
func (c Coverage) Predictive(post *expfam.Posterior, obs expfam.Observations) (Scores, error) {
	y, stats, err := Replicate(post, obs, c.Cells, c.Seed)
	if err != nil {
		return nil, err
	}
	c.Cells = nil
	return c.Latent(y, stats)
}

// Paper returns the coverage of the paper: how often the interval of θ holds the empirical rate.
// It serves families whose θ is the mean of the rate: Normal, log-normal, Poisson, Bernoulli and
// binomial. Read [Coverage] before you use it.
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
	Latent, Paper, Predictive Estimate // N = 0 for a coverage that could not be computed
}

func (c Coverages) String() string {
	return fmt.Sprintf("%g%% intervals: latent %v, predictive %v, rate in the interval of θ %v", 100*c.Level, c.Latent,
		c.Predictive, c.Paper)
}

// Compare computes all three kinds of coverage. If the truth is nil, it leaves out Latent.
func (c Coverage) Compare(post *expfam.Posterior, obs expfam.Observations, truth []float64) (Coverages, error) {
	out := Coverages{Level: cmp.Or(c.Level, 0.95)}
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
	if s, err := c.Paper(post, obs); err == nil { // only some families have such a rate
		out.Paper = s.Mean()
	}
	return out, nil
}

// Rates returns the empirical estimate of θ in every cell: the statistic divided by the size. It
// is y/e for a Poisson count with exposure e, and y/n for a binomial count. It is 0 in a missing
// cell. It is an error for a family whose maximum-likelihood estimate is not this ratio.
func Rates(family expfam.Family, obs expfam.Observations) ([]float64, error) {
	// The maximum-likelihood estimate solves Stat η' = Size A'. It is Stat/Size if A' = θ η'.
	natural := family.Natural()
	eta, part := natural.Eta.Derivative(), natural.Partition.Derivative()
	for _, theta := range []float64{0.3, 0.7} {
		if want := theta * eta.Eval(theta); !(math.Abs(part.Eval(theta)-want) <= 1e-12*(1+math.Abs(want))) {
			return nil, fmt.Errorf("calibrate: rates: θ of %v is not the mean of an empirical rate; look at latent "+
				"and predictive coverage", family)
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
