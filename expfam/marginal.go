package expfam

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/law"
)

// Cells returns the number of cells.
func (d *Draws) Cells() int { _, cells := d.X.Dims(); return cells }

// Project returns the empirical distribution of a weighted sum of cells.
func (d *Draws) Project(cells []int, weights []float64) law.Marginal {
	draws, _ := d.X.Dims()
	s := make(law.Empirical, draws)
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
func (p *Posterior) Project(cells []int, weights []float64) law.Marginal {
	return p.Latent().Project(cells, weights)
}

// Gaussian is N(Mean, Cov), for example as a reference of calibrate.Distances.
type Gaussian struct {
	Mean []float64
	Cov  mat.Symmetric
}

// Cells returns the number of cells.
func (g Gaussian) Cells() int { return len(g.Mean) }

// Project returns N(a·μ, aᵀΣa), where a has the weights.
func (g Gaussian) Project(cells []int, weights []float64) law.Marginal {
	var n law.NormalMarginal
	var variance float64
	for k, i := range cells {
		n.Centre += weights[k] * g.Mean[i]
		for l, j := range cells {
			variance += weights[k] * weights[l] * g.Cov.At(i, j)
		}
	}
	n.Scale = math.Sqrt(math.Max(variance, 0)) // rounding may make an aᵀΣa of 0 negative
	return n
}
