package gp

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

// Conditional is the posterior of x₀ ~ N(μ, K) in closed form. The logarithm of the likelihood must be quadratic in x₀.
// This holds for Normal and Log-normal with known variance under an affine link, such as expfam.IdentityLink.
//
// Let log p(y | x₀) = c + bᵀx₀ − x₀ᵀW x₀/2 with W diagonal, K = L Lᵀ, H = I + LᵀW L and β = Lᵀ(b − W μ). Then the
// posterior is N(μ + L H⁻¹ β, L H⁻¹ Lᵀ), and log p(y) = c + bᵀμ − μᵀW μ/2 + βᵀH⁻¹β/2 − log|H|/2.
type Conditional struct {
	expfam.Gaussian // mean and covariance of x₀ | y; a reference for distances
	LogEvidence     float64

	forward *expfam.Forward // with the likelihood and its link
	obs     expfam.Observations
	root    *mat.Dense // R with R Rᵀ = the covariance
}

// Exact returns the posterior of the prior N(mean, cov) given observations of cells, or of a linear operator. It is
// an error if the log-likelihood is not quadratic in x₀.
func Exact(prior interface {
	Mean() []float64
	Cov() *mat.SymDense
}, like expfam.Likelihood, obs expfam.Observations) (*Conditional, error) {
	if err := traits.Check(prior); err != nil {
		return nil, err
	}
	mean, cov := prior.Mean(), prior.Cov()
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	if terms.Sets() > 1 {
		return nil, errors.New("gp: several data sets together have no closed form here; use hmc.Sample")
	}
	q, err := quadraticOf(terms)
	if err != nil {
		return nil, err
	}
	forward, err := terms.Forward(len(mean))
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	if err := forward.Check(obs); err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	eta := forward.Look(mean)
	rows, _ := forward.Precision(mean, obs)
	l, err := latent.Factor("gp", cov)
	if err != nil {
		return nil, err
	}
	d, rank := l.Dims()
	weighted := mat.NewDense(len(obs), rank, nil)
	residual := mat.NewVecDense(d, nil)
	var evidence float64
	for j, t := range obs {
		b, w := t.Stat*q.eta[1]-t.Size*q.part[1], 2*t.Size*q.part[2]
		evidence += t.Base + t.Stat*q.eta[0] - t.Size*q.part[0] + b*eta[j] - w*eta[j]*eta[j]/2
		rows(j, func(cell int, weight float64) {
			residual.SetVec(cell, residual.AtVec(cell)+weight*(b-w*eta[j]))
			floats.AddScaled(weighted.RawRowView(j), math.Sqrt(w)*weight, l.RawRowView(cell))
		})
	}
	c, err := condition(l, weighted, mean, residual, evidence)
	if err != nil {
		return nil, err
	}
	c.forward, c.obs = forward, obs
	return c, nil
}

// condition returns the posterior of x₀ = mean + L z, where z is standard normal. With H the operator and η the value
// of the linear predictor at the mean, weighted is √W H L and residual is Hᵀ(b − W η). evidence is the
// log-likelihood at the mean.
func condition(l, weighted *mat.Dense, mean []float64, residual *mat.VecDense, evidence float64) (*Conditional, error) {
	d, rank := l.Dims()
	h := mat.NewSymDense(rank, nil)
	h.SymOuterK(1, weighted.T())
	for k := range rank {
		h.SetSym(k, k, h.At(k, k)+1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, errors.New("gp: the posterior precision is not finite; check the terms of the observations")
	}
	// The Hessian h = UᵀU, and root = L U⁻¹.
	var u mat.TriDense
	chol.UTo(&u)
	var transposed mat.Dense
	if err := transposed.Solve(u.T(), l.T()); err != nil {
		return nil, fmt.Errorf("gp: posterior covariance: %w", err)
	}
	root := mat.DenseCopyOf(transposed.T())
	var whitened mat.VecDense // U⁻ᵀ β
	whitened.MulVec(root.T(), residual)
	c := &Conditional{LogEvidence: evidence + mat.Dot(&whitened, &whitened)/2 - chol.LogDet()/2, root: root}
	var m mat.VecDense
	m.MulVec(root, &whitened)
	m.AddVec(&m, mat.NewVecDense(d, mean))
	c.Mean = m.RawVector().Data
	posterior := mat.NewSymDense(d, nil)
	posterior.SymOuterK(1, root)
	c.Cov = posterior
	return c, nil
}

// Sample makes independent draws from the posterior. Draw i depends on the seed and i alone.
func (c *Conditional) Sample(draws int, seed uint64) (*expfam.Posterior, error) {
	if draws < 1 {
		return nil, fmt.Errorf("gp: %d draws; ask for at least 1", draws)
	}
	d, rank := c.root.Dims()
	z := mat.NewDense(draws, rank, nil)
	for i := range draws {
		rng := expfam.Stream(seed, fmt.Sprintf("exact/draw-%d", i))
		row := z.RawRowView(i)
		for k := range row {
			row[k] = rng.NormFloat64()
		}
	}
	x := mat.NewDense(draws, d, nil)
	x.Mul(z, c.root.T())
	for i := range draws {
		row := x.RawRowView(i)
		for j, m := range c.Mean {
			row[j] += m
		}
	}
	post := &expfam.Posterior{
		X: x, Likelihood: c.forward.Terms().Likelihood,
		Info: expfam.Info{Method: "exact", Engine: "go", Seed: seed, Missing: c.obs.Blanks()},
	}
	post.Examine(c.forward, c.obs)
	return post, nil
}

// quadratic holds the natural parameter η(θ) and the log-partition function A(θ) as polynomials in the argument of
// the link, constant term first.
type quadratic struct{ eta, part [3]float64 }

// quadraticOf finds the polynomials from three points, and checks them at six others. It is an error if η is not
// affine or A is not quadratic.
func quadraticOf(t *expfam.Terms) (q quadratic, err error) {
	natural, link := t.Family.Natural(), t.Link
	eta := func(x float64) float64 { return natural.Eta.Eval(link.At(x)) }
	part := func(x float64) float64 { return natural.Partition.Eval(link.At(x)) }
	through := func(f func(float64) float64) [3]float64 {
		return [3]float64{f(0), (f(1) - f(-1)) / 2, (f(1)+f(-1))/2 - f(0)}
	}
	q = quadratic{through(eta), through(part)}
	q.eta[2] = 0
	for _, x := range []float64{-7.3, -3, -0.4, 0.9, 2, 11} {
		for _, p := range []struct{ got, want float64 }{
			{eta(x), q.eta[0] + q.eta[1]*x},
			{part(x), q.part[0] + q.part[1]*x + q.part[2]*x*x},
		} {
			if !(math.Abs(p.got-p.want) <= 1e-10*(1+math.Abs(p.want))) {
				return q, fmt.Errorf("gp: %s with link %s has no closed-form posterior; use hmc.Sample", t.Family, link)
			}
		}
	}
	return q, nil
}
