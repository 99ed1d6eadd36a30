package gp

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// product is a lattice of two kernels and the same field as a matrix.
func product(t *testing.T, rows, cols int, at float64) (*Lattice, *Gaussian) {
	t.Helper()
	kernel := func(n int) (*mat.SymDense, *mat.Dense, []float64) {
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				k.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/2))
			}
		}
		var e mat.EigenSym
		e.Factorize(k, true)
		var basis mat.Dense
		e.VectorsTo(&basis)
		return k, &basis, e.Values(nil)
	}
	k1, a, l1 := kernel(rows)
	k2, b, l2 := kernel(cols)
	values, mean, cov := mat.NewDense(rows, cols, nil), make([]float64, rows*cols), mat.NewSymDense(rows*cols, nil)
	for i := range rows * cols {
		values.Set(i/cols, i%cols, l1[i/cols]*l2[i%cols])
		mean[i] = at
		for j := i; j < rows*cols; j++ {
			cov.SetSym(i, j, k1.At(i/cols, j/cols)*k2.At(i%cols, j%cols))
		}
	}
	l := must.Get(NewLattice(at, a, b, values))(t)
	dense := must.Get(New(mean, cov))(t)
	return l, dense
}

func TestLatticeIsTheGaussian(t *testing.T) {
	l, dense := product(t, 4, 7, 0.3)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		x := [][]float32{make([]float32, 28), make([]float32, 28)}
		for j := range 28 {
			x[0][j], x[1][j] = float32(math.Sin(float64(j))), float32(j%5)-2
		}
		for _, v := range []float64{1e-4, 0.3, 0.999} {
			out := enginetest.Call(t, e, func(x *g.Node) []*g.Node {
				at := level.Nodes{SqrtAlpha: g.Reshape(g.Scalar(x.Graph(), x.DType(), math.Sqrt(1-v)), 1, 1),
					V: g.Reshape(g.Scalar(x.Graph(), x.DType(), v), 1, 1)}
				m, s := l.Moments(x, at)
				m2, s2 := dense.Moments(x, at)
				return []*g.Node{m, s, m2, s2}
			}, x)
			for k := range 2 {
				for j := range out[k] {
					// Sums of 28 terms of float32; variances are relative to v.
					scale := []float64{1, v}[k]
					must.Be(t, math.Abs(out[k][j]-out[k+2][j]) <= 1e-5*scale,
						"v = %g: output %d, number %d is %g, and %g of the matrix", v, k, j, out[k][j], out[k+2][j])
				}
			}
		}
	})
	for _, v := range l.Variance() {
		must.Absolute(t, "variance", v, 1, 1e-12)
	}
}

func TestLatticeDraws(t *testing.T) {
	l, dense := product(t, 3, 5, -1)
	const n = 20000
	rng, x := expfam.Stream(1, "lattice"), make([]float64, 15)
	sums, products := make([]float64, 15), mat.NewDense(15, 15, nil)
	for range n {
		l.Draw(rng, x)
		for i := range x {
			sums[i] += x[i] / n
			for j := range x {
				products.Set(i, j, products.At(i, j)+(x[i]+1)*(x[j]+1)/n)
			}
		}
	}
	for i := range x {
		must.Be(t, math.Abs(sums[i]+1) <= 5/math.Sqrt(n), "cell %d has mean %g", i, sums[i])
		for j := range x {
			// Five standard errors, √((1 + k²)/n).
			k := dense.Cov().At(i, j)
			must.Absolute(t, "covariance", products.At(i, j), k, 5*math.Sqrt((1+k*k)/n))
		}
	}
}

func TestLatticeRefuses(t *testing.T) {
	of := func(v ...float64) *mat.Dense { return mat.NewDense(len(v)/2, 2, v) }
	unit, nan := of(1, 0, 0, 1), of(1, 0, 0, math.NaN())
	for _, c := range []struct {
		level                float64
		along, cross, values *mat.Dense
		want                 string
	}{
		{0, of(1, 0, 0, 2), unit, unit, "off orthonormal by 3"},
		{0, nan, unit, unit, "off orthonormal by NaN"},
		{0, unit, unit, of(1, 1, 1, 1, 1, 1), "a basis of 2×2 for a side of 3 cells"},
		{0, unit, unit, of(1, -1, 1, 1), "a variance of -1"},
		{0, unit, unit, nan, "a variance of NaN"},
		{math.NaN(), unit, unit, unit, "mean NaN"},
	} {
		must.Refuse(NewLattice(c.level, c.along, c.cross, c.values))(t, c.want)
	}
}

// Means that agree to four digits are two fields, with two names: keys have these.
func TestLatticesOfCloseMeansHaveTheirNames(t *testing.T) {
	a, _ := product(t, 3, 2, 0.12345)
	b, _ := product(t, 3, 2, 0.12345001)
	must.Be(t, a.String() != b.String(), "both are %v", a)
}
