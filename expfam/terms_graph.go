package expfam

import (
	"slices"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Graph returns stat·η(g⁻¹(x)) − size·A(g⁻¹(x)), elementwise, with its slope d/dx and its
// information −d²/dx². The arguments broadcast, from the right if their ranks differ. All
// three results are exactly 0 where stat = size = 0, for every x.
func (t *Terms) Graph(x, stat, size *g.Node) (value, slope, information *g.Node) {
	out := t.Orders(x, stat, size, 0, 2)
	return out[0], out[1], g.Neg(out[2])
}

// Orders returns derivatives of the value of [Terms.Graph]: all orders between from and to, with both ends, where order
// 0 is the value itself. It builds no other derivatives, because ONNX Runtime would compute them.
func (t *Terms) Orders(x, stat, size *g.Node, from, to int) []*g.Node {
	in := align(x, stat, size)
	x, stat, size = in[0], in[1], in[2]
	observed := g.GreaterThan(g.Add(g.Abs(stat), g.Abs(size)), g.ZerosLike(stat))
	x = g.Where(observed, x, g.MulScalar(g.OnesLike(x), t.rest))
	if t.own != nil {
		eta, _ := t.graphs(x, 0, to)
		value, slope, information := t.own.Graph(eta[0], stat, size)
		out := []*g.Node{value}
		if to > 0 {
			out = append(out, g.Mul(slope, eta[1]))
		}
		if to > 1 {
			out = append(out, g.Sub(g.Mul(slope, eta[2]), g.Mul(information, g.Square(eta[1]))))
		}
		return out[from:]
	}
	eta, part := t.graphs(x, from, to)
	var out []*g.Node
	for k := from; k <= to; k++ {
		out = append(out, g.Sub(g.Mul(stat, eta[k]), g.Mul(size, part[k])))
	}
	return out
}

// graphs returns η and A at x as nodes: their derivatives in x of all orders between from and to,
// at the index of the order. For a [General] family eta is its coordinate u, and part is nil.
func (t *Terms) graphs(x *g.Node, from, to int) (eta, part [3]*g.Node) {
	if t.samples != nil {
		if eta = t.eta.(*table).graphs(x, from, to); t.own == nil {
			part = t.part.(*table).graphs(x, from, to)
		}
		return eta, part
	}
	j := t.eta.(jet)
	formulas, jets := slices.Clone(j[from:to+1]), []*[3]*g.Node{&eta}
	if t.own == nil {
		j = t.part.(jet)
		formulas, jets = append(formulas, j[from:to+1]...), append(jets, &part)
	}
	n := to + 1 - from
	for k, node := range formula.GraphAll(x, formulas...) {
		jets[k/n][from+k%n] = node
	}
	return eta, part
}
