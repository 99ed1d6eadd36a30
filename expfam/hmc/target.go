package hmc

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
)

// terms computes the log-likelihood of all data with its derivatives in x₀, and its information in the form HᵀWH:
// the rows of H and the weights W. [expfam.Forward] implements it.
type terms interface {
	LogLikSlope(x []float64, obs expfam.Observations, slope []float64) float64
	Precision(x []float64, obs expfam.Observations) (rows func(k int, visit func(cell int, weight float64)),
		w []float64)
}

// target is the posterior of x₀ in the coordinates u of x₀ = x̂ + A u. Its log density is
//
//	log p(u | y) = Σⱼ log p(yⱼ | x₀ⱼ) − |z|²/2 + const,  z = ẑ + M u,
//
// where x₀ = μ + L z and L Lᵀ = K. Whitened by the prior, ẑ = 0 and M = I.
// Whitened by the Laplace approximation, ẑ is the mode, and M Mᵀ is the inverse
// of the negative Hessian there. Then u is near N(0, I), however informative the data are.
type target struct {
	terms  terms
	obs    expfam.Observations
	centre []float64        // x̂
	along  blas64.General   // A = L M, (cells, rank)
	offset []float64        // Mᵀ ẑ
	square blas64.Symmetric // Mᵀ M
}

// newTarget returns the target whitened by the prior alone, or by the Laplace approximation at the mode.
func newTarget(mean []float64, cov *mat.SymDense, t terms, obs expfam.Observations, laplace bool) (*target, error) {
	d := cov.SymmetricDim()
	if err := machine.Fits(fmt.Sprintf("hmc: a prior of %d cells", d), 48*float64(d)*float64(d),
		"take a coarser grid, gmrf.Sample or expfam.Sample"); err != nil {
		return nil, err
	}
	l, err := gp.Factor(cov)
	if err != nil {
		return nil, err
	}
	_, rank := l.Dims()
	z := make([]float64, rank)
	whiten := mat.NewDense(rank, rank, nil) // M
	for k := range rank {
		whiten.Set(k, k, 1)
	}
	if laplace {
		var chol *mat.Cholesky
		if z, chol, err = mode(mean, l, t, obs); err != nil {
			return nil, err
		}
		// The negative Hessian is Uᵀ U, and M = U⁻¹.
		var u mat.TriDense
		chol.UTo(&u)
		if err := whiten.Solve(&u, mat.DenseCopyOf(whiten)); err != nil {
			return nil, fmt.Errorf("hmc: the Hessian at the mode: %w; sample with PriorWhitened", err)
		}
	}
	along, square, offset := new(mat.Dense), new(mat.SymDense), mat.NewVecDense(rank, nil)
	along.Mul(l, whiten)
	square.SymOuterK(1, whiten.T())
	offset.MulVec(whiten.T(), mat.NewVecDense(rank, z))
	return &target{
		terms: t, obs: obs,
		centre: latent(mean, l, z),
		along:  along.RawMatrix(),
		offset: offset.RawVector().Data,
		square: square.RawSymmetric(),
	}, nil
}

// latent returns μ + L z.
func latent(mean []float64, l *mat.Dense, z []float64) []float64 {
	var x mat.VecDense
	x.MulVec(l, mat.NewVecDense(len(z), z))
	x.AddVec(&x, mat.NewVecDense(len(mean), mean))
	return x.RawVector().Data
}

// rank returns the number of coordinates u.
func (t *target) rank() int { return t.along.Cols }

// cells returns the number of cells.
func (t *target) cells() int { return t.along.Rows }

// place writes x₀ = x̂ + A u to x.
func (t *target) place(u, x []float64) {
	copy(x, t.centre)
	blas64.Gemv(blas.NoTrans, 1, t.along, vector(u), 1, vector(x))
}

// logDensity returns log p(u | y) up to a constant and writes its gradient. It uses x and slope, one number
// per cell, as work space. Outside of the support and where numbers overflow it returns −Inf.
func (t *target) logDensity(u, gradient, x, slope []float64) float64 {
	t.place(u, x)
	logp := t.terms.LogLikSlope(x, t.obs, slope)
	// First the gradient of |z|²/2 = |ẑ|²/2 + offset·u + uᵀ square u/2.
	copy(gradient, t.offset)
	blas64.Symv(1, t.square, vector(u), 1, vector(gradient))
	logp -= (floats.Dot(u, gradient) + floats.Dot(u, t.offset)) / 2
	blas64.Gemv(blas.Trans, 1, t.along, vector(slope), -1, vector(gradient))
	if math.IsNaN(logp) || math.IsInf(logp, 1) {
		return math.Inf(-1)
	}
	return logp
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
