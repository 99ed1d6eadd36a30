package diffusion

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/joint"
)

// correlated solves (C + W⁻¹) w = r for a batch of cells and returns C w. This is the shift of the posterior mean of x₀
// if the likelihood acts on cell j like an observation of x₀ⱼ − mⱼ with value rⱼ and precision Wⱼ, and the cells of x₀
// | x_t have covariance C. Without the correlations the data of coupled cells would count several times.
//
// The system is solved in the form
//
//	(I + √W C √W) u = √W r,  w = √W u,
//
// by steps of conjugate gradients from zero, preconditioned by the diagonal 1/ρ = 1 + s² W of the system. Where s.rows
// or p.pairs give the correlations of all pairs, [linearisation.preconditioner] takes the place of the diagonal. C may
// come from a learned Jacobian, which is only nearly a covariance: where pᵀ(I + √W C √W)p falls below |p|², which is
// impossible for a covariance, |p|² takes its place. Each step costs one product with C. The steps sum up C w. Under a
// [denseCovariance] [damping] may shorten the sum.
//
// The argument pull is √W r and root is √W, both (batch, d). With an operator they
// are (batch, data), H C Hᵀ takes the place of C in the system, and the shift is C Hᵀ w.
func correlated(p *Point, s linearisation, pull, root *Node, steps int) *Node {
	if steps < 1 {
		panic(fmt.Errorf("%d steps of conjugate gradients; use at least 1, or 0 for 3", steps))
	}
	rho := Reciprocal(OnePlus(Mul(s.variance, Square(root))))
	r := StopGradient(pull)
	root, rho = StopGradient(root), StopGradient(rho)
	precondition := func(r *Node) *Node { return Mul(rho, r) }
	if s.rows != nil || p.pairs != nil || p.cosines != nil {
		precondition = s.preconditioner(p, root, rho)
	}
	z := precondition(r)
	direction := z
	rz := rowDot(r, z)
	var shift, reached *Node // δ and √W H δ
	for i := range steps {
		image := p.Cov(s.from(Mul(root, direction))) // C Hᵀ √W p
		away := Mul(root, s.to(image))
		product := Add(direction, away)
		energy := Max(rowDot(direction, product), rowDot(direction, direction))
		length := Div(rz, MaxScalar(energy, smallestDivisor(rz)))
		shift, reached = addTo(shift, Mul(length, image)), addTo(reached, Mul(length, away))
		if i == steps-1 {
			break
		}
		r = Sub(r, Mul(length, product))
		z = precondition(r)
		next := rowDot(r, z)
		direction = Add(z, Mul(Div(next, MaxScalar(rz, smallestDivisor(rz))), direction))
		rz = next
	}
	return covarianceAt(p).damp(shift, reached, pull)
}

// innerSteps is the largest number of steps of conjugate gradients in a preconditioner. For data
// that a wide prior couples, for example through an intercept, it is innerStepsWide. Rounding
// errors keep more steps from converging further.
const innerSteps, innerStepsWide = 16, 64

// preconditioner returns a function that solves (I + √W K √W) z = r by steps of conjugate gradients without Jacobian
// products. Under a [denseCovariance] K = A R Aᵀ, with the rows A of [linearisation] and the average correlation R of
// the cells. For few data of more cells, K is the average correlation of the data, scaled by their standard deviations.
// Behind a blur K = H S R S Hᵀ with the standard deviations S of the cells and the average correlation R of their lags.
//
// The correlations of few data are averaged over the pairs of a lag, and may have negative eigenvalues, as in a field
// with edges. Where pᵀ(I + √W K √W)p falls below |p|²/2, which is impossible for a covariance, |p|²/2 takes its place.
func (s linearisation) preconditioner(p *Point, root, rho *Node) func(r *Node) *Node {
	product := func(u *Node) *Node {
		sd := StopGradient(Sqrt(s.variance))
		return Mul(sd, MatMul(Mul(sd, u), p.pairs))
	}
	if p.cosines != nil {
		sd := StopGradient(Sqrt(p.Var))
		product = func(u *Node) *Node { return s.to(Mul(sd, p.cosines.product(Mul(sd, s.from(u))))) }
	}
	if s.rows != nil {
		a := StopGradient(s.rows)
		k := Einsum("bnd,bmd->bnm", timesCorrelation(a, p.correlation), a)
		if dims := root.Shape().Dimensions; k.Shape().Dimensions[0] != dims[0] {
			k = BroadcastToDims(k, dims[0], dims[1], dims[1])
		}
		product = func(u *Node) *Node { return Einsum("bnm,bm->bn", k, u) }
	}
	rough := p.forward != nil && p.cosines == nil && s.rows == nil
	steps := min(innerSteps, root.Shape().Dimensions[1])
	if p.wide {
		steps = min(innerStepsWide, 2*root.Shape().Dimensions[1])
	}
	return func(right *Node) *Node {
		r, z := right, Mul(rho, right)
		direction, rz := z, rowDot(right, z)
		solution := ZerosLike(right)
		for range steps {
			image := Add(direction, Mul(root, product(Mul(root, direction))))
			energy := rowDot(direction, image)
			if rough {
				energy = Max(energy, MulScalar(rowDot(direction, direction), 0.5))
			}
			length := Div(rz, MaxScalar(energy, smallestDivisor(rz)))
			solution = Add(solution, Mul(length, direction))
			r = Sub(r, Mul(length, image))
			z = Mul(rho, r)
			next := rowDot(r, z)
			direction = Add(z, Mul(Div(next, MaxScalar(rz, smallestDivisor(rz))), direction))
			rz = next
		}
		return solution
	}
}

// rowDot returns the inner product of a and b for each draw, (batch, 1).
func rowDot(a, b *Node) *Node { return ReduceAndKeep(Mul(a, b), ReduceSum, -1) }

// smallestDivisor returns the smallest divisor for which a division in the type of a does not overflow.
func smallestDivisor(a *Node) float64 {
	if a.DType().Size() >= 8 {
		return 1e-300
	}
	return 1e-30
}

// hasUnknowns reports whether the prior or the likelihood has unknown parameters.
func hasUnknowns(prior expfam.Prior, like expfam.Likelihood) bool {
	if _, ok := prior.(expfam.Parametric); ok {
		return true
	}
	for _, part := range like.Parts() {
		if len(part.Unknown) > 0 {
			return true
		}
	}
	return false
}

// isGaussian reports whether the mean and the covariance of a prior are known, perhaps given its parameters.
func isGaussian(prior expfam.Prior) bool {
	switch prior.(type) {
	case expfam.Parametric, interface {
		Mean() []float64
		Cov() *mat.SymDense
	}:
		return true
	}
	return false
}

// joint draws the field and the parameters of a Gaussian prior together, by package joint.
func (s Sampler) joint(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*expfam.Posterior, error) {
	if s.Method != nil || s.Guidance != nil {
		return nil, fmt.Errorf("sample: the model has unknown parameters, which package joint draws with the field; " +
			"leave Method and Guidance out")
	}
	return joint.SampleContext(ctx, prior, like, obs, joint.Options{Draws: s.Draws, First: s.First, Seed: s.Seed,
		Fresh: s.Fresh})
}

// overshoot is the share of a shift below which [damping] shortens the shift. At 0.25 no draw of signals
// with jumps goes astray, at 0.1 some do.
const overshoot = 0.25

// damping returns the factor, (batch, 1), by which a shift δ is shortened. The argument image is √W H δ, and
// pull is b = √W r; see [correlated]. For a covariance C the exact solution u has b = √W H δ + u and
// ⟨√W H δ, u⟩ ≥ 0. Along the exact shift the misfit |b − t √W H δ| therefore falls up to t = 1 at least.
//
// The Jacobian of a network may be far from a covariance where x_t is unlike the draws of the training, as jumps of
// heavy-tailed signals make it. At noise level σ its error is multiplied by σ², and one shift would carry x_t away for
// good. Where the misfit is least at a t below overshoot, the factor is this t, or 0 if t is negative. Elsewhere the
// factor is 1, because conjugate gradients that end early also miss t = 1, mostly by little.
func damping(image, pull *Node) *Node {
	squares := rowDot(image, image)
	least := MaxScalar(Div(rowDot(image, pull), MaxScalar(squares, smallestDivisor(squares))), 0)
	beyond := LogicalAnd(GreaterThan(squares, ZerosLike(squares)),
		LessThan(least, MulScalar(OnesLike(least), overshoot)))
	return StopGradient(Where(beyond, least, OnesLike(least)))
}
