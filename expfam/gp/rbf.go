package gp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
)

// RBF is the Gaussian process with kernel Variance·exp(−|u−u'|²/(2 Length²)) on Cells equally spaced points of [0, 1].
// The zero value is the prior of the paper's one-dimensional benchmark (section 4.1): 30 cells, variance 1,
// length-scale 0.1.
type RBF struct {
	Cells    int     // default 30
	Variance float64 // default 1
	Length   float64 // in units of the interval, default 0.1
}

func (k RBF) orDefault() RBF {
	k.Cells = cmp.Or(k.Cells, 30)
	k.Variance = cmp.Or(k.Variance, 1)
	k.Length = cmp.Or(k.Length, 0.1)
	return k
}

// factored holds the eigendecompositions that were used last. An RBF is a plain literal that cannot hold its own, and
// to factorise 30 cells costs more than to evaluate them.
var factored kept[RBF, *Gaussian]

// Check refuses impossible fields. Samplers and trainings call it first.
func (k RBF) Check() error {
	k = k.orDefault()
	if k.Cells < 1 {
		return fmt.Errorf("gp: RBF has %d Cells; give at least 1, or 0 for 30", k.Cells)
	}
	for _, f := range []struct {
		name            string
		value, fallback float64
	}{{"Variance", k.Variance, 1}, {"Length", k.Length, 0.1}} {
		if !(f.value > 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("gp: RBF has a %s of %g; it must be positive and finite, or 0 for %g", f.name, f.value,
				f.fallback)
		}
	}
	return fits(k.Cells)
}

// Gaussian returns the same prior with its covariance matrix. It panics if [RBF.Check] returns an error. The methods
// that need the covariance call Gaussian, so they panic as well.
func (k RBF) Gaussian() *Gaussian {
	k = k.orDefault()
	if g, ok := factored.load(k); ok {
		return g
	}
	if err := k.Check(); err != nil {
		panic(err)
	}
	u := k.Points()
	cov := mat.NewSymDense(k.Cells, nil)
	for i := range u {
		for j := i; j < len(u); j++ {
			r := (u[i] - u[j]) / k.Length
			cov.SetSym(i, j, k.Variance*math.Exp(-r*r/2))
		}
	}
	g, err := New(nil, cov)
	if err != nil {
		panic(err) // an RBF kernel is positive semidefinite
	}
	g.name = k.String()
	factored.store(k, g)
	return g
}

// Points returns the positions of the cells in [0, 1].
func (k RBF) Points() []float64 {
	k = k.orDefault()
	u := make([]float64, k.Cells)
	for i := range u {
		if k.Cells > 1 {
			u[i] = float64(i) / float64(k.Cells-1)
		}
	}
	return u
}

func (k RBF) String() string {
	k = k.orDefault()
	return fmt.Sprintf("rbf(cells=%d, variance=%g, length=%g)", k.Cells, k.Variance, k.Length)
}

// Dim returns the number of cells.
func (k RBF) Dim() int { return k.orDefault().Cells }

// Lattice returns one row of all cells; see [expfam.Lattice].
func (k RBF) Lattice() (rows, cols int) { return 1, k.Dim() }

// Mean returns the prior mean, which is 0 in every cell. Do not change the slice.
func (k RBF) Mean() []float64 { return k.Gaussian().Mean() }

// Cov returns the matrix of the kernel. Do not change it.
func (k RBF) Cov() *mat.SymDense { return k.Gaussian().Cov() }

// Modes returns the modes of the kernel; see [Gaussian.Modes].
func (k RBF) Modes(n int) (mean []float64, l *mat.Dense) { return k.Gaussian().Modes(n) }

// Draw fills x with a draw of the process.
func (k RBF) Draw(rng *rand.Rand, x []float64) { k.Gaussian().Draw(rng, x) }

// Footprint returns the same as [Gaussian.Footprint], without factorising the covariance.
func (k RBF) Footprint() expfam.Footprint { return footprint(k.Dim()) }

// Moments returns the exact moments; see [Gaussian.Moments].
func (k RBF) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	return k.Gaussian().Moments(x, l)
}

// Root returns the exact root; see [Gaussian.Root].
func (k RBF) Root(z *Node, l level.Nodes) *Node { return k.Gaussian().Root(z, l) }

// Coupling returns the exact coupling; see [Gaussian.Coupling].
func (k RBF) Coupling(sigma float64) float64 { return k.Gaussian().Coupling(sigma) }

// Multiply returns K v; see [expfam.Linear].
func (k RBF) Multiply(v []float64) ([]float64, bool) { return k.Gaussian().Multiply(v) }

// Unknown returns the length scale and the sd, as far as Length and Variance are 0; see [Process.Unknown].
func (k RBF) Unknown() []law.Parameter { return k.process().Unknown() }

// Given returns the mean and the covariance for given values of [RBF.Unknown], in their order.
func (k RBF) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	return k.process().Given(values)
}

// process returns the same process with the unknown numbers left 0.
func (k RBF) process() Process {
	return Process{Cells: k.orDefault().Cells, Length: k.Length, SD: math.Sqrt(k.Variance)}
}
