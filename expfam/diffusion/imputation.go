package diffusion

import (
	"math"

	"github.com/expfam/lab/expfam/engine"
)

// An imputation gives cells without data a value, in draws of a field with unknown parameters whose data look at one
// cell each. The denoiser takes pseudo-data of one precision ω for all cells ([Quadrature.pseudodata]). Where a block
// of cells has none, ω is small, and the length scale of a rough curve comes out too long. So the draws are those of
// data augmentation (Tanner & Wong 1987): at each return to a higher noise level a cell j without a datum gets
//
//	zⱼ = x₀ⱼ + e/√A,  e ~ N(0, 1),
//
// and the descent draws the field and the parameters given the data and z, as if all cells had data. A is the
// harmonic mean of the precisions of the data. Both steps leave the posterior as it is. The parameters forget the first
// descent, in each return, by the share of the information that the data have. Less precise z forget faster, but then ω
// is small again.
//
// Cells whose datum is less than slight of the mean precision are imputed too, with the rest of the precision A.
//
// The state of a block has the values z and then their precisions, (draws, 2 cells), which are 0 in other cells.

// negligiblePrecision is a share of the mean precision over all cells with data. A datum below it counts as missing.
const negligiblePrecision = 0.01

// mostImputed is the largest number of returns that only impute values. So many are taken where half of the cells are
// imputed, or more.
const mostImputed = 7

// imputes reports whether steps of a kind take imputed values.
func (s *setup) imputes(k kind) bool {
	return (k == affine || k == light) && s.forward.Plain() && augmented(s.prior)
}

// imputed returns the precisions of imputed values, or nil if there are none, and the ratio of the arithmetic to the
// harmonic mean of the data's precisions.
func (f diagnosis) imputed(s *setup) (precisions []float64, uneven float64) {
	if !s.imputes(affine) || len(f.sites) == 0 {
		return nil, 0
	}
	field := augmentationOf(s.prior).data
	var number, sum, usual, inverse float64
	for _, c := range f.sites[:field] {
		if c.precision > 0 {
			number, sum = number+1, sum+c.precision
		}
	}
	least := negligiblePrecision * sum / number
	for _, c := range f.sites[:field] {
		if c.precision > least {
			usual, inverse = usual+1, inverse+1/c.precision
		}
	}
	if usual == 0 || int(usual) == field {
		return nil, 0
	}
	out := make([]float64, field)
	for j, c := range f.sites[:field] {
		if c.precision <= least {
			out[j] = max(usual/inverse-c.precision, 0)
		}
	}
	return out, sum / number * inverse / usual
}

// observedShare returns the share of the precisions that are not 0.
func observedShare(precisions []float64) float64 {
	n := 0.0
	for _, v := range precisions {
		if v > 0 {
			n++
		}
	}
	return n / float64(len(precisions))
}

// isReturn reports whether step i ends at a higher noise level than its own.
func isReturn(steps []Step, i int) bool {
	return i+1 < len(steps) && steps[i+1].Level.Sigma() > steps[i].Level.Sigma()
}

// impute draws the values of block n around the estimates of x₀ at the lowest noise level, where x₀ is nearly certain.
// The argument noise has room for a number of each cell of the block.
func (b *batch) impute(noise []float64, n int) error {
	block, d := &b.blocks[n], b.prior.Dim()
	estimate, err := float64s(block.previous)
	if err != nil {
		return err
	}
	b.draw(noise, n)
	values := make([]float64, 2*len(estimate))
	for r := range b.block {
		row := values[2*r*d : 2*(r+1)*d]
		for j, precision := range b.imputed {
			if precision > 0 {
				row[j] = estimate[r*d+j] + noise[r*d+j]/math.Sqrt(precision)
				row[d+j] = precision
			}
		}
	}
	if block.imputed != nil {
		if err := engine.Release(block.imputed); err != nil {
			return err
		}
	}
	block.imputed = tensorAs(b.graphs.dtype, values, b.block, 2*d)
	return nil
}
