// Package densetest has small Gaussian fields for tests that need thousands of posteriors: dense matrices, a
// millisecond for a hundred cells.
package densetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Field is x₀ ~ N(Level, K) on Rows × Cols cells with K = SD² exp(−distance²/(2 Length²)).
type Field struct {
	Rows, Cols        int
	Level, SD, Length float64

	cov       *mat.SymDense
	precision mat.SymDense
	root      mat.TriDense // lower
}

// New returns a field that is ready for use.
func New(t testing.TB, f Field) *Field {
	t.Helper()
	d := f.Rows * f.Cols
	f.cov = mat.NewSymDense(d, nil)
	for a := range d {
		for b := a; b < d; b++ {
			r, c := float64(a/f.Cols-b/f.Cols), float64(a%f.Cols-b%f.Cols)
			f.cov.SetSym(a, b, f.SD*f.SD*math.Exp(-(r*r+c*c)/(2*f.Length*f.Length)))
		}
		f.cov.SetSym(a, a, f.cov.At(a, a)+1e-6*f.SD*f.SD) // for the factorisation
	}
	var chol mat.Cholesky
	must.Need(t, chol.Factorize(f.cov), "densetest: the covariance is not positive definite")
	chol.LTo(&f.root)
	if err := chol.InverseTo(&f.precision); err != nil {
		t.Log("densetest:", err) // ill-conditioned, which Newton's method bears
	}
	return &f
}

// Draw draws a field into x.
func (f *Field) Draw(rng *rand.Rand, x []float64) {
	z := mat.NewVecDense(len(x), nil)
	for i := range x {
		z.SetVec(i, rng.NormFloat64())
	}
	mat.NewVecDense(len(x), x).MulVec(&f.root, z)
	floats.AddConst(f.Level, x)
}

// Sample draws from the Laplace approximation: N(mode, (K⁻¹ + W)⁻¹), with W the informations at the mode.
func (f *Field) Sample(t testing.TB, like expfam.Likelihood, obs expfam.Observations, draws int,
	seed uint64) *expfam.Posterior {
	t.Helper()
	terms := must.Get(like.Terms())(t)
	d := len(obs)
	x, slope, information := slices.Repeat([]float64{f.Level}, d), make([]float64, d), make([]float64, d)
	var chol mat.Cholesky
	for range 30 {
		terms.LogLikSlope(x, obs, slope)
		terms.Informations(x, obs, information)
		h, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		h.CopySym(&f.precision)
		for j := range d {
			h.SetSym(j, j, h.At(j, j)+information[j])
			right.SetVec(j, information[j]*(x[j]-f.Level)+slope[j])
		}
		must.Need(t, chol.Factorize(h), "densetest: the posterior precision is not positive definite")
		next := mat.NewVecDense(d, nil)
		if err := chol.SolveVecTo(next, right); err != nil {
			t.Log("densetest:", err)
		}
		moved := 0.0
		for j := range x {
			moved = max(moved, math.Abs(f.Level+next.AtVec(j)-x[j]))
			x[j] = f.Level + next.AtVec(j)
		}
		if moved < 1e-6 {
			break
		}
	}
	var upper mat.TriDense
	chol.UTo(&upper) // H = UᵀU: a draw is U⁻¹ z
	rng := expfam.Stream(seed, "densetest")
	z := mat.NewDense(d, draws, nil)
	for i := range z.RawMatrix().Data {
		z.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var out mat.Dense
	if err := upper.SolveTo(&out, false, z); err != nil {
		t.Log("densetest:", err)
	}
	post := &expfam.Posterior{X: mat.NewDense(draws, d, nil), Likelihood: like,
		Info: expfam.Info{Rows: f.Rows, Cols: f.Cols}}
	for i := range draws {
		for j := range d {
			post.X.Set(i, j, x[j]+out.At(j, i))
		}
	}
	return post
}
