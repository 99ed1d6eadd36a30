package expfam

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// correlated solves (C + W⁻¹) w = r for a batch of cells and returns C w: the
// shift of the posterior mean of x₀ when the likelihood acts on cell j like an
// observation of x₀ⱼ − mⱼ with value rⱼ and precision Wⱼ, and the cells of
// x₀ | x_t have covariance C. Without the correlations data of coupled cells
// would count several times.
//
// The system is solved in the form
//
//	(I + √W C √W) u = √W r,  w = √W u,
//
// by steps of conjugate gradients from zero, preconditioned by its diagonal
// 1/ρ = 1 + s² W. C may come from a learned Jacobian, which is only nearly a
// covariance: where pᵀ(I + √W C √W)p falls below |p|², which no covariance
// allows, |p|² takes its place. Each step costs one product with C; C w is
// summed on the way.
//
// pull is √W r, root is √W, both (batch, d).
//
// With an operator the sites are data, C becomes H C Hᵀ, and the shift is C Hᵀ w.
func correlated(p *Point, s seen, pull, root *Node, steps int) *Node {
	if steps < 1 {
		panic(fmt.Errorf("%d steps of conjugate gradients; use at least 1, or 0 for 3", steps))
	}
	rho := Reciprocal(OnePlus(Mul(s.variance, Square(root))))
	r := StopGradient(pull)
	root, rho = StopGradient(root), StopGradient(rho)
	precondition := func(r *Node) *Node { return Mul(rho, r) }
	if s.rows != nil || p.pairs != nil {
		precondition = s.preconditioner(p, root, rho)
	}
	z := precondition(r)
	direction := z
	rz := rowDot(r, z)
	var shift *Node
	for i := range steps {
		image := p.Cov(s.from(Mul(root, direction))) // C Hᵀ √W p
		product := Add(direction, Mul(root, s.to(image)))
		energy := Max(rowDot(direction, product), rowDot(direction, direction))
		length := Div(rz, MaxScalar(energy, tiny(rz)))
		if shift == nil {
			shift = Mul(length, image)
		} else {
			shift = Add(shift, Mul(length, image))
		}
		if i == steps-1 {
			break
		}
		r = Sub(r, Mul(length, product))
		z = precondition(r)
		next := rowDot(r, z)
		direction = Add(z, Mul(Div(next, MaxScalar(rz, tiny(rz))), direction))
		rz = next
	}
	return shift
}

// Steps of conjugate gradients that make a preconditioner, at most: of data that a wide prior
// couples, an intercept for example, it takes all that rounding lets converge.
const innerSteps, innerStepsWide = 16, 64

// preconditioner solves (I + √W K √W) z = r by steps without Jacobian products. Of few cells
// K = A R Aᵀ, A the rows of H and R the average correlation of the cells; of few data of many
// cells K is their average correlation times their standard deviations.
func (s seen) preconditioner(p *Point, root, rho *Node) func(r *Node) *Node {
	product := func(u *Node) *Node {
		sd := StopGradient(Sqrt(s.variance))
		return Mul(sd, MatMul(Mul(sd, u), p.pairs))
	}
	if s.rows != nil {
		a := StopGradient(s.rows)
		k := Einsum("bnd,bmd->bnm", times(a, p.correlation), a)
		if dims := root.Shape().Dimensions; k.Shape().Dimensions[0] != dims[0] {
			k = BroadcastToDims(k, dims[0], dims[1], dims[1])
		}
		product = func(u *Node) *Node { return Einsum("bnm,bm->bn", k, u) }
	}
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
			length := Div(rz, MaxScalar(rowDot(direction, image), tiny(rz)))
			solution = Add(solution, Mul(length, direction))
			r = Sub(r, Mul(length, image))
			z = Mul(rho, r)
			next := rowDot(r, z)
			direction = Add(z, Mul(Div(next, MaxScalar(rz, tiny(rz))), direction))
			rz = next
		}
		return solution
	}
}

// rowDot is the inner product of each draw, (batch, 1).
func rowDot(a, b *Node) *Node { return ReduceAndKeep(Mul(a, b), ReduceSum, -1) }

// tiny is the smallest divisor that does not overflow a division in a's type.
func tiny(a *Node) float64 {
	if a.DType().Size() >= 8 {
		return 1e-300
	}
	return 1e-30
}
