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
func correlated(p *Point, pull, root *Node, steps int) *Node {
	if steps < 1 {
		panic(fmt.Errorf("%d steps of conjugate gradients; use at least 1, or 0 for 3", steps))
	}
	rho := Reciprocal(OnePlus(Mul(p.Var, Square(root))))
	r := StopGradient(pull)
	root, rho = StopGradient(root), StopGradient(rho)
	z := Mul(rho, r)
	direction := z
	rz := rowDot(r, z)
	var shift *Node
	for i := range steps {
		image := p.Cov(Mul(root, direction)) // C √W p
		product := Add(direction, Mul(root, image))
		curvature := Max(rowDot(direction, product), rowDot(direction, direction))
		length := Div(rz, MaxScalar(curvature, tiny(rz)))
		if shift == nil {
			shift = Mul(length, image)
		} else {
			shift = Add(shift, Mul(length, image))
		}
		if i == steps-1 {
			break
		}
		r = Sub(r, Mul(length, product))
		z = Mul(rho, r)
		next := rowDot(r, z)
		direction = Add(z, Mul(Div(next, MaxScalar(rz, tiny(rz))), direction))
		rz = next
	}
	return shift
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
