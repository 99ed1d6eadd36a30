package expfam

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Reference is a distribution of x₀ that a posterior is compared to: draws
// ([Posterior], [Draws]) or a [Gaussian] in closed form.
type Reference interface {
	// Cells returns the number of cells d.
	Cells() int
	// Project returns the distribution of Σₖ weights[k]·x₀[cells[k]].
	Project(cells []int, weights []float64) Marginal
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

// Cells returns the number of cells.
func (d *Draws) Cells() int { _, cells := d.X.Dims(); return cells }

// Project returns the empirical distribution of a weighted sum of cells.
func (d *Draws) Project(cells []int, weights []float64) Marginal { return d.project(cells, weights) }

func (d *Draws) project(cells []int, weights []float64) empirical {
	draws, _ := d.X.Dims()
	s := make(empirical, draws)
	for i := range s {
		row := d.X.RawRowView(i)
		for k, j := range cells {
			s[i] += weights[k] * row[j]
		}
	}
	slices.Sort(s)
	return s
}

// Cells returns the number of cells.
func (p *Posterior) Cells() int { return p.Latent().Cells() }

// Project returns the empirical distribution of a weighted sum of cells of x₀.
func (p *Posterior) Project(cells []int, weights []float64) Marginal {
	return p.Latent().Project(cells, weights)
}

// empirical is the distribution of a sample, in ascending order.
type empirical []float64

func (s empirical) Mean() float64              { return stat.Mean(s, nil) }
func (s empirical) SD() float64                { return stat.StdDev(s, nil) }
func (s empirical) Quantile(p float64) float64 { return quantile7(s, p) }

// Wasserstein returns ∫|F(x) − G(x)| dx. It is exact for samples of any two sizes.
func (s empirical) Wasserstein(other []float64) float64 {
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

// Gaussian is N(Mean, Cov) as a reference.
type Gaussian struct {
	Mean []float64
	Cov  mat.Symmetric
}

// Cells returns the number of cells.
func (g Gaussian) Cells() int { return len(g.Mean) }

// Project returns N(a·μ, aᵀΣa), where a has the weights.
func (g Gaussian) Project(cells []int, weights []float64) Marginal {
	var n gaussianMarginal
	var variance float64
	for k, i := range cells {
		n.mean += weights[k] * g.Mean[i]
		for l, j := range cells {
			variance += weights[k] * weights[l] * g.Cov.At(i, j)
		}
	}
	n.sd = math.Sqrt(math.Max(variance, 0)) // rounding may make an aᵀΣa of 0 negative
	return n
}

type gaussianMarginal struct{ mean, sd float64 }

func (n gaussianMarginal) Mean() float64 { return n.mean }
func (n gaussianMarginal) SD() float64   { return n.sd }
func (n gaussianMarginal) Quantile(p float64) float64 {
	return n.mean + n.sd*distuv.UnitNormal.Quantile(p)
}

// Wasserstein integrates |x₍ᵢ₎ − Q(u)| over u in ((i−1)/n, i/n) for every i. The integral has a closed form on
// either side of the u where Q(u) = x₍ᵢ₎, by ∫Φ⁻¹ du = −φ(Φ⁻¹(u)).
func (n gaussianMarginal) Wasserstein(sorted []float64) float64 {
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
		if n.sd == 0 {
			total += math.Abs(x-n.mean) / count
			continue
		}
		z := (x - n.mean) / n.sd
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
		total += n.sd * (below + above)
		phiLow = phiHigh
	}
	return total
}
