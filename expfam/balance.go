package expfam

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// clearly is the number of standard errors from which an imbalance of the draws is no chance.
const clearly = 4

// balance checks draws under a Gaussian prior N(m, K) by an identity of the posterior, which integration by parts gives
// (Stein): for every v
//
//	E[(K v)ᵀ ∇ log p(y | x₀)] = vᵀ (E[x₀] − m).
//
// Take v of ones and data that are counts, under a log link. The level is the mean of all cells, and its precision
// under the prior is P = d²/(vᵀ K v). If the level of the draws is off by δ, and their total E by E δ, the difference
// of both sides is (E + P) δ d/P. This gives the number of events by which the total is off. The identity holds however
// far the prior is from the data, so that a prior that knows the level raises no alarm. A total that is off by more
// than its posterior standard deviation goes into Info.Diagnostics as in [Posterior.Examine].
func (p *Posterior) balance(prior Prior, f *Forward, obs Observations) {
	linear, ok := prior.(Linear)
	mean := meanOf(prior)
	if _, found := p.Info.Diagnostics["expected"]; !ok || found || mean == nil || p.X == nil {
		return
	}
	draws, cells := p.Dims()
	if draws < tailDraws || f.cells != cells || f.data != len(obs) || len(mean) != cells || len(f.Parts) != 1 ||
		!f.Parts[0].Terms.counts() {
		return
	}
	ones := make([]float64, cells)
	floats.AddConst(1, ones)
	toward, ok := linear.Multiply(ones)
	if !ok {
		return
	}
	each := 1 + draws*max(cells, f.data)/examined
	var off, totals []float64
	slope, eta := make([]float64, cells), make([]float64, f.data)
	dispersion := 0.0
	for i := 0; i < draws; i += each {
		x := p.X.RawRowView(i)
		f.LogLikSlope(x, obs, slope)
		f.Parts[0].Places(x, eta)
		total, variance := f.Parts[0].Terms.total(eta, obs)
		off = append(off, floats.Dot(toward, slope)-floats.Sum(x)+floats.Sum(mean))
		totals, dispersion = append(totals, total), dispersion+variance/total
	}
	n, seen := float64(len(off)), floats.Sum(obs.Stats())
	centre, sd := stat.MeanStdDev(off, nil)
	expected, precision := stat.Mean(totals, nil), float64(cells)*float64(cells)/floats.Sum(toward)
	events := math.Abs(centre) / float64(cells) * precision * expected / (expected + precision)
	if math.Abs(centre) > clearly*sd/math.Sqrt(n) && events > math.Sqrt(math.Max(1, dispersion/n)*(seen+1)) &&
		math.Abs(expected-seen) > 0.1*seen {
		if p.Info.Diagnostics == nil {
			p.Info.Diagnostics = map[string]float64{}
		}
		p.Info.Diagnostics["expected"], p.Info.Diagnostics["seen"] = expected, seen
	}
}

// meanOf returns the mean of a Gaussian prior, or nil if it is not known.
func meanOf(prior Prior) []float64 {
	if p, ok := nuggetOf(prior); ok {
		return meanOf(p.Of)
	}
	if m, ok := prior.(interface{ Mean() []float64 }); ok {
		return m.Mean()
	}
	return nil
}
