package diffusion_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// information is −ℓ” at the mode of the cell's likelihood times N(m, s²).
func information(terms *expfam.Terms, c expfam.Term, m, s2 float64) float64 {
	low, high := m-20, m+20
	for range 100 {
		if x := (low + high) / 2; terms.Slope(x, c) > (x-m)/s2 {
			low = x
		} else {
			high = x
		}
	}
	return terms.Information(low, c)
}

// With steps enough the shift is C (C + W⁻¹)⁻¹ r by dense algebra; a missing cell has no part in the system. The bound
// 1/(1+I) is taken after 6 Newton steps, which leave 1e-6 in the steepest cell. A missing cell keeps a precision of
// 1e-9 in the system.
func TestCorrectedAgainstDenseSolve(t *testing.T) {
	compareShifts(t, closed, Corrected{Steps: 20}, 1e-6, func(c closedCase, _ float64, mean []float64,
		cov *mat.SymDense) []float64 {
		terms := must.Get(c.like.Terms())(t)
		system, r := mat.NewSymDense(6, nil), mat.NewVecDense(6, nil)
		system.CopySym(cov)
		for j, m := range mean {
			noise, s2 := 1e30, cov.At(j, j)
			if c.obs[j] != (expfam.Term{}) {
				g, h := c.slopes(c.obs[j], m, s2)
				noise = math.Max(1/h-s2, 1/(1+information(terms, c.obs[j], m, s2)))
				r.SetVec(j, g*(s2+noise))
			}
			system.SetSym(j, j, s2+noise)
		}
		var w, want mat.VecDense
		if err := w.SolveVec(system, r); w.Len() == 0 { // the infinite noise of a missing cell is no fault
			must.Do(t, err)
		}
		want.MulVec(cov, &w)
		return want.RawVector().Data
	})
}

// Normal data: the guided estimate is the mean of x₀ given x_t and y. A missing cell keeps a precision of 1e-9.
func TestCorrectedIsExactForNormalData(t *testing.T) {
	compareShifts(t, closed[len(closed)-1:], Corrected{Steps: 20}, 1e-8, func(c closedCase, _ float64, mean []float64,
		cov *mat.SymDense) []float64 {
		exact := must.Get(gp.Exact(must.Get(gp.New(mean, cov))(t), c.like, c.obs))(t)
		shift := make([]float64, len(mean))
		return floats.SubTo(shift, exact.Mean, mean)
	})
}
