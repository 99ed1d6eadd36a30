package decide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// betas are districts whose prevalences are independent with Beta posteriors, so that what a survey is worth is a sum
// over its outcomes.
type betas struct {
	a, b    []float64
	problem decide.Problem
}

// newBetas simulates a campaign of 5 to 60 people in each district.
func newBetas(districts int, budget float64, rng *rand.Rand) betas {
	c := betas{problem: decide.Problem{Loss: decide.Threshold{At: 0.25, Missed: 3, False: 1}}}
	for range districts {
		theta := distuv.Beta{Alpha: 1.5, Beta: 3.5, Src: rng}.Rand()
		n := float64(5 + rng.IntN(56))
		y := distuv.Binomial{N: n, P: theta, Src: rng}.Rand()
		c.a, c.b = append(c.a, 1.5+y), append(c.b, 3.5+n-y)
		c.problem.People = append(c.problem.People, 200+1800*rng.Float64())
	}
	if budget > 0 {
		c.problem.Costs, c.problem.Budget = c.problem.People, budget*floats.Sum(c.problem.People)
	}
	return c
}

// draws are draws of the posterior.
func (c betas) draws(n int, rng *rand.Rand) *expfam.Posterior {
	x := mat.NewDense(n, len(c.a), nil)
	for d := range c.a {
		for i := range n {
			p := distuv.Beta{Alpha: c.a[d], Beta: c.b[d], Src: rng}.Rand()
			x.Set(i, d, math.Log(p/(1-p)))
		}
	}
	return &expfam.Posterior{X: x, Likelihood: expfam.Likelihood{Family: expfam.Binomial{}}}
}

// save is the expected loss that acting in district d saves a person, for a Beta(a, b).
func (c betas) save(d int, a, b float64) float64 {
	above := 1 - distuv.Beta{Alpha: a, Beta: b}.CDF(0.25)
	return c.problem.People[d] * (3*above - (1 - above))
}

// best is what the best set of districts saves, by trying all sets.
func (c betas) best(save []float64) float64 {
	most := 0.0
	for set := range 1 << len(save) {
		sum, cost := 0.0, 0.0
		for d, s := range save {
			if set>>d&1 == 1 {
				sum += s
				if c.problem.Costs != nil {
					cost += c.problem.Costs[d]
				}
			}
		}
		if c.problem.Budget == 0 || cost <= c.problem.Budget {
			most = max(most, sum)
		}
	}
	return most
}

// worth is the expected value of a survey of n people in district j: the sum over its outcomes, which are
// beta-binomial, of what the best set then saves, less what the best set saves without it.
func (c betas) worth(j, n int) float64 {
	save := make([]float64, len(c.a))
	for d := range save {
		save[d] = c.save(d, c.a[d], c.b[d])
	}
	now, then := c.best(save), 0.0
	lbeta := func(a, b float64) float64 {
		x, _ := math.Lgamma(a)
		y, _ := math.Lgamma(b)
		z, _ := math.Lgamma(a + b)
		return x + y - z
	}
	for y := range n + 1 {
		after := slices.Clone(save)
		after[j] = c.save(j, c.a[j]+float64(y), c.b[j]+float64(n-y))
		p := math.Exp(lbeta(c.a[j]+float64(y), c.b[j]+float64(n-y)) - lbeta(c.a[j], c.b[j]) - lbeta(float64(y+1),
			float64(n-y+1)) - math.Log(float64(n+1)))
		then += p * c.best(after)
	}
	return then - now
}

// On campaigns of which the value of every survey is known by summing over its outcomes, estimated gains are within
// their noise of it, on average without bias, never above the value of perfect information, and larger for larger
// surveys. With a budget, by which districts depend on each other, and without.
func TestGainsAgainstSums(t *testing.T) {
	campaigns, draws := fulltest.N(12, 100), fulltest.N(800, 1500)
	for _, budget := range []float64{0, 0.5} {
		within, all, negative := 0, 0, 0
		var bias, scaled, worths, covered, centre []float64
		smaller := 0.0
		for k := range uint64(campaigns) {
			rng := expfam.Stream(k, fmt.Sprintf("betas/%g", budget))
			c := newBetas(6, budget, rng)
			post := c.draws(draws, rng)
			s := decide.Survey{Size: 30, Value: decide.LossOf{Problem: c.problem}, Seed: k}
			g := must.Get(s.Gains(post))(t)
			s.Size = 120
			large := must.Get(s.Gains(post))(t)
			before := within
			for j := range c.a {
				want := c.worth(j, 30)
				off := g.Gain[j] - want
				se := g.SE[j]
				bias, scaled, worths = append(bias, off), append(scaled, off/se), append(worths, want)
				if all++; math.Abs(off) <= 2*se {
					within++
				}
				if g.Gain[j] < -2*g.SE[j] {
					negative++
				}
				must.Be(t, g.Gain[j] <= g.Perfect && large.Gain[j] <= large.Perfect,
					"campaign %d, district %d: gains %g "+
						"and %g of perfect information %g", k, j, g.Gain[j], large.Gain[j], g.Perfect)
				smaller = max(smaller, (g.Gain[j]-large.Gain[j])/math.Hypot(g.SE[j], large.SE[j]))
			}
			covered = append(covered, float64(within-before)/float64(len(c.a)))
			centre = append(centre, stat.Mean(scaled[len(scaled)-len(c.a):], nil))
		}
		mean, sd := stat.MeanStdDev(bias, nil)
		se := sd / math.Sqrt(float64(all))
		// Of normal errors 95.45% are within two standard errors. The gains of a campaign share its draws, so the test
		// of this share takes campaigns as independent, and the exact one, by the binomial distribution, all gains.
		const nominal = 0.9545
		share, spread := stat.MeanStdDev(covered, nil)
		z := (share - nominal) / (spread / math.Sqrt(float64(campaigns)))
		exact := distuv.Binomial{N: float64(all), P: nominal}.CDF(float64(within))
		unit := stat.StdDev(scaled, nil)
		middle, apart := stat.MeanStdDev(centre, nil)
		apart /= math.Sqrt(float64(campaigns))
		t.Logf("budget %g: %d of %d gains within 2 SE, %.1f standard errors from 95.45%% and as few with probability "+
			"%.2f; bias %.2f ± %.2f of a mean worth of %.1f; %d below −2 SE; a larger survey is worth less by %.1f SE "+
			"at most; errors in SE have mean %.2f ± %.2f and standard deviation %.2f", budget, within, all, z, exact,
			mean, se, stat.Mean(worths, nil), negative, smaller, middle, apart, unit)
		// Errors in standard errors have a standard deviation of at most 1: the standard error counts a world that was
		// not simulated as well, which makes it wider where gains are rare. Their mean is a little below 0 without a
		// bias, because a gain that is too small has a small standard error.
		must.Be(t, math.Abs(middle) <= 3*apart+.1, "budget %g: errors have mean %.2f ± %.2f SE", budget, middle, apart)
		must.Be(t, unit <= 1+3/math.Sqrt(2*float64(all)), "budget %g: errors have standard deviation %.2f SE", budget,
			unit)
		must.Be(t, z >= -3, "budget %g: %d of %d gains within two standard errors, z %.1f", budget, within, all, z)
		must.Be(t, math.Abs(mean) <= 3*se+0.02*stat.Mean(worths, nil), "budget %g: bias %.2f ± %.2f of %.1f", budget,
			mean,
			se, stat.Mean(worths, nil))
		must.Be(t, float64(negative) <= 0.023*float64(all)+3*math.Sqrt(0.023*float64(all))+1,
			"budget %g: %d of %d gains "+
				"are below −2 SE", budget, negative, all)
		must.Be(t, smaller <= 4, "budget %g: a survey of 120 is worth less than one of 30 by %.1f SE", budget, smaller)
	}
}
