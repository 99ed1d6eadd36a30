package expfam_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
)

// Data of equal rows are one datum of the log-likelihood: its value, slope and information are those of the sum.
func TestEqualRowsAreOneDatum(t *testing.T) {
	x := []float64{0.3, -0.2, 0.9}
	keep := []int{0, 2, 0, 1, 2, 0}
	select6 := &operator.Select{Cells: 3, Keep: keep}
	for _, m := range []struct {
		name string
		like expfam.Likelihood
		rows int
	}{
		{"poisson", expfam.Likelihood{Family: expfam.Poisson{}, Operator: select6}, 3},
		{"sums", expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: select6}}, 3},
		{"offsets", expfam.Likelihood{Family: expfam.Poisson{}, Operator: operator.Offset{Of: select6,
			Each: []float64{0, 0, 1, 0, 0, 0}}}, 4},
		{"overdispersed", expfam.Likelihood{Family: expfam.NB2{Dispersion: 0.5}, Operator: select6}, 6},
	} {
		t.Run(m.name, func(t *testing.T) {
			m.like.Link = expfam.ExpLink
			f := expfam.Must(m.like.Forward(3))
			obs := expfam.Must(m.like.Observe1(1, 0, 4, 2, 7, 3))
			slope, want := make([]float64, 3), make([]float64, 3)
			got, value := f.LogLikelihood(obs).LogLikSlope(x, slope), f.LogLikSlope(x, obs, want)
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12*(1+math.Abs(b)) }
			if !near(got, value) {
				t.Errorf("log-likelihood %g, want %g", got, value)
			}
			information := func(rows func(int, func(int, float64)), w []float64) (sum [3]float64) {
				for k, v := range w {
					rows(k, func(j int, weight float64) { sum[j] += v * weight * weight })
				}
				return sum
			}
			merged, w := f.LogLikelihood(obs).Precision(x)
			if len(w) != m.rows {
				t.Errorf("%d rows, want %d", len(w), m.rows)
			}
			own, each := information(merged, w), information(f.Precision(x, obs))
			for j := range slope {
				if !near(slope[j], want[j]) || !near(own[j], each[j]) {
					t.Errorf("cell %d: slope %g and information %g, want %g and %g", j, slope[j], own[j], want[j],
						each[j])
				}
			}
		})
	}
}
