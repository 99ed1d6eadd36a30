package graph

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/level"
)

// Separable is a Gaussian prior of times × areas whose covariance is diagonal in products of a basis of the times and
// one of the areas. [SpaceTime.Field] and [Kronecker.Field] make it. Cell t·areas + i is area i at time t, so a table
// with a row for each time and a column for each area has the order of the cells. Its moments are exact, and cost two
// products with a matrix of the times and two with one of the areas.
type Separable struct {
	of   *gp.Lattice
	name string
}

// separable returns the prior with the mean level, orthonormal bases, and a variance for each pair of basis vectors.
func separable(name string, level float64, times, areas, variances *mat.Dense) (*Separable, error) {
	of, err := gp.NewLattice(level, times, areas, variances)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return &Separable{of, fmt.Sprintf("%s=%v", name, of)}, nil
}

// String names the prior.
func (s *Separable) String() string { return s.name }

// Dims returns the numbers of times and of areas.
func (s *Separable) Dims() (times, areas int) { return s.of.Lattice() }

// Dim returns the number of cells.
func (s *Separable) Dim() int { return s.of.Dim() }

// Draw fills x with a draw.
func (s *Separable) Draw(rng *rand.Rand, x []float64) { s.of.Draw(rng, x) }

// Mean returns the mean of every cell.
func (s *Separable) Mean() []float64 { return s.of.Mean() }

// Variance returns the variance of every cell.
func (s *Separable) Variance() []float64 { return s.of.Variance() }

// Multiply returns K v; see [expfam.Linear].
func (s *Separable) Multiply(v []float64) ([]float64, bool) { return s.of.Multiply(v) }

// Modes returns modes of the covariance; see [gp.Gaussian.Modes].
func (s *Separable) Modes(n int) (mean []float64, l *mat.Dense) { return s.of.Modes(n) }

// Spectrum returns mean, variances and transform; see [expfam.Spectral].
func (s *Separable) Spectrum() (mean, variances []float64, transform func() latent.Transform) {
	return s.of.Spectrum()
}

// Footprint estimates the memory; see [gp.Lattice.Footprint].
func (s *Separable) Footprint() expfam.Footprint { return s.of.Footprint() }

// Moments returns the exact moments; see [gp.Lattice.Moments].
func (s *Separable) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	return s.of.Moments(x, l)
}
