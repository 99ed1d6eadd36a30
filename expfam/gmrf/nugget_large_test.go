package gmrf

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// Large counts are far from the rate 1 at which the search starts. The mode m of x₀ ~ N(0, K) solves m = K(y − exp m).
func TestNuggetOfLargeCounts(t *testing.T) {
	for _, most := range []float64{100, 2e4, 3e8} {
		like := expfam.Likelihood{Family: expfam.Poisson{}}
		y := []float64{most, most / 2, 3, 0, most / 4, most}
		obs := expfam.Must(like.Observe1(y...))
		prior := Prior{Grid: grid.Grid{Rows: 2, Cols: 3}, Range: 2, SD: 1, Nugget: 0.5}
		a, err := Fit(prior, like, obs)
		must.Need(t, err == nil, "counts up to %g: %v", most, err)
		mode := a.Mode()
		pull := mat.NewVecDense(len(y), nil)
		for j, m := range mode {
			pull.SetVec(j, y[j]-math.Exp(m))
		}
		var want mat.VecDense
		want.MulVec(expfam.Must(prior.Gaussian()).Cov(), pull)
		for j, m := range mode {
			// The slope y − exp m carries the rounding of m.
			if tolerance := 1e-5 + 1e-12*most; math.Abs(m-want.AtVec(j)) > tolerance {
				t.Errorf("counts up to %g, cell %d: mode %g, want %g", most, j, m, want.AtVec(j))
			}
		}
	}
}
