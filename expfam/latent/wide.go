package latent

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/sparse"
)

// errIndefinite is the error of a precision that is not positive definite.
var errIndefinite = errors.New("the precision is not positive definite; give the level a finite standard " +
	"deviation, or fewer unknown numbers")

// wide is a precision P = S + V C Vᵀ with a factor of the sparse S and few columns V. With S = L Lᵀ and W = L⁻¹V
//
//	P = L (I + W C Wᵀ) Lᵀ,  P⁻¹ = L⁻ᵀ (I − W (C⁻¹ + WᵀW)⁻¹ Wᵀ) L⁻¹.
//
// An entry of C may be negative, if P is positive definite all the same.
type wide struct {
	*sparse.Factor
	w      blas64.General // (nodes, columns), in the order of the factor
	middle *mat.Dense     // (C⁻¹ + WᵀW)⁻¹
	logDet float64        // of P
	// After root, (I + W C Wᵀ)^−½ = I + Z diag(by) Zᵀ, and Z has the shape of w.
	z  blas64.General
	by []float64
}

// newWide returns the precision for columns and their weights. The factor must be computed.
func newWide(f *sparse.Factor, constraints []Column, weights []float64) (*wide, error) {
	p := &wide{Factor: f, logDet: f.LogDet()}
	k := len(constraints)
	if k == 0 {
		return p, nil
	}
	n := f.Rows()
	p.w = blas64.General{Rows: n, Cols: k, Stride: k, Data: make([]float64, n*k)}
	x := make([]float64, n*k)
	for c, column := range constraints {
		for _, e := range column {
			x[e.Node*k+c] = e.Weight
		}
	}
	f.Forward(p.w.Data, x, k)
	inner := p.gram() // C⁻¹ + WᵀW
	for c, v := range weights {
		inner.Set(c, c, inner.At(c, c)+1/v)
	}
	var lu mat.LU
	lu.Factorize(inner)
	det, sign := lu.LogDet()
	for _, v := range weights {
		det += math.Log(math.Abs(v))
		if v < 0 {
			sign = -sign
		}
	}
	if sign <= 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return nil, errIndefinite
	}
	p.logDet += det
	p.middle = mat.NewDense(k, k, nil)
	if err := p.middle.Inverse(inner); err != nil && math.IsNaN(p.middle.At(0, 0)) {
		return nil, errIndefinite
	}
	return p, nil
}

// gram returns WᵀW.
func (p *wide) gram() *mat.Dense {
	n, k := p.w.Rows, p.w.Cols
	out, w := make([]float64, k*k), columns.Rows(p.w.Data, k)
	columns.MulAdd(1, columns.Rows(out, k), w.T(), w, k, n, k)
	return mat.NewDense(k, k, out)
}

// solve replaces x by P⁻¹x. It uses work, which is as long as x.
func (p *wide) solve(x, work []float64) {
	p.Forward(work, x, 1)
	if p.middle != nil {
		k := p.w.Cols
		a, b := make([]float64, k), make([]float64, k)
		blas64.Gemv(blas.Trans, 1, p.w, vector(work), 0, vector(a))
		blas64.Gemv(blas.NoTrans, 1, p.middle.RawMatrix(), vector(a), 0, vector(b))
		blas64.Gemv(blas.NoTrans, -1, p.w, vector(b), 1, vector(work))
	}
	p.Backward(x, work, 1)
}

// root prepares place and pull, after which solve has no columns: with the Cholesky factor RᵀR of WᵀW and R C Rᵀ = U
// diag(λ) Uᵀ, Z = W R⁻¹U and by = (1+λ)^−½ − 1.
func (p *wide) root() error {
	if p.middle == nil {
		return nil
	}
	k := p.w.Cols
	gram, scale := mat.NewSymDense(k, nil), make([]float64, k)
	raw := p.gram()
	for c := range k {
		scale[c] = math.Sqrt(raw.At(c, c))
	}
	for c := range k {
		for d := c; d < k; d++ {
			gram.SetSym(c, d, raw.At(c, d)/(scale[c]*scale[d]))
		}
	}
	// C = (middle⁻¹ − WᵀW)⁻¹ is not formed: (I + W C Wᵀ)⁻¹ = I − W middle Wᵀ, so λ/(1+λ) are eigenvalues of R middle
	// Rᵀ.
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		return errors.New("two constraints are the same; leave one out")
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	scaled := mat.NewDense(k, k, nil)
	scaled.Apply(func(c, d int, _ float64) float64 { return scale[c] * p.middle.At(c, d) * scale[d] }, scaled)
	var half, both mat.Dense
	half.Mul(&upper, scaled)
	both.Mul(&half, upper.T())
	symmetric := mat.NewSymDense(k, nil)
	for c := range k {
		for d := c; d < k; d++ {
			symmetric.SetSym(c, d, (both.At(c, d)+both.At(d, c))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return errIndefinite
	}
	var u mat.Dense
	eigen.VectorsTo(&u)
	p.by = eigen.Values(nil)
	for c, v := range p.by {
		p.by[c] = math.Sqrt(math.Max(0, 1-v)) - 1 // 1/(1+λ) = 1 − λ/(1+λ)
	}
	if err := u.Solve(&upper, &u); err != nil && math.IsNaN(u.At(0, 0)) {
		return errIndefinite
	}
	u.Apply(func(c, _ int, v float64) float64 { return v / scale[c] }, &u)
	n := p.w.Rows
	p.z = blas64.General{Rows: n, Cols: k, Stride: k, Data: make([]float64, n*k)}
	w, by := columns.Rows(p.w.Data, k), columns.Rows(u.RawMatrix().Data, k)
	columns.MulAdd(1, columns.Rows(p.z.Data, k), w, by, n, k, k)
	p.w = blas64.General{}
	return nil
}

// place writes G z to u for k columns z, where G Gᵀ = P⁻¹, and overwrites z.
func (p *wide) place(u, z []float64, k int) {
	p.correct(z, k)
	p.Backward(u, z, k)
}

// pull writes Gᵀ gradient to z, for k columns.
func (p *wide) pull(z, gradient []float64, k int) {
	p.Forward(z, gradient, k)
	p.correct(z, k)
}

// correct multiplies k columns by I + Z diag(by) Zᵀ.
func (p *wide) correct(x []float64, k int) {
	if p.by == nil {
		return
	}
	n, m := p.z.Rows, p.z.Cols
	z, to, inner := columns.Rows(p.z.Data, m), columns.Rows(x, k), make([]float64, m*k)
	columns.MulAdd(1, columns.Rows(inner, k), z.T(), to, m, n, k)
	for c, by := range p.by {
		floats.Scale(by, inner[c*k:(c+1)*k])
	}
	columns.MulAdd(1, to, z, columns.Rows(inner, k), n, m, k)
}
