package expfam

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// correlated solves (C + W⁻¹) w = g (s² + W⁻¹) for a batch of cells and
// returns C w: the shift of the posterior mean of x₀ when the likelihood of
// cell j acts on x₀ⱼ with slope g and precision W, and the cells of x₀ | x_t
// have covariance C with diagonal s². Without the correlations it would be
// C g, which counts the data of coupled cells several times.
//
// The system is solved in the form
//
//	(I + √W C √W) u = g/(√W ρ),  ρ = 1/(1 + s² W),  w = √W u,
//
// by steps of conjugate gradients from zero, preconditioned by its diagonal.
// C may come from a learned Jacobian, which is only nearly symmetric: a
// direction without positive curvature is skipped. Each step costs one product
// with C; C w is summed on the way.
//
// g and rho = 1 − s² h are (batch, d), with 0 < ρ ≤ 1.
func correlated(p *Point, g, rho *Node, steps int) *Node {
	// A floor under the precision keeps cells that hardly bend the
	// likelihood in the system: there w → g, as it should.
	w := MaxScalar(Div(OneMinus(rho), rho), 1e-9)
	rho = Reciprocal(OnePlus(w))
	root := Sqrt(Div(w, p.Var))
	r := StopGradient(Div(g, Mul(root, rho)))

	z := Mul(rho, r)
	direction := z
	rz := rowDot(r, z)
	var shift *Node
	for i := range steps {
		image := p.Cov(Mul(root, direction)) // C √W p
		product := Add(direction, Mul(root, image))
		curvature := rowDot(direction, product)
		usable := GreaterThan(curvature, ZerosLike(curvature))
		length := Where(usable, Div(rz, Where(usable, curvature, OnesLike(curvature))), ZerosLike(rz))
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
