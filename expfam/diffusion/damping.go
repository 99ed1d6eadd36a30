package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"
)

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
