package diffusion

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// indefiniteShift returns the shift of [Point.indefinite] under a matrix in place of Cov(x₀ | x_t).
func indefiniteShift(t *testing.T, c mat.Matrix, diagonal, b []float64, steps int) []float64 {
	e := must.Get(engine.Float64())(t)
	row := func(v []float64) *mat.Dense { return mat.NewDense(1, len(v), v) }
	return enginetest.Call(t, e, func(diagonal, b *g.Node) *g.Node {
		return linear{c}.point(g.ZerosLike(b), nil, nil, nil).indefinite(diagonal, b, steps)
	}, tensorOf(dtypes.Float64, row(diagonal)), tensorOf(dtypes.Float64, row(b)))[0]
}

// TestIndefinite: the shift solves (C⁻¹ + D) δ = b, also for a diagonal D with negative elements.
func TestIndefinite(t *testing.T) {
	const d = 8
	rng := expfam.Stream(5, "indefinite")
	c := covariance(d, rng)
	var eigen mat.EigenSym
	must.Need(t, eigen.Factorize(c, false), "the covariance has no eigenvalues")
	largest := floats.Max(eigen.Values(nil))
	diagonal, b := make([]float64, d), make([]float64, d)
	for j := range d {
		diagonal[j], b[j] = float64(j)/largest, rng.NormFloat64()
		if j%3 == 0 {
			diagonal[j] = -0.3 / largest
		}
	}
	var system mat.Dense // I + C D
	system.Mul(c, mat.NewDiagDense(d, diagonal))
	for j := range d {
		system.Set(j, j, system.At(j, j)+1)
	}
	var right, want mat.VecDense
	right.MulVec(c, mat.NewVecDense(d, b))
	must.Do(t, want.SolveVec(&system, &right))
	got := indefiniteShift(t, c, diagonal, b, 2*d)
	must.Be(t, floats.Distance(got, want.RawVector().Data, 2) <= 1e-8*mat.Norm(&want, 2), "the shift is %v, not %v",
		got, want.RawVector().Data)
}

// TestNoCovariance: the Jacobian of a network may be larger than 1/ω, the largest covariance that a share ω of the data
// leaves. The system is then not positive definite. Its solution, 50 times as large as the first step and of the wrong
// sign, is not taken.
func TestNoCovariance(t *testing.T) {
	const d = 8
	c := covariance(d, expfam.Stream(6, "indefinite"))
	var eigen mat.EigenSym
	var u mat.Dense
	must.Need(t, eigen.Factorize(c, true), "the covariance has no eigenvalues")
	eigen.VectorsTo(&u)
	c.ScaleSym(1.02/floats.Max(eigen.Values(nil)), c)
	b, diagonal := mat.Col(nil, d-1, &u), make([]float64, d)
	floats.AddConst(-1, diagonal) // 1/ω is 1
	shift := floats.Dot(indefiniteShift(t, c, diagonal, b, 6), b)
	must.Be(t, shift >= 1 && shift <= 4, "the shift is %.3g along the component, whose first step is 1.02", shift)
}
