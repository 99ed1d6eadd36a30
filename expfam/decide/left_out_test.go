package decide_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/internal/densetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// pair is a posterior of two correlated cells with data of each, on a grid of both.
type pair struct {
	x       []float64 // of each cell
	weights []float64 // (cell 0, cell 1), sum 1
}

// newPair has the prior N(0, [[1, .7], [.7, 1]]) and binomial data, of which one may be left out (−1: none).
func newPair(t testing.TB, like expfam.Likelihood, obs expfam.Observations, out int) pair {
	const n, rho = 241, 0.7
	p := pair{x: make([]float64, n), weights: make([]float64, n*n)}
	terms := must.Get(like.Terms())(t)
	var logs [2][n]float64
	for i := range n {
		p.x[i] = -6 + 12*float64(i)/(n-1)
		for c := range 2 {
			if c != out {
				logs[c][i] = terms.LogLik(p.x[i], obs[c])
			}
		}
	}
	most := math.Inf(-1)
	for i, a := range p.x {
		for j, b := range p.x {
			l := logs[0][i] + logs[1][j] - (a*a-2*rho*a*b+b*b)/(2*(1-rho*rho))
			p.weights[i*n+j] = l
			most = max(most, l)
		}
	}
	sum := 0.0
	for k, l := range p.weights {
		p.weights[k] = math.Exp(l - most)
		sum += p.weights[k]
	}
	for k := range p.weights {
		p.weights[k] /= sum
	}
	return p
}

// mean is E[f] by summing over the grid.
func (p pair) mean(like expfam.Likelihood, f func([]float64) float64) (sum float64) {
	n := len(p.x)
	theta := make([]float64, 2)
	for k, w := range p.weights {
		if w > 1e-12 {
			theta[0], theta[1] = like.Link.At(p.x[k/n]), like.Link.At(p.x[k%n])
			sum += w * f(theta)
		}
	}
	return sum
}

// sample draws from the grid, evenly within its squares.
func (p pair) sample(like expfam.Likelihood, draws int, rng *rand.Rand) *expfam.Posterior {
	n, x, k, cumulative := len(p.x), mat.NewDense(draws, 2, nil), 0, 0.0
	order := rng.Perm(draws)
	step := p.x[1] - p.x[0]
	for i := range draws { // stratified
		u := (float64(i) + rng.Float64()) / float64(draws)
		for k < n*n-1 && cumulative+p.weights[k] < u {
			cumulative += p.weights[k]
			k++
		}
		x.Set(order[i], 0, p.x[k/n]+step*(rng.Float64()-0.5))
		x.Set(order[i], 1, p.x[k%n]+step*(rng.Float64()-0.5))
	}
	return &expfam.Posterior{X: x, Likelihood: like}
}

// What Without says of leaving data out, of which each determines its cell, is what sums over a grid say: slope 1, for
// counts whose logarithm and whose logit have the field, and a function that is not linear in it.
func TestWithoutAgainstSums(t *testing.T) {
	mean := func(theta []float64) float64 { return (theta[0] + 2*theta[1]) / 3 }
	for name, c := range map[string]struct {
		like  expfam.Likelihood
		known float64
	}{
		"binomial": {expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(x-1.2)")}, 40},
		"poisson":  {expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, 6},
	} {
		var told, exact []float64
		moved := 0
		for k := range uint64(fulltest.N(12, 60)) {
			rng := expfam.Stream(k, "pairs/"+name)
			a := rng.NormFloat64()
			truth := []float64{a, 0.7*a + math.Sqrt(1-0.49)*rng.NormFloat64()}
			obs := make(expfam.Observations, 2)
			for j, x := range truth {
				known := expfam.Given(c.known)
				obs[j] = must.Get(c.like.Family.Reduce(c.like.Family.Rand(c.like.Link.At(x), known, rng), known))(t)
			}
			whole := newPair(t, c.like, obs, -1)
			post := whole.sample(c.like, 1000, rng)
			in := must.Get(decide.Influence{}.Of(post, obs, mean))(t)
			for i := range 2 {
				told = append(told, in.Without[i])
				exact = append(exact, newPair(t, c.like, obs, i).mean(c.like, mean)-whole.mean(c.like, mean))
				if in.K[i] > 0.5 {
					moved++
				}
			}
		}
		_, slope := stat.LinearRegression(told, exact, nil, true)
		r, worst := stat.Correlation(told, exact, nil), 0.0
		largest := 0.0
		for i := range told {
			worst, largest = max(worst, math.Abs(told[i]-exact[i])), max(largest, math.Abs(exact[i]))
		}
		t.Logf("%s: %d data, %d of them moved: slope %.3f, correlation %.4f, largest change %.3f, largest error %.3f",
			name,
			len(told), moved, slope, r, largest, worst)
		must.Be(t, moved > len(told)/4, "%s: only %d of %d data are beyond the weights", name, moved, len(told))
		// A normal cavity is not exact, and 1000 draws have an error of √(2/1000) of a variance.
		must.Be(t, slope > 0.9 && slope < 1.1 && r > 0.97, "%s: slope %.3f, correlation %.3f", name, slope, r)
	}
}

// What Without says of surveys that each determine their cell is what fits without them say, within its standard error;
// with Refit, where that error is large, the slope of the fits on it is 1. Fits have the seed of the whole, so that
// their differences have a hundredth of the noise of 500 draws.
func TestWithoutAgainstRefits(t *testing.T) {
	const rows, cols, draws, surveys, people = 8, 8, 500, 10, 40
	prior := densetest.New(t, densetest.Field{Rows: rows, Cols: cols, SD: 1, Length: 2})
	like := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(x-1.2)")}
	var alone, mended, left []float64
	within, refits, largest := 0, 0, 0.0
	for m := range uint64(fulltest.N(6, 60)) {
		rng := expfam.Stream(m, "refits")
		x, obs := make([]float64, rows*cols), make(expfam.Observations, rows*cols)
		prior.Draw(rng, x)
		for _, j := range rng.Perm(len(x))[:surveys] {
			known := expfam.Given(people)
			obs[j] = must.Get(like.Family.Reduce(like.Family.Rand(like.Link.At(x[j]), known, rng), known))(t)
		}
		fits := map[int]*expfam.Posterior{} // by the datum that is left out, shared by all quarters
		fit := func(_ context.Context, _ expfam.Likelihood, some expfam.Observations) (*expfam.Posterior, error) {
			which := -1
			for j := range obs {
				if some[j] != obs[j] {
					which = j
				}
			}
			if fits[which] == nil {
				fits[which] = prior.Sample(t, like, some, draws, m)
			}
			return fits[which], nil
		}
		post := must.Get(fit(t.Context(), like, obs))(t)
		for quarter := range 4 {
			f := func(theta []float64) float64 { return stat.Mean(theta[16*quarter:16*(quarter+1)], nil) }
			one := must.Get(decide.Influence{}.Of(post, obs, f))(t)
			two := must.Get(decide.Influence{Refit: fit}.Of(post, obs, f))(t)
			must.Be(t, len(one.Refitted) == 0, "%d fits without Refit", len(one.Refitted))
			refits += len(two.Refitted)
			for c, j := range one.Data {
				change := stat.Mean(must.Get(fit(t.Context(), like, without(obs, j)))(t).Functional(f), nil) - one.Mean
				alone, mended = append(alone, one.Without[c]), append(mended, two.Without[c])
				left = append(left, change)
				if math.Abs(one.Without[c]-change) <= 2*one.SE[c] {
					within++
				}
				largest = max(largest, math.Abs(two.Without[c]-change)/two.SD)
				must.Be(t, two.SE[c] <= 0.1*two.SD || math.Abs(two.Without[c]-change) < 1e-12,
					"map %d, datum %d: no fit where the standard error is %.2f SD", m, j, two.SE[c]/two.SD)
			}
		}
	}
	n := len(left)
	_, raw := stat.LinearRegression(alone, left, nil, false)
	r := stat.Correlation(mended, left, nil)
	_, slope := stat.LinearRegression(mended, left, nil, false)
	// The four changes of a datum have one noise, so that there are n/4 independent ones.
	se := slope * math.Sqrt((1/(r*r)-1)/(float64(n)/4-2))
	t.Logf("%d changes: slope %.3f by the draws, of which %d are within 2 SE; %.3f ± %.3f with %d fits, correlation "+
		"%.4f, largest error %.2f SD", n, raw, within, slope, se, refits, r, largest)
	must.Be(t, math.Abs(slope-1) <= 2*se+0.005, "slope %.3f ± %.3f", slope, se)
	// Of normal errors .954 are within 2 SE; the bound is three standard errors of a share of n/4 below.
	least := 0.954 - 3*math.Sqrt(0.954*0.046/(float64(n)/4))
	must.Be(t, float64(within) >= least*float64(n), "%d of %d changes within two standard errors", within, n)
}

func TestRefitFails(t *testing.T) {
	prior := densetest.New(t, densetest.Field{Rows: 4, Cols: 4, SD: 1, Length: 1})
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	obs := make(expfam.Observations, 16)
	obs[5] = expfam.Term{Stat: 30, Size: 60}
	post := prior.Sample(t, like, obs, 100, 1)
	fails := func(context.Context, expfam.Likelihood, expfam.Observations) (*expfam.Posterior, error) {
		return nil, expfam.ErrInterrupted
	}
	f := func(theta []float64) float64 { return theta[5] }
	must.Refuse(decide.Influence{Refit: fails}.Of(post, obs, f))(t, "without datum 5")
	must.Refuse(decide.Influence{Tolerance: -1}.Of(post, obs, f))(t, "tolerance -1")
}
