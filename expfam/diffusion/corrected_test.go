package diffusion_test

import (
	"fmt"
	"math"
	"testing"

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

// With steps enough the shift is C (C + W⁻¹)⁻¹ r by dense algebra; a missing cell has no part in the system.
func TestCorrectedAgainstDenseSolve(t *testing.T) {
	for _, c := range closed {
		terms := must.Get(c.like.Terms())(t)
		for _, sigma := range lookedAt {
			t.Run(fmt.Sprintf("%v/%g", c.like, sigma), func(t *testing.T) {
				_, mean, shift := seen(t, few, c.like, c.obs, Corrected{Steps: 20}, sigma)
				cov := conditional(t, few.Cov(), sigma)
				for k := range 3 {
					var cells []int
					for j := range 6 {
						if c.obs[j] != (expfam.Term{}) {
							cells = append(cells, j)
						}
					}
					n := len(cells)
					system, across, r := mat.NewSymDense(n, nil), mat.NewDense(6, n, nil), mat.NewVecDense(n, nil)
					for a, j := range cells {
						m, s2 := mean.At(k, j), cov.At(j, j)
						g, h := c.slopes(c.obs[j], m, s2)
						noise := math.Max(1/h-s2, 1/(1+information(terms, c.obs[j], m, s2)))
						r.SetVec(a, g*(s2+noise))
						for b := a; b < n; b++ {
							system.SetSym(a, b, cov.At(j, cells[b]))
						}
						system.SetSym(a, a, s2+noise)
						for i := range 6 {
							across.Set(i, a, cov.At(i, j))
						}
					}
					var w, want mat.VecDense
					must.Do(t, w.SolveVec(system, r))
					want.MulVec(across, &w)
					for j := range 6 {
						// The bound 1/(1+I) is taken after 6 Newton steps, which leave 1e-6 in the steepest cell; a
						// missing cell keeps a precision of 1e-9 in the system.
						near(t, fmt.Sprintf("draw %d, cell %d", k, j), shift.At(k, j), want.AtVec(j), 1e-6)
					}
				}
			})
		}
	}
}

// Normal data: the guided estimate is the mean of x₀ given x_t and y.
func TestCorrectedIsExactForNormalData(t *testing.T) {
	c := closed[len(closed)-1]
	for _, sigma := range lookedAt {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			_, mean, shift := seen(t, few, c.like, c.obs, Corrected{Steps: 20}, sigma)
			cov := conditional(t, few.Cov(), sigma)
			for k := range 3 {
				given := must.Get(gp.New(mean.RawRowView(k), cov))(t)
				exact := must.Get(gp.Exact(given, c.like, c.obs))(t)
				for j := range 6 {
					// As above: the missing cell's 1e-9.
					near(t, fmt.Sprintf("draw %d, cell %d", k, j), mean.At(k, j)+shift.At(k, j), exact.Mean[j], 1e-8)
				}
			}
		})
	}
}
