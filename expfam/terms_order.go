package expfam

import (
	"github.com/expfam/lab/expfam/formula"
)

// jet is a function with its first two derivatives.
type jet [3]formula.Expr

// jetOf differentiates a function twice.
func jetOf(e formula.Expr) jet {
	d := e.Derivative()
	return jet{e, d, d.Derivative()}
}

// orders is a function with its first two derivatives: a [jet] or a [table].
type orders interface {
	// at returns the derivative of an order, 0 to 2, at x.
	at(order int, x float64) float64
}

func (j jet) at(order int, x float64) float64 { return j[order].Eval(x) }

// order returns the k-th derivative of Stat·η − Size·A at x, or of the log-likelihood without its base for a [General]
// family. If Stat or Size is 0, its part is 0 even where η or A is not finite.
func (t *Terms) order(k int, x float64, c Term) float64 {
	if t.own != nil {
		return t.general(x, c)[k]
	}
	var eta, part float64
	if c.Stat != 0 {
		eta = c.Stat * t.eta.at(k, x)
	}
	if c.Size != 0 {
		part = c.Size * t.part.at(k, x)
	}
	return eta - part
}

// general returns the log-likelihood of a [General] family without its base, with its first two derivatives in x.
func (t *Terms) general(x float64, c Term) [3]float64 {
	if c.Stat == 0 && c.Size == 0 {
		return [3]float64{}
	}
	d1, d2 := t.eta.at(1, x), t.eta.at(2, x)
	value, slope, information := t.own.At(t.eta.at(0, x), c)
	return [3]float64{value, slope * d1, slope*d2 - information*d1*d1}
}

// LogLik returns log p(y | x) of one cell, Base + Stat·η − Size·A. It is 0 for the zero Term.
func (t *Terms) LogLik(x float64, c Term) float64 { return c.Base + t.order(0, x, c) }

// Slope returns d/dx of [Terms.LogLik].
func (t *Terms) Slope(x float64, c Term) float64 { return t.order(1, x, c) }

// Information returns −d²/dx² of [Terms.LogLik]. It is positive where the log-likelihood is
// concave; there it is the precision of an equivalent observation of x.
func (t *Terms) Information(x float64, c Term) float64 { return -t.order(2, x, c) }

// LogLikSlope returns Σⱼ [Terms.LogLik] over all cells at x, and writes the [Terms.Slope] of each cell into slope.
func (t *Terms) LogLikSlope(x []float64, obs Observations, slope []float64) float64 {
	var total float64
	var work []float64
	if t.sloped != nil {
		work = t.sloped.Work()
	}
	for j, c := range obs {
		value, d := t.valueSlope(x[j], c, work)
		if slope[j] = d; t.own != nil {
			total = total + c.Base + value // stored draws have the digits of this order
			continue
		}
		total += c.Base + value
	}
	return total
}

// valueSlope returns Stat·η − Size·A at x, as [Terms.order] does, with its first derivative. work is of t.sloped.
func (t *Terms) valueSlope(x float64, c Term, work []float64) (value, slope float64) {
	switch {
	case c.Stat == 0 && c.Size == 0:
		return 0, 0
	case t.sloped == nil && t.own != nil:
		d := t.general(x, c)
		return d[0], d[1]
	case t.sloped == nil:
		return t.order(0, x, c), t.order(1, x, c)
	}
	v := t.sloped.Eval(x, work)
	if t.own != nil {
		value, slope, _ = t.own.At(v[0], c)
		return value, slope * v[1]
	}
	if c.Stat != 0 {
		value, slope = c.Stat*v[0], c.Stat*v[1]
	}
	if c.Size != 0 {
		value, slope = value-c.Size*v[2], slope-c.Size*v[3]
	}
	return value, slope
}

// Informations writes the [Terms.Information] of each cell at x into information.
func (t *Terms) Informations(x []float64, obs Observations, information []float64) {
	for j, c := range obs {
		information[j] = t.Information(x[j], c)
	}
}
