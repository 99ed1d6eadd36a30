package diffusion

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
	"github.com/gomlx/compute/dtypes"
)

// inCosines returns T diag(λ) Tᵀ with the cosines T of a lattice.
func inCosines(c cosines, lambda []float64) *mat.SymDense {
	var t mat.Dense
	t.Kronecker(c.along(c.rows), c.along(c.cols))
	out := mat.NewSymDense(len(lambda), nil)
	for k, v := range lambda {
		out.SymRankOne(out, v, t.RowView(k))
	}
	return out
}

// The variances of the cosines are dᵀ R d under the matrix R of a table, and 1 for cells that are not correlated.
func TestVariancesOfCosines(t *testing.T) {
	c := cosines{rows: 3, cols: 4}
	table, rng := make([]float64, 5*7), expfam.Stream(1, "table")
	for i := range 18 { // symmetric, so that R is
		table[i] = rng.Float64()
		table[34-i] = table[i]
	}
	r := mat.NewDense(12, 12, nil)
	r.Apply(func(i, j int, _ float64) float64 { return table[(i/4-j/4+2)*7+i%4-j%4+3] }, r)
	var basis mat.Dense
	basis.Kronecker(c.along(3), c.along(4))
	for k, got := range c.variances(table) {
		d := basis.RowView(k)
		if want := math.Max(mat.Inner(d, r, d), 0); !(math.Abs(got-want) < 1e-12) {
			t.Errorf("cosine %d: %g, want %g", k, got, want)
		}
	}
	alone := make([]float64, 5*7)
	alone[17] = 1
	for k, got := range c.variances(alone) {
		must.Be(t, math.Abs(got-1) < 1e-12, "cosine %d of independent cells: %g", k, got)
	}
}

// Where the correlations are diagonal in the cosines, the preconditioner is the system itself, and one step solves it:
// of data of single cells, and of sums of neighbours, with cells of different variances.
func TestCosinesSolveInOneStep(t *testing.T) {
	c := cosines{rows: 3, cols: 4}
	const d = 12
	lambda := make([]float64, d)
	for k := range d { // the cosines k and 4 − k of a row have the same variance, so that R has the diagonal 1
		lambda[k] = []float64{1.6, 0.6, 1.2, 0.6}[k%4]
	}
	cov, r := mat.NewSymDense(d, nil), inCosines(c, lambda)
	for i := range d {
		must.Be(t, math.Abs(r.At(i, i)-1) < 1e-12, "cell %d has variance %g", i, r.At(i, i))
		for j := i; j < d; j++ {
			cov.SetSym(i, j, r.At(i, j)*(1+0.2*float64(i))*(1+0.2*float64(j)))
		}
	}
	rng := expfam.Stream(5, "solve")
	residual, root, pull := mat.NewDense(2, d, nil), mat.NewDense(2, d, nil), mat.NewDense(2, d, nil)
	for i := range 2 {
		for j := range d {
			w := math.Exp(2 * rng.NormFloat64())
			residual.Set(i, j, rng.NormFloat64())
			root.Set(i, j, math.Sqrt(w))
			pull.Set(i, j, math.Sqrt(w)*residual.At(i, j))
		}
	}
	h := mat.NewDense(d, d, nil)
	for i := range d {
		h.Set(i, i, 1)
		h.Set(i, (i+1)%d, 0.5)
	}
	e := must.Get(engine.Float64())(t)
	for name, h := range map[string]*mat.Dense{"cells": mat.DenseCopyOf(mat.NewDiagDense(d, ones(d))), "sums": h} {
		got := enginetest.Call(t, e, func(pull, root *g.Node) *g.Node {
			p := linear{cov}.point(g.ZerosLike(pull), nil, nil, nil)
			p.cosines = &cosines{3, 4, g.Const(pull.Graph(), [][]float64{lambda})}
			constant := func(m *mat.Dense) *g.Node {
				return g.Reshape(g.Const(pull.Graph(), mat.DenseCopyOf(m).RawMatrix().Data), d, d)
			}
			var variance mat.Dense
			variance.Product(h, cov, h.T())
			s := linearisation{to: func(u *g.Node) *g.Node { return g.MatMul(u, constant(mat.DenseCopyOf(h.T()))) },
				from:     func(u *g.Node) *g.Node { return g.MatMul(u, constant(h)) },
				variance: g.Const(pull.Graph(), [][]float64{diagonal(&variance)})}
			return correlated(p, s, pull, root, 1)
		}, tensorOf(dtypes.Float64, pull), tensorOf(dtypes.Float64, root))[0]
		for i := range 2 {
			w := make([]float64, d)
			for j, v := range root.RawRowView(i) {
				w[j] = v * v
			}
			want := denseShift(cov, h, w, residual.RawRowView(i))
			for j, v := range want {
				// The solve of twelve cells ends after twelve steps but for roundings.
				if !(math.Abs(got[i*d+j]-v) < 1e-6) {
					t.Errorf("%s, draw %d, cell %d: %g, want %g", name, i, j, got[i*d+j], v)
				}
			}
		}
	}
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func diagonal(m *mat.Dense) []float64 {
	out := make([]float64, m.RawMatrix().Rows)
	for i := range out {
		out[i] = m.At(i, i)
	}
	return out
}
