package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// largeShare is the share of a datum in the precision of its cell above which draws are moved: from ½ on the weights of
// leave-one-out have no variance, and the largest of few weights are too small from ⅓ on.
const largeShare = 1.0 / 3

// leaveOut finds Without and SE of every datum, where logs has the logarithms of the weights of leave-one-out, and
// values those of f at the draws less their mean. Where few draws lie where the field is without the datum, the draws
// are moved there. For Gaussian posteriors the Pareto shape K is the share of the datum in the precision of η_i; the
// shape is noisy, and either may be too small by chance.
func (r *Influences) leaveOut(post *expfam.Posterior, obs expfam.Observations, logs *mat.Dense, values []float64,
	f func([]float64) float64) error {
	seen, err := post.Seen()
	if err != nil {
		return fmt.Errorf("decide: influence: %w", err)
	}
	draws, _ := logs.Dims()
	w := make([]float64, draws)
	first := 0
	for _, p := range seen {
		terms, err := p.Likelihood.Terms()
		if err != nil {
			return fmt.Errorf("decide: influence: %w", err)
		}
		_, data := p.Dims()
		for _, j := range calibrate.Observed(obs[first : first+data]) {
			eta := mat.Col(nil, j, p.X)
			on := regress(eta, values)
			c := len(r.Without)
			var change, se float64
			if on.variance > 0 && max(r.K[c], on.share(terms, obs[first+j])) > largeShare {
				change, se = on.byMoving(post, eta, terms, obs[first+j], r.Mean, f)
			} else {
				for i := range w {
					w[i] = math.Exp(logs.At(i, c))
				}
				change, se = on.byWeights(eta, values, w)
			}
			r.Without, r.SE = append(r.Without, change), append(r.SE, se)
		}
		first += data
	}
	return nil
}

// refit replaces Without by the results of fits without a datum, where the standard error is too large.
func (r *Influences) refit(ctx context.Context, o Influence, like expfam.Likelihood, obs expfam.Observations,
	f func([]float64) float64) error {
	for c, j := range r.Data {
		if r.SE[c] <= o.Tolerance*r.SD {
			continue
		}
		without := slices.Clone(obs)
		without[j] = expfam.Term{}
		post, err := o.Refit(ctx, like, without)
		if err != nil {
			return fmt.Errorf("decide: influence: without datum %d: %w", j, err)
		}
		mean, sd := stat.MeanStdDev(post.Functional(f), nil)
		draws, _ := post.Dims()
		r.Without[c], r.SE[c] = mean-r.Mean, math.Hypot(r.SD, sd)/math.Sqrt(float64(draws))
		r.Refitted = append(r.Refitted, c)
	}
	return nil
}

// regression is that of f on η_i, on which alone a datum depends, over draws: f − E[f] = slope (η_i − mean) + r.
type regression struct {
	mean, variance float64 // of η_i
	slope          float64 // times the factor of the adjusted R², which takes from it what S draws have by chance
	error          float64 // the standard error of the slope
}

func regress(eta, values []float64) (r regression) {
	r.mean, r.variance = stat.MeanVariance(eta, nil)
	if !(r.variance > 0) {
		return r
	}
	free, all := float64(len(eta)-2), stat.Variance(values, nil)
	r.slope = stat.Covariance(eta, values, nil) / r.variance
	r.error = math.Sqrt(max(0, all/r.variance-r.slope*r.slope) / free)
	r.slope *= certain(r.slope*r.slope*r.variance, all, len(eta))
	return r
}

// share is that of a datum in the precision of η_i.
func (on regression) share(terms *expfam.Terms, datum expfam.Term) float64 {
	return 1 - on.variance/cavity(terms, on.mean, on.variance, datum).variance
}

// byWeights returns E[f | y without datum i] − E[f | y] by weights w, and its standard error. By the regression,
//
//	E₋ᵢ[f] − E[f] = slope (E₋ᵢ[η_i] − E[η_i]) + E₋ᵢ[r].
//
// The last term is 0 if E[f | η_i] is linear, as for Gaussian posteriors. A weighted sum of r over few draws is then
// noise of variance s² = Var(r) (Σ wₛ² − 1/S). The term is therefore shrunk by James & Stein's factor
// max(0, 1 − s²/E₋ᵢ[r]²).
func (on regression) byWeights(eta, values, w []float64) (change, se float64) {
	r := make([]float64, len(w))
	var shift, rest, variance, noise float64
	for i, v := range w {
		r[i] = values[i] - on.slope*(eta[i]-on.mean)
		shift, rest = shift+v*(eta[i]-on.mean), rest+v*r[i]
	}
	for i, v := range w {
		off := v - 1/float64(len(w))
		variance += off * off * (eta[i] - on.mean - shift) * (eta[i] - on.mean - shift)
		noise += off * off
	}
	noise *= stat.Variance(r, nil)
	shrunk := 0.0
	if rest != 0 {
		shrunk = max(0, 1-noise/(rest*rest))
	}
	return on.slope*shift + shrunk*rest, math.Sqrt(on.slope*on.slope*variance + shift*shift*on.error*on.error +
		shrunk*noise)
}

// byMoving returns E[f | y without datum i] − E[f | y] by draws that are moved to the [cavity] of the datum, and its
// standard error. Where the datum has a share a of the precision of η_i, the precision without it is a difference of
// near numbers: errors √(Var/S) of the mean of η_i and √(2/S) of its variance grow by 1/(1 − a). The error of the
// change is the largest of its differences for means and variances that are so much off, and that of the slope.
func (on regression) byMoving(post *expfam.Posterior, eta []float64, terms *expfam.Terms, datum expfam.Term,
	expected float64, f func([]float64) float64) (change, se float64) {
	slopes := movement(post, eta)
	at := func(mean, variance float64) (cavityMean, change float64) {
		to := cavity(terms, mean, variance, datum)
		return to.mean, stat.Mean(slopes.move(post, eta, on, to).Functional(f), nil) - expected
	}
	to, change := at(on.mean, on.variance)
	draws := float64(len(eta))
	dm, dv := math.Sqrt(on.variance/draws), on.variance*math.Sqrt(2/draws)
	_, east := at(on.mean+dm, on.variance)
	_, west := at(on.mean-dm, on.variance)
	_, wide := at(on.mean, on.variance+dv)
	_, narrow := at(on.mean, on.variance-dv)
	byMean := max(math.Abs(east-change-on.slope*dm), math.Abs(west-change+on.slope*dm))
	byVariance := max(math.Abs(wide-change), math.Abs(narrow-change))
	return change, math.Hypot(math.Hypot(byMean, byVariance), (to-on.mean)*on.error)
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

// slopes are those of the cells of a field on η_i.
type slopes []float64

func movement(post *expfam.Posterior, eta []float64) slopes {
	_, cells := post.X.Dims()
	of := make(slopes, cells)
	for c := range of {
		of[c] = regress(eta, mat.Col(nil, c, post.X)).slope
	}
	return of
}

// move returns the draws as they are without a datum: η_i gets the mean and the variance of its cavity, and each cell
// follows by its regression on η_i. For Gaussian posteriors this is exact, and for any function of the field.
func (of slopes) move(post *expfam.Posterior, eta []float64, on regression, to normal) *expfam.Posterior {
	x := mat.DenseCopyOf(post.X)
	wider := math.Sqrt(to.variance / on.variance)
	for i, v := range eta {
		floats.AddScaled(x.RawRowView(i), to.mean+wider*(v-on.mean)-v, of)
	}
	return &expfam.Posterior{X: x, Likelihood: post.Likelihood}
}
