package decide

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// leftOut returns E[f | y without datum i] − E[f | y] for every datum, where logs has the logarithms of the weights of
// leave-one-out, k their Pareto shapes, and values those of f at the draws less their mean. The datum depends on the
// field through η_i alone. With the regression f = b η_i + r over the draws,
//
//	E₋ᵢ[f] − E[f] = b (E₋ᵢ[η_i] − E[η_i]) + E₋ᵢ[r].
//
// The last term is 0 if E[f | η_i] is linear, as for Gaussian posteriors. A weighted sum of r over few draws is then
// noise of variance s² = Var(r) (Σ wₛ² − 1/S). The term is therefore shrunk by James & Stein's factor
// max(0, 1 − s²/E₋ᵢ[r]²), and b by the factor of the adjusted R².
//
// Where k is above ½ the weights have no variance, and few draws lie where η_i is without the datum. The draws are then
// moved there; see [moved].
func leftOut(post *expfam.Posterior, obs expfam.Observations, logs *mat.Dense, k, values []float64,
	f func([]float64) float64) ([]float64, error) {
	seen, err := post.Seen()
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	draws, n := logs.Dims()
	out := make([]float64, 0, n)
	w, r := make([]float64, draws), make([]float64, draws)
	first := 0
	for _, p := range seen {
		terms, err := p.Likelihood.Terms()
		if err != nil {
			return nil, fmt.Errorf("decide: influence: %w", err)
		}
		_, data := p.Dims()
		for _, j := range calibrate.Observed(obs[first : first+data]) {
			eta := mat.Col(nil, j, p.X)
			mean, variance := stat.MeanVariance(eta, nil)
			if k[len(out)] > 0.5 && variance > 0 {
				own := cavity(terms, mean, variance, obs[first+j])
				out = append(out, stat.Mean(moved(post, eta, own).Functional(f), nil)-stat.Mean(post.Functional(f),
					nil))
				continue
			}
			floats.AddConst(-mean, eta)
			slope := 0.0
			if variance > 0 {
				slope = floats.Dot(eta, values) / (variance * float64(draws-1))
			}
			slope *= certain(slope*slope*variance, floats.Dot(values, values)/float64(draws-1), draws)
			copy(r, values)
			floats.AddScaled(r, -slope, eta)
			for i := range w {
				w[i] = math.Exp(logs.At(i, len(out)))
			}
			rest := floats.Dot(w, r)
			noise := floats.Dot(r, r) / float64(draws-1) * (floats.Dot(w, w) - 1/float64(draws))
			if rest != 0 {
				rest *= max(0, 1-noise/(rest*rest))
			}
			out = append(out, slope*floats.Dot(w, eta)+rest)
		}
		first += data
	}
	return out, nil
}

// certain returns max(0, 1 − (1−R²)/((S−2) R²)) for a regression that explains so much of a variance: the factor that
// takes from a slope what S draws have by chance.
func certain(explained, variance float64, draws int) float64 {
	if !(explained > 0) {
		return 0
	}
	return max(0, 1-(variance-explained)/(float64(draws-2)*explained))
}

// normal is a normal distribution.
type normal struct{ mean, variance float64 }

// cavity returns the normal distribution of η without a datum: the one that, times the likelihood of the datum, has the
// mean and the variance of the posterior of η. It is found by the iteration of expectation propagation (Minka 2001)
// for one site.
func cavity(terms *expfam.Terms, mean, variance float64, datum expfam.Term) normal {
	const nodes, widest, steps = 41, 5.0, 60
	var precision, shift float64 // of the site of the datum
	own := normal{mean, variance}
	for step := range steps {
		// The variance of S draws is uncertain by √(2/S): a datum that seems to be all of the precision is not.
		left := max(1/variance-precision, 0.05/variance)
		own = normal{(mean/variance - shift) / left, 1 / left}
		var x, logs [nodes]float64
		most := math.Inf(-1)
		for i := range x {
			z := -widest + 2*widest*float64(i)/(nodes-1)
			x[i] = own.mean + math.Sqrt(own.variance)*z
			logs[i] = terms.LogLik(x[i], datum) - z*z/2
			most = max(most, logs[i])
		}
		var sum, m1, m2 float64
		for i, l := range logs {
			w := math.Exp(l - most)
			sum, m1 = sum+w, m1+w*x[i]
		}
		m1 /= sum
		for i, l := range logs {
			m2 += math.Exp(l-most) / sum * (x[i] - m1) * (x[i] - m1)
		}
		if !(m2 > 0) {
			break // a likelihood that is narrower than the nodes
		}
		damping := 0.7
		if step > steps/2 {
			damping = 0.3
		}
		precision += damping * (1/m2 - left - precision)
		shift += damping * (m1/m2 - own.mean*left - shift)
	}
	return own
}

// moved returns the draws as they are without a datum: η_i gets the mean and the variance of its cavity, and each cell
// follows by its regression on η_i. For Gaussian posteriors this is exact, and for any function of the field.
func moved(post *expfam.Posterior, eta []float64, to normal) *expfam.Posterior {
	draws, cells := post.X.Dims()
	mean, variance := stat.MeanVariance(eta, nil)
	x := mat.DenseCopyOf(post.X)
	shift := make([]float64, draws)
	for i, v := range eta {
		shift[i] = to.mean + math.Sqrt(to.variance/variance)*(v-mean) - v
	}
	for c := range cells {
		own := mat.Col(nil, c, post.X)
		slope := stat.Covariance(eta, own, nil) / variance
		slope *= certain(slope*slope*variance, stat.Variance(own, nil), draws)
		if slope == 0 {
			continue
		}
		for i, by := range shift {
			x.Set(i, c, x.At(i, c)+slope*by)
		}
	}
	return &expfam.Posterior{X: x, Likelihood: post.Likelihood}
}
