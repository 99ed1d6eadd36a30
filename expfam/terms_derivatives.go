package expfam

import "github.com/expfam/lab/expfam/formula"

// jet is a function with its first two derivatives.
type jet [3]formula.Expr

// jetOf differentiates a function twice.
func jetOf(e formula.Expr) jet {
	d := e.Derivative()
	return jet{e, d, d.Derivative()}
}

// at returns the values of the function and its derivatives at v.
func (j jet) at(v float64) (out [3]float64) {
	for k, e := range j {
		out[k] = e.Eval(v)
	}
	return out
}

// jets returns η and A at x, each with its first two derivatives in x.
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

// chain turns derivatives in θ into derivatives in x, where d1 and d2 are dθ/dx and d²θ/dx².
func chain(j [3]float64, d1, d2 float64) [3]float64 {
	return [3]float64{j[0], j[1] * d1, j[2]*d1*d1 + j[1]*d2}
}

// order returns the k-th derivative of Stat·η − Size·A at x, or of the log-likelihood without its
// base for a [General] family. If Stat or Size is 0, its part is 0 even where η or A is not
// finite. It panics if a link function cannot be evaluated.
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

// general returns the log-likelihood of a [General] family without its base, with its first two
// derivatives in x. The argument u has the coordinate of the family with its derivatives in x.
func (t *Terms) general(u [3]float64, c Term) [3]float64 {
	if c.Stat == 0 && c.Size == 0 {
		return [3]float64{}
	}
	value, slope, information := t.own.At(u[0], c)
	return [3]float64{value, slope * u[1], slope*u[2] - information*u[1]*u[1]}
}

// LogLik returns log p(y | x) of one cell, Base + Stat·η − Size·A. It is 0 for the zero
// Term.
func (t *Terms) LogLik(x float64, c Term) float64 { return c.Base + t.order(0, x, c) }

// Slope returns d/dx of [Terms.LogLik].
func (t *Terms) Slope(x float64, c Term) float64 { return t.order(1, x, c) }

// Information returns −d²/dx² of [Terms.LogLik]. It is positive where the log-likelihood is
// concave; there it is the precision of an equivalent observation of x.
func (t *Terms) Information(x float64, c Term) float64 { return -t.order(2, x, c) }
