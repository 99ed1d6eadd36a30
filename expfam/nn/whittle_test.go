package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// Of draws with a spectrum that is linear between the knots that spectrum is found.
func TestMeasure(t *testing.T) {
	const rows, columns, draws = 16, 8, 4000
	shift := make([]float64, 16)
	for k := range shift {
		shift[k] = 0.1*float64(k) + 0.5*math.Sin(float64(k))
	}
	want := covariance(t, rows, columns, shift)
	var chol mat.Cholesky
	must.Need(t, chol.Factorize(want), "the covariance is not positive definite")
	var root mat.TriDense
	chol.LTo(&root)
	rng := rand.New(rand.NewPCG(1, 2))
	z := mat.NewVecDense(rows*columns, nil)
	found := must.Get(nn.UNet{Rows: rows, Columns: columns}.Measure(rows*columns, draws, func(x []float64) {
		for j := range x {
			z.SetVec(j, rng.NormFloat64())
		}
		mat.NewVecDense(len(x), x).MulVec(&root, z)
	}))(t)
	measured := make([]float64, 16)
	for k, v := range found["spectrum"] {
		measured[k] = float64(v)
	}
	got := covariance(t, rows, columns, measured)
	var x mat.Dense
	must.Do(t, chol.SolveTo(&x, got))
	// The eigenvalues of want⁻¹ got are ratios of the spectra; that of one mode alone
	// has the relative error √(2/draws), of which five are allowed.
	var eigen mat.Eigen
	must.Need(t, eigen.Factorize(&x, mat.EigenNone), "no eigenvalues")
	for _, v := range eigen.Values(nil) {
		must.Need(t, math.Abs(math.Log(real(v))) <= 5*math.Sqrt(2./draws),
			"a mode has %g times its variance", real(v))
	}
	// The end of the search leaves them the gradient that is allowed.
	if low := found["spectrum"]; math.Abs(float64(low[15]-low[14])) > 1e-2 {
		t.Errorf("frequencies below all of this grid have log S %g and %g above 1/f², want the same", low[14], low[15])
	}
	if found, err := (nn.UNet{Rows: rows, Columns: columns, Plain: true}).Measure(rows*columns, draws,
		nil); len(found) > 0 || err != nil {
		t.Errorf("without a filter there is nothing to measure, got %v, %v", found, err)
	}
}
