package expfam

import (
	"math"
	"slices"

	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// Constant returns the correlation ρ. By default its root is exponential between 0 and 0.99, with P(ρ > 0.2) = 0.05
// before the bound.
func (f BetaBinomial) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "correlation", Law: law.PCVariance{Above: 0.2, Probability: 0.05, Max: 0.99}},
		f.Correlation
}

// Tuned implements tunable.
func (f BetaBinomial) Tuned(value float64) Family { f.Correlation = value; return f }

// Reference implements tunable.
func (BetaBinomial) Reference() float64 { return 0 }

// TunedTerm implements tunable. The term does not depend on the correlation.
func (BetaBinomial) TunedTerm(t Term, _ float64) (Term, error) { return t, nil }

// noise is the default law of the standard deviation of data, which depends on their unit: 95% between 0.05 and 19.
var noise = law.LogNormal{Median: 1, SD: 1.5}

// Constant returns the standard deviation of the data, "noise sd".
func (f Normal) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "noise sd", Law: noise}, f.SD
}

// Tuned implements tunable.
func (Normal) Tuned(value float64) Family { return Normal{SD: value} }

// Reference implements tunable.
func (Normal) Reference() float64 { return 1 }

// TunedTerm implements tunable. Under σ = 1 the term has Σy, the number n of data and Σy².
func (Normal) TunedTerm(t Term, value float64) (Term, error) {
	return tunedNormal("normal", t, t.Base, 0, value)
}

// Constant returns the standard deviation of the logarithms of the data, "noise sd".
func (f LogNormal) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "noise sd", Law: noise}, f.SD
}

// Tuned implements tunable.
func (LogNormal) Tuned(value float64) Family { return LogNormal{SD: value} }

// Reference implements tunable.
func (LogNormal) Reference() float64 { return 1 }

// TunedTerm implements tunable. Under σ = 1 the term has the sums of log y and of its square.
func (LogNormal) TunedTerm(t Term, value float64) (Term, error) {
	return tunedNormal("lognormal", t, t.Base+t.Stat, t.Stat, value)
}

// tunedNormal returns the term of normal data with another standard deviation. Base is that of the data, and less is
// subtracted from it.
func tunedNormal(family string, t Term, base, less, sd float64) (Term, error) {
	n := math.Round(t.Size)
	squares := -2 * (base + n*logSqrt2Pi)
	if n < 1 || math.Abs(t.Size-n) > 1e-9 || squares < t.Stat*t.Stat/n*(1-1e-9)-1e-9 {
		return t, refuse(family, "the statistic %g and the size %g are of data whose standard deviations were given; "+
			"reduce them by a likelihood in which it is unknown", t.Stat, t.Size)
	}
	precision := 1 / (sd * sd)
	return Term{Stat: t.Stat * precision, Size: n * precision,
		Base: -squares*precision/2 - n*(math.Log(sd)+logSqrt2Pi) - less}, nil
}

// Constant returns the shape. By default its median is 2.
func (f Gamma) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "shape", Law: law.LogNormal{Median: 2, SD: 1}}, f.Shape
}

// Tuned implements tunable.
func (Gamma) Tuned(value float64) Family { return Gamma{Shape: value} }

// Reference implements tunable.
func (Gamma) Reference() float64 { return 2 }

// TunedTerm implements tunable. Under the shape 2 the term has Σy, twice the number of data and Σ log y.
func (Gamma) TunedTerm(t Term, value float64) (Term, error) {
	n := math.Round(t.Size / 2)
	mean := n * math.Log(t.Stat/n) // Σ log y is at most this, and equal to it for a single y
	if n < 1 || math.Abs(t.Size-2*n) > 1e-9 || t.Base > mean+1e-9*(1+math.Abs(mean)) ||
		n == 1 && math.Abs(t.Base-mean) > 1e-9*(1+math.Abs(mean)) {
		return t, refuse("gamma", "the statistic %g and the size %g are of data whose shapes were given; reduce them "+
			"by a likelihood in which the shape is unknown", t.Stat, t.Size)
	}
	return Term{Stat: t.Stat, Size: n * value, Base: (value-1)*t.Base - n*lgamma(value)}, nil
}

// Constant returns the shape. By default its median is 1.
func (f Weibull) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "shape", Law: law.LogNormal{Median: 1, SD: 0.7}}, f.Shape
}

// Tuned implements tunable.
func (Weibull) Tuned(value float64) Family { return Weibull{Shape: value} }

// Reference implements tunable.
func (Weibull) Reference() float64 { return 1 }

// TunedTerm implements tunable. Under the shape 1 the term of a single datum has y itself. Several data of a cell
// have no sum that serves every shape, and are refused.
func (Weibull) TunedTerm(t Term, value float64) (Term, error) {
	if t.Size != 1 || t.Base != 0 {
		return t, refuse("weibull", "there are %g data, or their shapes were given; with an unknown shape give each "+
			"datum a row of an operator, such as operator.Select, and reduce by the same likelihood", t.Size)
	}
	return Weibull{}.Reduce(t.Stat, Given(value))
}

// Tuner binds the likelihood to a number of cells and to observations, and checks both at the given values of
// [Likelihood.Unknowns]. The function that it returns makes the log-likelihood of the observations at other values of
// the unknown constants. Many goroutines may call it at once.
func (l Likelihood) Tuner(cells int, obs Observations, values []float64) (
	func(values []float64) (latent.Data, error), error) {
	like, tuned, err := l.With(values, obs)
	if err != nil {
		return nil, err
	}
	first, err := like.Forward(cells)
	if err != nil {
		return nil, err
	}
	if err := first.Check(tuned); err != nil {
		return nil, err
	}
	return func(values []float64) (latent.Data, error) {
		if len(values) == 0 {
			return first.LogLikelihood(obs), nil
		}
		like, obs, err := l.With(values, obs)
		if err != nil {
			return nil, err
		}
		f := first.tuned(like)
		if f == nil {
			if f, err = like.Forward(cells); err != nil {
				return nil, err
			}
		}
		return f.LogLikelihood(obs), nil
	}, nil
}

// tuned returns the forward model with the families of a likelihood, or nil if a link is another one. A constant
// changes neither η, nor A, nor the coordinate of a family, so their formulas stay.
func (f Forward) tuned(like Likelihood) *Forward {
	f.Parts = slices.Clone(f.Parts)
	for i, part := range like.Parts() {
		old := f.Parts[i].Terms
		if f.Parts[i].Sum != nil || old.Link.String() != part.link().String() {
			return nil
		}
		t := *old
		t.Family = part.Family
		t.own, _ = part.Family.(General)
		f.Parts[i].Terms = &t
	}
	return &f
}
