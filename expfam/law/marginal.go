package law

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Distribution is what gonum's univariate distributions have in common.
type Distribution interface {
	Mean() float64
	Variance() float64
	Quantile(p float64) float64
	CDF(x float64) float64
	LogProb(x float64) float64
	Rand() float64
}

// Marginal is a distribution on the line.
type Marginal interface {
	Mean() float64
	SD() float64
	Quantile(p float64) float64
	// Wasserstein returns the Wasserstein-1 distance ∫|F⁻¹(u) − Q(u)| du to the empirical distribution of a
	// sample in ascending order.
	Wasserstein(sorted []float64) float64
}

// Empirical is the distribution of a sample, in ascending order.
type Empirical []float64

// Mean returns the mean.
func (s Empirical) Mean() float64 { return stat.Mean(s, nil) }

// SD returns the standard deviation, with n−1 in the denominator.
func (s Empirical) SD() float64 { return stat.StdDev(s, nil) }

// Quantile returns the quantile of type 7.
func (s Empirical) Quantile(p float64) float64 { return Quantile7(s, p) }

// Wasserstein returns ∫|F(x) − G(x)| dx. It is exact for samples of any two sizes.
func (s Empirical) Wasserstein(other []float64) float64 {
	n, m := float64(len(s)), float64(len(other))
	var total float64
	at := math.Min(s[0], other[0])
	for i, j := 0, 0; i < len(s) || j < len(other); {
		next := math.Inf(1)
		if i < len(s) {
			next = s[i]
		}
		if j < len(other) && other[j] < next {
			next = other[j]
		}
		total += (next - at) * math.Abs(float64(i)/n-float64(j)/m)
		at = next
		for i < len(s) && s[i] == at {
			i++
		}
		for j < len(other) && other[j] == at {
			j++
		}
	}
	return total
}

// Quantile7 returns the quantile of type 7 of Hyndman & Fan (1996) of sorted values. NaN sorts first, so one NaN
// makes every quantile NaN.
func Quantile7(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || math.IsNaN(sorted[0]) || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	// Equal values, infinities included, are returned as they are. So is low where w = 0, because 0·∞ is NaN.
	low, high, w := sorted[i], sorted[i+1], at-float64(i)
	if w == 0 || low == high {
		return low
	}
	return (1-w)*low + w*high
}

// NormalMarginal is a normal distribution with a centre and a scale. The scale may be 0.
type NormalMarginal struct{ Centre, Scale float64 }

// Mean returns the centre.
func (n NormalMarginal) Mean() float64 { return n.Centre }

// SD returns the scale.
func (n NormalMarginal) SD() float64 { return n.Scale }

// Quantile returns centre + scale·Φ⁻¹(p).
func (n NormalMarginal) Quantile(p float64) float64 {
	return n.Centre + n.Scale*distuv.UnitNormal.Quantile(p)
}

// Wasserstein integrates |x₍ᵢ₎ − Q(u)| over u in ((i−1)/n, i/n) for every i. The integral has a closed form on
// either side of the u where Q(u) = x₍ᵢ₎, by ∫Φ⁻¹ du = −φ(Φ⁻¹(u)).
func (n NormalMarginal) Wasserstein(sorted []float64) float64 {
	unit := distuv.UnitNormal
	density := func(u float64) float64 {
		if u <= 0 || u >= 1 {
			return 0
		}
		return unit.Prob(unit.Quantile(u))
	}
	var total float64
	count := float64(len(sorted))
	phiLow := 0.0
	for i, x := range sorted {
		low, high := float64(i)/count, float64(i+1)/count
		phiHigh := density(high)
		if n.Scale == 0 {
			total += math.Abs(x-n.Centre) / count
			continue
		}
		z := (x - n.Centre) / n.Scale
		cross, phiCross := unit.CDF(z), unit.Prob(z)
		switch {
		case cross <= low:
			cross, phiCross = low, phiLow
		case cross >= high:
			cross, phiCross = high, phiHigh
		}
		// Below the crossing Q < x, above it Q > x.
		below := z*(cross-low) - (phiLow - phiCross)
		above := (phiCross - phiHigh) - z*(high-cross)
		total += n.Scale * (below + above)
		phiLow = phiHigh
	}
	return total
}
