package expfam

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// ruledOut is the number of standard deviations of the total from which a draw of θ is ruled out by the total seen.
	// The probability of such a total is below one in a million, given θ.
	ruledOut = 6
	// improbable is twice the log-likelihood ratio, between its best θ and the posterior mean of x₀, from which a datum
	// is mentioned. It is the square of seven standard deviations under a normal distribution.
	improbable = 50
	// examined is the largest number of places, draws times data, that are examined.
	examined = 4_000_000
)

// Examine compares the draws with the observations from which they were made, and adds to Info.Diagnostics
//
//	expected, seen  the totals that the draws of a family of counts expect on average, and the total seen, if the draws
//	                cannot be right: many are ruled out by the total seen, or few huge ones make the mean
//	improbable      how many data are improbable at the posterior mean of what they look at, if there are any
//	datum           the most improbable of these
//
// [Posterior.Alarm] names them. Samplers call Examine, with the forward model of the posterior's likelihood.
func (p *Posterior) Examine(f *Forward, obs Observations) {
	if p == nil || p.X == nil || p.Likelihood.Family == nil {
		return
	}
	draws, cells := p.Dims()
	if draws < 1 || f.cells != cells || f.data != len(obs) {
		return
	}
	if p.Info.Diagnostics == nil {
		p.Info.Diagnostics = map[string]float64{}
	}
	for _, of := range []string{"expected", "seen", "improbable", "datum"} { // of a longer posterior
		delete(p.Info.Diagnostics, of)
	}
	defer func() {
		if len(p.Info.Diagnostics) == 0 { // as a posterior that is read from a file has it
			p.Info.Diagnostics = nil
		}
	}()
	each := 1 + draws*f.data/examined // one draw of so many is examined
	eta := make([][]float64, 0, draws)
	for i := 0; i < draws; i += each {
		eta = append(eta, f.Look(p.X.RawRowView(i)))
	}
	found, worst := 0.0, 0.0
	for _, s := range f.Parts {
		own, at := obs[s.First:s.First+s.Rows], make([]float64, s.Rows)
		totals, variances := make([]float64, len(eta)), make([]float64, len(eta))
		for i, row := range eta {
			row = row[s.First : s.First+s.Rows]
			floats.AddScaled(at, 1/float64(len(eta)), row)
			totals[i], variances[i] = s.Terms.total(row, own)
		}
		if s.Terms.counts() {
			seen, mean := floats.Sum(own.Stats()), floats.Sum(totals)/float64(len(totals))
			if strange(totals, variances, seen, mean) {
				p.Info.Diagnostics["expected"], p.Info.Diagnostics["seen"] = mean, seen
			}
		}
		for k, c := range own {
			if v := s.Terms.deviance(at[k], c); v > improbable {
				found++
				if v > worst {
					worst, p.Info.Diagnostics["datum"] = v, float64(s.First+k)
				}
			}
		}
	}
	if found > 0 {
		p.Info.Diagnostics["improbable"] = found
	}
}

// strange reports whether draws of a total, given with the variance of the data's total under each draw, cannot be a
// posterior given the total that was seen. The variance is at least that of a Poisson count with the mean seen, because
// one event is no surprise where 0.02 are expected.
func strange(totals, variances []float64, seen, mean float64) bool {
	out, kept := 0, 0.0
	for i, v := range totals {
		if math.Abs(v-seen) <= ruledOut*math.Sqrt(math.Max(variances[i], seen)) {
			kept += v
			continue
		}
		out++
	}
	n := len(totals)
	off := math.Abs(mean - seen)
	switch {
	case 2*out > n:
		return off > 0.1*seen
	case out > 0 && !(math.Abs(mean-kept/float64(n-out)) <= 0.1*seen+0.5):
		return true
	}
	// The draws may be possible one by one. Their mean is not if it lies two standard deviations above the total seen
	// because of a long tail.
	sorted, order, dispersion := slices.Clone(totals), make([]int, n), 1.0
	floats.Argsort(sorted, order)
	body, middle := sorted[:n-n/20], order[n/2]
	if v := variances[middle] / totals[middle]; v > 1 { // no number where no event is expected
		dispersion = v
	}
	return n >= tailDraws && mean-seen > 2*math.Sqrt(dispersion*(seen+1)) &&
		mean > 1.1*floats.Sum(body)/float64(len(body))
}

// counts reports whether the data are counts: one is a datum, and a half is none.
func (t *Terms) counts() bool {
	if t.own != nil {
		return false // its Size is no multiple of a mean
	}
	for _, known := range []Known{{}, Given(2)} {
		_, one := t.Family.Reduce(1, known)
		_, half := t.Family.Reduce(0.5, known)
		if one == nil {
			return half != nil
		}
	}
	return false
}

// total returns the mean and the variance of the sum of the statistics of all data at η.
func (t *Terms) total(eta []float64, obs Observations) (mean, variance float64) {
	if t.own != nil {
		return 0, 0
	}
	for k, c := range obs {
		if c.Size == 0 {
			continue
		}
		a, b := t.eta.at(1, eta[k]), t.part.at(1, eta[k])
		m := b / a
		mean += c.Size * m
		if v := (t.part.at(2, eta[k]) - m*t.eta.at(2, eta[k])) / (a * a); v > 0 {
			variance += c.Size * v
		}
	}
	return mean, variance
}

// deviance returns twice the log of the likelihood ratio between the best value of what a datum looks at and η. It
// returns 0 unless the slope at η is steep.
func (t *Terms) deviance(eta float64, c Term) float64 {
	if c == (Term{}) {
		return 0
	}
	slope, information := t.Slope(eta, c), t.Information(eta, c)
	if slope*slope < improbable/4*information || slope == 0 || math.IsNaN(slope) {
		return 0
	}
	// The log-likelihood rises from η in steps that double, and then between the last two of them.
	rising := func(x float64) bool { v := t.Slope(x, c) * slope; return v > 0 && !math.IsInf(v, 0) }
	low, step := eta, math.Copysign(1/math.Sqrt(math.Abs(information)+1e-12), slope)
	for range 60 {
		if !rising(low + step) {
			break
		}
		low, step = low+step, 2*step
	}
	for range 50 {
		if step /= 2; rising(low + step) {
			low += step
		}
	}
	ratio := 2 * (t.LogLik(low, c) - t.LogLik(eta, c))
	if math.IsNaN(ratio) {
		return 0
	}
	return ratio
}

// examineAlarm returns what Examine found.
func (i Info) examineAlarm() string {
	d, many, odd := i.Diagnostics, "", ""
	if mean, ok := d["expected"]; ok {
		many = fmt.Sprintf("The draws expect %.4g events on average, and %.4g were seen: the prior is too wide for "+
			"the sampler, or contradicts the data: give it a mean near the data and a smaller standard deviation, or "+
			"take hmc.Sample.", mean, d["seen"])
	}
	if n := d["improbable"]; n > 0 {
		odd = fmt.Sprintf("%.0f of the data, such as datum %.0f, are improbable at the posterior mean of what they "+
			"look at, by more than seven standard deviations: data contradict each other or the prior, so check them "+
			"and their known constants, such as standard deviations, or give the prior a nugget (expfam.Nugget).",
			n, d["datum"])
	}
	return sentences(many, odd)
}
