package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/special"
)

// linearisation is what a data set sees of x₀ | x_t, as nodes of the graph: η ~ N(mean, variance), with η ≈ mean + H
// (x₀ − m). For a sum of intensities log θ takes the place of η, and the Jacobian of log θ the place of H.
type linearisation struct {
	mean, variance *Node               // (batch, rows)
	to, from       func(u *Node) *Node // H u and Hᵀ u
	// back returns Σ_k H_kj² u_k for every cell j.
	back func(u *Node) *Node
	// rows are the rows of H with column j multiplied by sⱼ, (batch, rows, d). They are nil
	// unless the correlations of all cells are known.
	rows *Node
}

// graphPart evaluates a part of the forward model in the graph of a step.
type graphPart struct{ expfam.ForwardPart }

// graphParts returns the parts of the forward model of a point.
func (p *Point) graphParts() []graphPart {
	parts := p.Forward().Parts
	out := make([]graphPart, len(parts))
	for i, part := range parts {
		out[i] = graphPart{part}
	}
	return out
}

// linearise returns what the data of a part see of x₀ | x_t at a point.
func (s graphPart) linearise(p *Point) linearisation {
	m, variance := StopGradient(p.Mean), StopGradient(p.Var)
	if s.Operator == nil {
		id := func(u *Node) *Node { return u }
		out := linearisation{mean: m, variance: variance, to: id, from: id, back: id}
		if p.correlation != nil {
			out.rows = Mul(s.dense(m), InsertAxes(Sqrt(variance), 1))
		}
		return out
	}
	if s.Sum != nil {
		return s.lineariseSum(p, m, variance)
	}
	out := linearisation{mean: s.shifted(s.Operator.Apply(m)), to: s.Operator.Apply, from: s.Operator.Adjoint,
		back: s.SquaredBack.Apply}
	if p.correlation != nil {
		out.rows = Mul(s.dense(m), InsertAxes(Sqrt(variance), 1))
		out.variance = quadraticForms(out.rows, p.correlation)
		return out
	}
	out.variance = Mul(s.Squared.Apply(variance), s.part(p.varianceRatio))
	return out
}

// response is what data look at for one x₀.
type response struct {
	eta      *Node               // η, or log θ for a sum of intensities
	to, from func(u *Node) *Node // products with the Jacobian of eta in x₀, and with its transpose
}

// at returns what the data of a part look at if x₀ = x.
func (s graphPart) at(x *Node) response {
	switch {
	case s.Operator == nil:
		id := func(u *Node) *Node { return u }
		return response{x, id, id}
	case s.Sum == nil:
		return response{s.shifted(s.Operator.Apply(x)), s.Operator.Apply, s.Operator.Adjoint}
	}
	leaf := Identity(x)
	value := s.Sum.Link.Inverse(leaf)
	slope := StopGradient(Gradient(ReduceAllSum(value), leaf)[0])
	op := s.Operator.(expfam.SumOf).Operator
	total := s.shifted(op.Apply(StopGradient(value)))
	return response{Log(total), func(u *Node) *Node { return Div(op.Apply(Mul(slope, u)), total) },
		func(u *Node) *Node { return Mul(slope, op.Adjoint(Div(u, total))) }}
}

// lineariseSum is linearise for a part that sums intensities f(xⱼ). It takes log θ as normal, with
// the moments of θ = H f(x₀) + offset. The mean of θ is M = H a + offset with aⱼ = E f(xⱼ). The
// variance of θ_k is Σ H_kj H_kl aⱼ aₗ (exp(r² Cⱼₗ) − 1) if f(x) = exp(c + r x). For any other f
// it is Σ H_kj H_kl bⱼ bₗ Cⱼₗ with bⱼ = E f′(xⱼ). The Jacobian of log θ has the entries H_kj bⱼ/M_k.
func (s graphPart) lineariseSum(p *Point, m, variance *Node) linearisation {
	a, b, rate := s.intensities(m, variance)
	total := s.shifted(s.Operator.Apply(a))
	var spread *Node
	switch {
	case p.correlation != nil && rate != 0:
		sd := MulScalar(BroadcastToDims(Sqrt(variance), m.Shape().Dimensions...), rate)
		pairs := Mul(Mul(InsertAxes(sd, 2), InsertAxes(sd, 1)), InsertAxes(p.correlation, 0))
		rows := Mul(s.dense(m), InsertAxes(a, 1))
		spread = ReduceSum(Mul(Einsum("bnd,bde->bne", rows, special.Expm1(pairs)), rows), -1)
	case p.correlation != nil:
		rows := Mul(s.dense(m), InsertAxes(Mul(b, Sqrt(variance)), 1))
		spread = quadraticForms(rows, p.correlation)
	case rate != 0:
		cell := Mul(Square(a), special.Expm1(MulScalar(variance, rate*rate)))
		spread = Mul(s.Squared.Apply(cell), s.part(p.varianceRatio))
	default:
		spread = Mul(s.Squared.Apply(Mul(Square(b), variance)), s.part(p.varianceRatio))
	}
	out := linearisation{variance: special.Log1p(Div(spread, Square(total)))}
	out.mean = Sub(Log(total), MulScalar(out.variance, 0.5))
	op := s.Operator.(expfam.SumOf).Operator
	out.to = func(u *Node) *Node { return Div(op.Apply(Mul(b, u)), total) }
	out.from = func(u *Node) *Node { return Mul(b, op.Adjoint(Div(u, total))) }
	out.back = func(u *Node) *Node { return Mul(Square(b), s.SquaredBack.Apply(Div(u, Square(total)))) }
	if p.correlation != nil {
		out.rows = Div(Mul(s.dense(m), InsertAxes(Mul(b, Sqrt(variance)), 1)), InsertAxes(total, 2))
	}
	return out
}

var logTheta = formula.MustParse("log(theta)")

// intensities returns a = E f(x) and b = E f′(x) for x ~ N(m, variance), elementwise. If f(x) = exp(c + rate·x) they
// have a closed form. Otherwise seven Gauss–Hermite nodes give them, and rate is 0.
func (s graphPart) intensities(m, variance *Node) (a, b *Node, rate float64) {
	if e, ok := s.Sum.Formula(); ok {
		if c, k, affine := logTheta.Substitute(e).Affine(); affine {
			a = Exp(AddScalar(Add(MulScalar(m, k), MulScalar(variance, k*k/2)), c))
			return a, MulScalar(a, k), k
		}
	}
	nodes, weights := special.GaussHermite(7)
	for i, z := range nodes {
		x := Add(m, MulScalar(Sqrt(variance), z))
		value := s.Sum.Link.Inverse(x)
		at := Identity(StopGradient(x))
		slope := Gradient(ReduceAllSum(s.Sum.Link.Inverse(at)), at)[0]
		a, b = addTo(a, MulScalar(value, weights[i])), addTo(b, MulScalar(slope, weights[i]))
	}
	return StopGradient(a), StopGradient(b), 0
}

// shifted adds the offset of the operator.
func (s graphPart) shifted(eta *Node) *Node {
	if s.Offset == nil {
		return eta
	}
	return Add(eta, ConvertDType(Const(eta.Graph(), tensors.FromFlatDataAndDimensions(s.Offset, 1, s.Rows)),
		eta.DType()))
}

// part returns the columns of x that belong to the data of this part. The columns of x are all data.
func (s graphPart) part(x *Node) *Node {
	return Slice(x, AxisRange(), AxisRange(s.First, s.First+s.Rows))
}

// dense returns H as a constant node, (1, rows, d), in the type and for the cells of like.
func (s graphPart) dense(like *Node) *Node {
	d := like.Shape().Dimensions[1]
	flat := make([]float64, s.Rows*d)
	for k := range s.Rows {
		if s.Operator == nil {
			flat[k*d+k] = 1
			continue
		}
		s.H.Row(k, func(j int, w float64) { flat[k*d+j] += w })
	}
	return ConvertDType(Const(like.Graph(), tensors.FromFlatDataAndDimensions(flat, 1, s.Rows, d)), like.DType())
}

// timesCorrelation returns A R for every draw, for A (batch, n, d) and R (d, d).
func timesCorrelation(a, r *Node) *Node {
	dims := a.Shape().Dimensions
	return Reshape(MatMul(Reshape(a, dims[0]*dims[1], dims[2]), r), dims...)
}

// quadraticForms returns the diagonal of A R Aᵀ, (batch, n), at least 1e-6 of the diagonal of A Aᵀ. The bound is needed
// for differences of strongly correlated cells: float32 does not resolve their variance beside the variance of the
// cells.
func quadraticForms(a, r *Node) *Node {
	return Max(ReduceSum(Mul(timesCorrelation(a, r), a), -1), MulScalar(ReduceSum(Square(a), -1), 1e-6))
}
