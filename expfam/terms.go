package expfam

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Terms is a likelihood that was checked and is ready for use. [Likelihood.Terms] makes
// it once, and functions that need the likelihood take the Terms.
//
// Terms computes the log-likelihood of a cell, Base + Stat·η(g⁻¹(x)) − Size·A(g⁻¹(x)),
// as a function of x, with its first and second derivatives: on the host in float64 and
// as graphs. For a link that is a formula the compositions η∘g⁻¹ and A∘g⁻¹ are
// simplified, which makes them safe in float32. For any other link the derivatives come
// from automatic differentiation and the chain rule.
type Terms struct {
	// Likelihood has its family and its link; the link is never nil here.
	Likelihood

	natural Natural
	formula *formula.Expr // of the link, nil if it is a Go function
	rising  bool          // θ rises with x
	eta     jet
	part    jet
	f       *funcLink // nil if the link is a formula; then eta and part are functions of x, else of θ
	rest    float64   // an x at which everything is finite, for cells without data
	own     General   // a family that is more than η and A, or nil; eta is then its coordinate
	parts   []*Terms  // of several data sets; what stands above is that of the first
}

// jet is a function with its first two derivatives.
type jet [3]formula.Expr

func jetOf(e formula.Expr) jet {
	d := e.Derivative()
	return jet{e, d, d.Derivative()}
}

func (j jet) at(v float64) (out [3]float64) {
	for k, e := range j {
		out[k] = e.Eval(v)
	}
	return out
}

// Terms checks the likelihood and makes it ready for use. It is an error if there is no
// family, if the family is a [Checker] that refuses its fields, if the link leaves the
// interval of θ or is not strictly monotone for x in [−6, 6], or if the log-likelihood is not finite near x = 0.
func (l Likelihood) Terms() (*Terms, error) {
	if l.Family == nil {
		return nil, errNoFamily
	}
	if l.parts != nil {
		return l.together()
	}
	if c, ok := l.Family.(Checker); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	l.Link = l.link()
	t := &Terms{Likelihood: l, natural: l.Family.Natural()}
	var err error
	if t.rising, err = checkLink(l.Link, t.natural, l.Family.String()); err != nil {
		return nil, err
	}
	if e, ok := linkFormula(l.Link); ok {
		t.formula = &e
	}
	t.own, _ = l.Family.(General)
	t.compose()
	for _, x := range []float64{0, 1, -1, 0.5, -0.5, 2, -2} {
		eta, part, err := t.jets(x)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for k := range eta {
			sum += eta[k] + part[k]
		}
		if !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			t.rest = x
			return t, nil
		}
	}
	return nil, fmt.Errorf("likelihood: %v is not finite at any of x = 0, ±0.5, ±1, ±2; take a link that is less steep there", l)
}

// compose makes η and A functions of x, or of θ where the link is a Go function.
func (t *Terms) compose() {
	eta, part := functions(t.Family)
	if t.formula == nil {
		t.eta, t.part, t.f = jetOf(eta), jetOf(part), asFunction(t.Link)
		return
	}
	t.eta, t.part = jetOf(eta.Substitute(*t.formula)), jetOf(part.Substitute(*t.formula))
}

// Increasing reports whether θ rises with x.
func (t *Terms) Increasing() bool { return t.rising }

// Direction says in a word how θ changes as x rises: "rises" or "falls".
func (t *Terms) Direction() string {
	if t.rising {
		return "rises"
	}
	return "falls"
}

// Formula is the formula of the link in x, and false if the link is a Go function, which
// no text determines.
func (t *Terms) Formula() (formula.Expr, bool) {
	if t.formula == nil {
		return formula.Expr{}, false
	}
	return *t.formula, true
}

// Coordinate is x ↦ u(g⁻¹(x)), where u is the coordinate of the family's conjugate. It is
// the argument of [Conjugate.NegLogDensity] in the amortised objective.
func (t *Terms) Coordinate() func(x *g.Node) *g.Node {
	u := t.Family.Conjugate().Coordinate()
	if t.formula != nil {
		return u.Substitute(*t.formula).Graph
	}
	return func(x *g.Node) *g.Node { return u.Graph(t.natural.inside(t.Link.Inverse(x))) }
}

// jets are η and A with their derivatives in x.
func (t *Terms) jets(x float64) (eta, part [3]float64, err error) {
	if t.f == nil {
		return t.eta.at(x), t.part.at(x), nil
	}
	var theta, d1, d2 [1]float64
	if err := t.f.jets([]float64{x}, theta[:], d1[:], d2[:]); err != nil {
		return eta, part, err
	}
	return chain(t.eta.at(theta[0]), d1[0], d2[0]), chain(t.part.at(theta[0]), d1[0], d2[0]), nil
}

// chain turns derivatives in θ into those in x.
func chain(j [3]float64, d1, d2 float64) [3]float64 {
	return [3]float64{j[0], j[1] * d1, j[2]*d1*d1 + j[1]*d2}
}

// order is the k-th derivative of Stat·η − Size·A at x; a weight of 0 removes
// its part even where that is not finite. It panics if a link function cannot
// be evaluated.
func (t *Terms) order(k int, x float64, c Term) float64 {
	var eta, part float64
	if t.own != nil {
		u, _, err := t.jets(x)
		if err != nil {
			panic(err)
		}
		return t.general(u, c)[k]
	}
	if t.f == nil {
		if c.Stat != 0 {
			eta = c.Stat * t.eta[k].Eval(x)
		}
		if c.Size != 0 {
			part = c.Size * t.part[k].Eval(x)
		}
		return eta - part
	}
	if c.Stat == 0 && c.Size == 0 {
		return 0
	}
	a, b, err := t.jets(x)
	if err != nil {
		panic(err)
	}
	if c.Stat != 0 {
		eta = c.Stat * a[k]
	}
	if c.Size != 0 {
		part = c.Size * b[k]
	}
	return eta - part
}

// general is the log-likelihood of a [General] family without its base, and its
// derivatives in x, where u has those of its coordinate.
func (t *Terms) general(u [3]float64, c Term) [3]float64 {
	if c.Stat == 0 && c.Size == 0 {
		return [3]float64{}
	}
	value, slope, information := t.own.At(u[0], c)
	return [3]float64{value, slope * u[1], slope*u[2] - information*u[1]*u[1]}
}

// LogLik is log p(y | x) of one cell, Base + Stat·η − Size·A; 0 for the zero
// Term.
func (t *Terms) LogLik(x float64, c Term) float64 { return c.Base + t.order(0, x, c) }

// Slope is d/dx of [Terms.LogLik].
func (t *Terms) Slope(x float64, c Term) float64 { return t.order(1, x, c) }

// Information is −d²/dx² of [Terms.LogLik]. It is positive where the log-likelihood is
// concave; there it is the precision of an equivalent observation of x.
func (t *Terms) Information(x float64, c Term) float64 { return -t.order(2, x, c) }

// Graph is stat·η(g⁻¹(x)) − size·A(g⁻¹(x)), elementwise, with its slope d/dx and its
// information −d²/dx². The arguments broadcast, from the right if their ranks differ. All
// three results are exactly 0 where stat = size = 0, for every x.
func (t *Terms) Graph(x, stat, size *g.Node) (value, slope, information *g.Node) {
	out := t.orders(x, stat, size, 0, 2)
	return out[0], out[1], g.Neg(out[2])
}

// orders are the derivatives of [Terms.Graph] from one order to another, 0 being the
// value. What is not asked for is not built: ONNX Runtime would compute it.
func (t *Terms) orders(x, stat, size *g.Node, from, to int) []*g.Node {
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

// graphs are η and A as functions of x with their derivatives of some orders.
func (t *Terms) graphs(x *g.Node, from, to int) (eta, part [3]*g.Node) {
	v := x
	var d1, d2 *g.Node
	if t.f != nil {
		inner := func(x *g.Node) *g.Node { return t.natural.inside(t.f.f(x)) }
		if to == 0 {
			v = inner(x)
		} else { // derivatives in x have those in θ of all orders below
			v, d1, d2 = linkJet(inner, x)
			from = min(from, 1)
		}
	}
	formulas, jets := slices.Clone(t.eta[from:to+1]), []*[3]*g.Node{&eta}
	if t.own == nil {
		formulas, jets = append(formulas, t.part[from:to+1]...), append(jets, &part)
	}
	n := to + 1 - from
	for k, node := range formula.GraphAll(v, formulas...) {
		jets[k/n][from+k%n] = node
	}
	if d1 != nil {
		for _, j := range jets {
			if to > 1 {
				j[2] = g.Add(g.Mul(j[2], g.Square(d1)), g.Mul(j[1], d2))
			}
			j[1] = g.Mul(j[1], d1)
		}
	}
	return eta, part
}

// inside keeps θ one rounding error away from the ends of the interval.
func (n Natural) inside(theta *g.Node) *g.Node {
	eps := 6e-8   // 2⁻²⁴
	tiny := 1e-15 // 1/θ² stays finite
	if theta.DType() == dtypes.Float64 {
		eps, tiny = 1.2e-16, 1e-100
	}
	if !math.IsInf(n.Low, 0) {
		theta = g.MaxScalar(theta, n.Low+math.Max(tiny, 2*eps*math.Abs(n.Low)))
	}
	if !math.IsInf(n.High, 0) {
		theta = g.MinScalar(theta, n.High-math.Max(tiny, 2*eps*math.Abs(n.High)))
	}
	return theta
}
