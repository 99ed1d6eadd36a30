package decide_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
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
