package diffusion

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// Proximal is the plug-and-play estimate of DiffPIR (Zhu et al. 2023, CVPR workshops). It
// balances the distance from the denoised E[x₀ | x_t] against the fit to the data:
//
//	argmin −log p(y | x) + Lambda |x − E[x₀ | x_t]|²/(2σ²),  σ² = v/α,
//
// as if x₀ | x_t had independent cells of variance σ²/Lambda. It takes no Jacobian product. The
// minimum is found by Newton steps, each by conjugate gradients; for sums of intensities the
// curvature of the link is left out. For counts this is the proximal step of Prox-[DiffPIR].
// Use Proximal with the method DiffPIR. Its draws look like plausible images, but their spread
// is not the spread of the posterior.
type Proximal struct {
	Lambda float64 // default 1; a larger Lambda trusts the network more
	Newton int     // Newton steps, default 3
	Steps  int     // steps of conjugate gradients in each Newton step, default 6
}

func (q Proximal) orDefault() Proximal {
	return Proximal{cmp.Or(q.Lambda, 1), cmp.Or(q.Newton, 3), cmp.Or(q.Steps, 6)}
}

func (q Proximal) String() string {
	q = q.orDefault()
	return fmt.Sprintf("proximal(lambda=%g, newton=%d, cg=%d)", q.Lambda, q.Newton, q.Steps)
}

// Check refuses a Lambda that is not a positive number, and numbers of steps below 1.
func (q Proximal) Check() error {
	q = q.orDefault()
	if q.Newton < 1 || q.Steps < 1 {
		return fmt.Errorf("proximal: %d Newton steps and %d of conjugate gradients; use at least 1 of each, or 0 "+
			"for the default", q.Newton, q.Steps)
	}
	return checkGuidance("proximal", "Lambda", q.Lambda)
}

// Shift returns the minimum less E[x₀ | x_t].
func (q Proximal) Shift(p *Point) *Node {
	q = q.orDefault()
	mean := StopGradient(p.Mean)
	variance := DivScalar(Div(p.Level.V, Square(p.Level.SqrtAlpha)), q.Lambda)
	x := mean
	// Steps are bounded, the first one most, because exponential links are too steep for their own tangent.
	for reach, k := 1.0, 0; k < q.Newton; k, reach = k+1, 2*reach {
		step := q.step(p, x, mean, variance)
		x = Add(x, ClipScalar(step, -reach, reach))
	}
	return Sub(x, mean)
}

// tangent is the log-likelihood of a data set near x: its slope and its information with respect to what the data
// look at.
type tangent struct {
	response
	slope, w *Node
}

// step returns the Newton step d from x. It solves (I + τ² JᵀWJ) d = m − x + τ² Jᵀℓ′ by conjugate gradients, where τ²
// is the variance.
func (q Proximal) step(p *Point, x, mean, variance *Node) *Node {
	parts := tangentsAt(p, x)
	right := Sub(mean, x)
	for _, b := range parts {
		right = Add(right, Mul(variance, b.from(b.slope)))
	}
	product := func(u *Node) *Node {
		sum := u
		for _, b := range parts {
			sum = Add(sum, Mul(variance, b.from(Mul(b.w, b.to(u)))))
		}
		return sum
	}
	d, r := ZerosLike(right), right
	direction, rr := r, rowDot(r, r)
	for range q.Steps {
		image := product(direction)
		length := Div(rr, MaxScalar(rowDot(direction, image), tiny(rr)))
		d = Add(d, Mul(length, direction))
		r = Sub(r, Mul(length, image))
		next := rowDot(r, r)
		direction = Add(r, Mul(Div(next, MaxScalar(rr, tiny(rr))), direction))
		rr = next
	}
	return d
}

// tangentsAt returns the tangents of all data sets at x.
func tangentsAt(p *Point, x *Node) []tangent {
	one := func(v response, terms *expfam.Terms, stat, size *Node) tangent {
		d := terms.Orders(v.eta, stat, size, 1, 2)
		return tangent{v, StopGradient(d[0]), StopGradient(MaxScalar(Neg(d[1]), 0))}
	}
	if p.forward == nil {
		id := func(u *Node) *Node { return u }
		return []tangent{one(response{x, id, id}, p.Terms, p.Stat, p.Size)}
	}
	var all []tangent
	for _, s := range p.graphParts() {
		all = append(all, one(s.at(x), s.Terms, s.part(p.Stat), s.part(p.Size)))
	}
	return all
}
