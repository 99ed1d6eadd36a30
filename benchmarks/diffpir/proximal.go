package diffpir

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
)

// Proximal is the plug-and-play estimate of DiffPIR (Zhu et al. 2023, CVPR workshops). It
// balances the distance from the denoised E[x₀ | x_t] against the fit to the data:
//
//	argmin −log p(y | x) + Lambda |x − E[x₀ | x_t]|²/(2σ²),  σ² = v/α,
//
// as if x₀ | x_t had independent cells of variance σ²/Lambda. It takes no Jacobian product. The minimum is found by
// Newton steps, each by conjugate gradients; for sums of intensities the curvature of the link is left out. For counts
// this is the proximal step of Prox-[DiffPIR]. Use Proximal with the method DiffPIR. Its draws look like plausible
// images, but their spread is not the spread of the posterior.
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
	if q = q.orDefault(); !(q.Lambda > 0) || math.IsInf(q.Lambda, 1) || q.Newton < 1 || q.Steps < 1 {
		return fmt.Errorf("diffpir: %v; give a positive Lambda and at least one step of each kind, or 0 for defaults",
			q)
	}
	return nil
}

// Shift returns the minimum less E[x₀ | x_t].
func (q Proximal) Shift(p *diffusion.Point) *Node {
	parts := []expfam.ForwardPart{{Terms: p.Terms, Rows: p.Mean.Shape().Dim(1)}}
	if f := p.Forward(); f != nil {
		parts = f.Parts
	}
	return q.shift(parts, p.Level, StopGradient(p.Mean), p.Stat, p.Size)
}

func (q Proximal) shift(parts []expfam.ForwardPart, noise level.Nodes, mean, stat, size *Node) *Node {
	q = q.orDefault()
	variance := DivScalar(Div(noise.V, Square(noise.SqrtAlpha)), q.Lambda)
	x := mean
	// Steps are bounded, the first one most, because exponential links are too steep for their own tangent.
	for reach, k := 1.0, 0; k < q.Newton; k, reach = k+1, 2*reach {
		var tangents []tangent
		for _, s := range parts {
			own := AxisRange(s.First, s.First+s.Rows)
			tangents = append(tangents, at(s, x, Slice(stat, AxisRange(), own), Slice(size, AxisRange(), own)))
		}
		step := q.step(tangents, Sub(mean, x), variance)
		x = Add(x, ClipScalar(step, -reach, reach))
	}
	return Sub(x, mean)
}

// tangent is the log-likelihood of a data set near x: its slope and its information with respect to what the data look
// at, η or log θ, and the products with the Jacobian of that in x₀, and with its transpose.
type tangent struct {
	slope, w *Node
	to, from func(u *Node) *Node
}

// at returns the tangent of a data set at x.
func at(s expfam.ForwardPart, x, stat, size *Node) tangent {
	shifted := func(eta *Node) *Node {
		if s.Offset == nil {
			return eta
		}
		offset := Const(eta.Graph(), tensors.FromFlatDataAndDimensions(s.Offset, 1, s.Rows))
		return Add(eta, ConvertDType(offset, eta.DType()))
	}
	t, eta := tangent{}, x
	switch {
	case s.Operator == nil:
		t.to = func(u *Node) *Node { return u }
		t.from = t.to
	case s.Sum == nil:
		t.to, t.from = s.Operator.Apply, s.Operator.Adjoint
		eta = shifted(t.to(x))
	default:
		leaf, op := Identity(x), s.Operator.(expfam.SumOf).Operator
		value := s.Sum.Link.Inverse(leaf)
		slope := StopGradient(Gradient(ReduceAllSum(value), leaf)[0])
		total := shifted(op.Apply(StopGradient(value)))
		t.to = func(u *Node) *Node { return Div(op.Apply(Mul(slope, u)), total) }
		t.from = func(u *Node) *Node { return Mul(slope, op.Adjoint(Div(u, total))) }
		eta = Log(total)
	}
	d := s.Terms.Orders(eta, stat, size, 1, 2)
	t.slope, t.w = StopGradient(d[0]), StopGradient(MaxScalar(Neg(d[1]), 0))
	return t
}

// step returns the Newton step d from x. It solves (I + τ² JᵀWJ) d = gap + τ² Jᵀℓ′ by conjugate gradients, where τ² is
// the variance and gap is m − x.
func (q Proximal) step(parts []tangent, gap, variance *Node) *Node {
	right := gap
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
	dot := func(a, b *Node) *Node { return ReduceAndKeep(Mul(a, b), ReduceSum, -1) }
	const tiny = 1e-30 // at convergence both factors of a ratio are 0
	d, r := ZerosLike(right), right
	direction, rr := r, dot(r, r)
	for range q.Steps {
		image := product(direction)
		length := Div(rr, MaxScalar(dot(direction, image), tiny))
		d = Add(d, Mul(length, direction))
		r = Sub(r, Mul(length, image))
		next := dot(r, r)
		direction = Add(r, Mul(Div(next, MaxScalar(rr, tiny)), direction))
		rr = next
	}
	return d
}
