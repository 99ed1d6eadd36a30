package expfam

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/internal/traits"
)

// Terms is a likelihood that was checked and is ready for use. [Likelihood.Terms] makes
// it once, and functions that need the likelihood take the Terms.
//
// Terms computes the log-likelihood of a cell, Base + Stat·η(g⁻¹(x)) − Size·A(g⁻¹(x)), as a function of x, with its
// first and second derivatives: on the host in float64 and as graphs. For a link that is a formula the compositions
// η∘g⁻¹ and A∘g⁻¹ are simplified, which makes them safe in float32. For any other link they are tables of cubics; see
// [TableLink].
type Terms struct {
	// Likelihood is the likelihood that was checked. Its link is never nil here.
	Likelihood

	natural Natural
	formula *formula.Expr // the link's formula, nil if the link is a Go function
	samples *linkSamples  // the values of a Go function, nil if the link is a formula
	rising  bool          // θ rises with x
	eta     orders        // η(g⁻¹(x)), or the coordinate u of a General family
	part    orders        // A(g⁻¹(x))
	sloped  *formula.List // of a formula: η, η′, A and A′, or u and u′ of a General family
	rest    float64       // an x at which η and A are finite, for cells without data
	own     General       // the family, if it is a General one, or nil
	parts   []*Terms      // the terms of several data sets, or nil; the fields above are of the first
}

// Terms checks the likelihood and makes it ready for use. It is an error if there is no family, if the family is a
// [Checker] that refuses its fields, if the link leaves the interval of θ or is not strictly monotone for x in [−6, 6],
// if the log-likelihood is not finite near x = 0, or if a constant is unknown.
func (l Likelihood) Terms() (*Terms, error) {
	if l.Family == nil {
		return nil, errNoFamily
	}
	if l.parts != nil {
		return l.together()
	}
	if len(l.Unknown) > 0 {
		return nil, fmt.Errorf("likelihood: %v is inferred by diffusion.Sample and hmc.Sample; give its constants for "+
			"other methods", l)
	}
	if err := traits.Check(l.Family); err != nil {
		return nil, err
	}
	l.Link = l.link()
	if sum, ok := l.Operator.(*SumOf); ok && sum != nil { // a pointer has the same methods, and means the same
		l.Operator = *sum
	}
	t := &Terms{Likelihood: l, natural: l.Family.Natural()}
	var err error
	if t.rising, err = checkLink(l.Link, t.natural, l.Family.String()); err != nil {
		return nil, err
	}
	if e, ok := linkFormula(l.Link); ok {
		t.formula = &e
	}
	t.own, _ = l.Family.(General)
	if err := t.compose(); err != nil {
		return nil, err
	}
	for _, x := range []float64{0, 1, -1, 0.5, -0.5, 2, -2} {
		sum := 0.0
		for k := range 3 {
			sum += t.eta.at(k, x) + t.part.at(k, x)
		}
		if !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			t.rest = x
			return t, nil
		}
	}
	return nil, fmt.Errorf("likelihood: %v is not finite at any of x = 0, ±0.5, ±1, ±2; take a link that is less "+
		"steep there", l)
}

// compose makes η and A functions of x.
func (t *Terms) compose() (err error) {
	eta, part := functions(t.Family)
	if t.formula != nil {
		u, a := jetOf(eta.Substitute(*t.formula)), jetOf(part.Substitute(*t.formula))
		if t.eta, t.part, t.sloped = u, a, formula.Together(u[0], u[1], a[0], a[1]); t.own != nil {
			t.sloped = formula.Together(u[0], u[1])
		}
		return nil
	}
	if t.samples, err = sampled(t.Link); err != nil {
		return err
	}
	t.samples = t.samples.within(t.natural)
	if t.eta, err = t.samples.table(t.Link, eta.Eval); err != nil {
		return err
	}
	t.part, err = t.samples.table(t.Link, part.Eval)
	return err
}

// Increasing reports whether θ rises with x.
func (t *Terms) Increasing() bool { return t.rising }

// Direction returns a word for how θ changes as x rises: "rises" or "falls".
func (t *Terms) Direction() string {
	if t.rising {
		return "rises"
	}
	return "falls"
}

// LinkKey returns a text that determines the link: its formula, or its name with a hash of its values.
func (t *Terms) LinkKey() string {
	if t.formula != nil {
		return t.formula.String()
	}
	return t.Link.String() + " " + t.samples.hash()
}

// Formula returns the formula of the link in x, or false if the link is a Go function.
func (t *Terms) Formula() (formula.Expr, bool) {
	if t.formula == nil {
		return formula.Expr{}, false
	}
	return *t.formula, true
}

// Coordinate returns the function x ↦ u(g⁻¹(x)), where u is the coordinate of the family's
// conjugate. Its value is the argument of [Conjugate.NegLogDensity] in the amortised objective.
func (t *Terms) Coordinate() func(x *g.Node) *g.Node {
	u := t.Family.Conjugate().Coordinate()
	if t.formula != nil {
		return u.Substitute(*t.formula).Graph
	}
	table, err := t.samples.table(t.Link, u.Eval)
	if err != nil {
		panic(err)
	}
	return func(x *g.Node) *g.Node { return table.graphs(x, 0, 0)[0] }
}

// ofFamily is the name of the constant of a family among [Terms.Constants]. No constant of a link has it.
const ofFamily = "constant of the family"

// feeder is a family whose graphs take its constant as a node, as a function of it that is the input.
type feeder interface {
	input() float64
	feed(input *g.Node) Family
}

// Constants returns the names and the values of the numbers that graphs can take as inputs: the link's named constants,
// and a function of the dispersion of [NB2] or of the correlation of [BetaBinomial].
func (t *Terms) Constants() (names []string, values []float64) {
	if f, ok := t.Family.(feeder); ok {
		names, values = append(names, ofFamily), append(values, f.input())
	}
	if f, ok := t.Link.(*formulaLink); ok {
		for _, name := range f.open.Constants() {
			names, values = append(names, name), append(values, f.values[name])
		}
	}
	return names, values
}

// OpenLink returns a text that distinguishes the graphs of two likelihoods of one family whose links differ in more
// than the values of named constants: the link with its constants by name.
func (t *Terms) OpenLink() string {
	if f, ok := t.Link.(*formulaLink); ok {
		return fmt.Sprint(f.open, t.rest)
	}
	return fmt.Sprint(t.Link, t.rest)
}

// Feed returns the likelihood with nodes for its [Terms.Constants]. The result is for use in the graph of these nodes
// alone.
func (t *Terms) Feed(values map[string]*g.Node) *Terms {
	fed := *t
	if input := values[ofFamily]; input != nil {
		fed.Family = t.Family.(feeder).feed(input)
		fed.own = fed.Family.(General)
	}
	if f, ok := t.Link.(*formulaLink); ok && len(f.open.Constants()) > 0 {
		e := f.open.Feed(values)
		fed.Link, fed.formula = &formulaLink{expr: e, open: e}, &e
		fed.compose()
	}
	return &fed
}

// Rebuild makes the functions of terms again from their likelihood; see package kinds.
func (t *Terms) Rebuild() error {
	again, err := t.Likelihood.Terms()
	if err == nil {
		*t = *again
	}
	return err
}
