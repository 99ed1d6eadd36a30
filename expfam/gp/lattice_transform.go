package gp

import (
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
)

// Spectrum returns the mean, the variances λ, and the transform x = A Z Bᵀ; see [expfam.Spectral].
func (l *Lattice) Spectrum() (mean, variances []float64, transform func() latent.Transform) {
	return l.Mean(), l.values.RawMatrix().Data, l.transform
}

func (l *Lattice) transform() latent.Transform {
	rows, cols := l.values.Dims()
	return &latticeTransform{l, mat.NewDense(rows, cols, nil)}
}

// latticeTransform is the transform of a lattice, with work space.
type latticeTransform struct {
	*Lattice
	half *mat.Dense
}

// Synthesise writes A Z Bᵀ to x.
func (t *latticeTransform) Synthesise(x, z []float64) {
	rows, cols := t.values.Dims()
	t.half.Mul(t.along, mat.NewDense(rows, cols, z))
	mat.NewDense(rows, cols, x).Mul(t.half, t.cross.T())
}

// Analyse writes Aᵀ X B to z.
func (t *latticeTransform) Analyse(z, x []float64) {
	rows, cols := t.values.Dims()
	t.half.Mul(t.along.T(), mat.NewDense(rows, cols, x))
	mat.NewDense(rows, cols, z).Mul(t.half, t.cross)
}
