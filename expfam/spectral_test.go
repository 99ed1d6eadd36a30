package expfam

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// fixedCell is the prior N((1, 2), diag(9, 0)), whose second mode has no variance.
type fixedCell struct{ Prior }

func (fixedCell) Modes(int) (mean []float64, l *mat.Dense) {
	return []float64{1, 2}, mat.NewDense(2, 2, []float64{3, 0, 0, 0})
}

// TestDenseSpectrumOfAFixedCell: a mode of no variance changes no cell.
func TestDenseSpectrumOfAFixedCell(t *testing.T) {
	s, ok := denseSpectrum(fixedCell{})
	must.Need(t, ok, "the prior has no spectrum")
	x := make([]float64, 2)
	s.Transform().Synthesise(x, []float64{5, 7})
	must.Equal(t, x, []float64{5, 0}, "cells of the coefficients (5, 7)")
	must.Equal(t, s.Variances, []float64{9, 0}, "variances")
}
