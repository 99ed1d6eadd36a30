package formula

import "math"

func sigmoid(u float64) float64 {
	if u < 0 {
		e := math.Exp(u)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-u))
}

func softplus(u float64) float64 { return math.Max(u, 0) + math.Log1p(math.Exp(-math.Abs(u))) }

func logit(u float64) float64 {
	if u > 0.25 && u < 0.75 { // log(u/(1−u)) = 2 atanh(2u−1) is accurate near its root ½
		return 2 * math.Atanh(2*u-1)
	}
	return math.Log(u) - math.Log1p(-u)
}

func normcdf(u float64) float64 { return 0.5 * math.Erfc(-u/math.Sqrt2) }

func lognormcdf(u float64) float64 {
	switch {
	case u > 0:
		return math.Log1p(-0.5 * math.Erfc(u/math.Sqrt2))
	case u > -tailHost:
		return math.Log(normcdf(u))
	}
	return -0.5*u*u - 0.5*math.Log(2*math.Pi) - math.Log(tailRatio(-u))
}

// mills returns the hazard of the standard normal, φ(u)/Φ(−u), which is one over Mills' ratio.
func mills(u float64) float64 {
	if u < tailHost {
		return math.Exp(-0.5*u*u) / math.Sqrt(2*math.Pi) / normcdf(-u)
	}
	return tailRatio(u)
}

// From tailHost on the continued fraction with tailTerms terms is accurate to 2e-15.
const (
	tailHost  = 4
	tailTerms = 32
)

// tailRatio returns φ(u)/Φ(−u) = u + 1/(u + 2/(u + 3/(u + …))) for large u (Laplace; Abramowitz and Stegun 26.2.14).
func tailRatio(u float64) float64 {
	r := u
	for k := tailTerms; k > 0; k-- {
		r = u + float64(k)/r
	}
	return r
}

// log1mexp returns log(1 − exp(−u)). It changes from expm1 to log1p at u = log 2 (Mächler 2012).
func log1mexp(u float64) float64 {
	if u < math.Ln2 {
		return math.Log(-math.Expm1(-u))
	}
	return math.Log1p(-math.Exp(-u))
}
