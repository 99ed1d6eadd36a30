// Package law has distributions of single unknown numbers, such as the length scale of a Gaussian process or the
// dispersion of counts. They are the priors of parameters that are inferred with a field:
//
//	gp.Unknown{Of: gp.RBF{Cells: 30}, Laws: law.Laws{"length scale": law.PCRange{Below: 0.05, Probability: 0.05}}}
package law

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Law is a distribution of a number, given by its quantile function. Quantile returns the number below which a draw
// lies with probability p, for 0 < p < 1. It must be finite and rise with p, so a law is always proper. The
// distributions of gonum's package stat/distuv that have quantiles are laws, such as distuv.Uniform{Min: 1, Max: 9}.
// A law may have the methods String and Check.
type Law interface {
	Quantile(p float64) float64
}

// Laws are laws by the names of parameters.
type Laws map[string]Law

// Most is the largest score; see [At].
const Most = 7

// At returns the number at the score t, Quantile(Φ(t)), where Φ is the standard normal distribution function. If t is
// standard normal the number has the law. Scores beyond ±7, which a draw has with a probability below 3e-12, count as
// ±7.
func At(l Law, t float64) float64 {
	t = math.Max(-Most, math.Min(Most, t))
	return l.Quantile(math.Erfc(-t/math.Sqrt2) / 2)
}

// Score returns the score t at which [At] is v, within ±7.
func Score(l Law, v float64) float64 {
	low, high := -float64(Most), float64(Most)
	for range 60 {
		if middle := (low + high) / 2; At(l, middle) < v {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// Grid returns n equally probable numbers of a law, its quantiles at (i+½)/n. Figures show them as draws of the law.
func Grid(l Law, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = l.Quantile((float64(i) + 0.5) / float64(n))
	}
	return v
}

// Check returns an error if a law is nil, if its own Check refuses it, or if its quantiles are not finite or do not
// rise.
func Check(l Law) error {
	if l == nil {
		return fmt.Errorf("there is no law; give one of package law or of gonum's distuv")
	}
	if c, ok := l.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	last := math.Inf(-1)
	for _, p := range []float64{1e-6, 0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999, 1 - 1e-6} {
		v := l.Quantile(p)
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("%s has the quantile %g at probability %g, so it is no proper distribution; give finite "+
				"bounds or scales", Text(l), v, p)
		case v <= last && l.Quantile(1-1e-6) == l.Quantile(1e-6):
			return fmt.Errorf("%s is the constant %g; give the parameter this value instead of a law", Text(l), v)
		case v <= last:
			return fmt.Errorf("%s has quantiles that do not rise from %g at probability %g; check its numbers", Text(l),
				last, p)
		}
		last = v
	}
	return nil
}

// Text returns the String of a law, or its type and fields. Keys of stored results contain it.
func Text(l Law) string {
	if s, ok := l.(fmt.Stringer); ok {
		return s.String()
	}
	return strings.ReplaceAll(fmt.Sprintf("%s%+v", reflect.TypeOf(l), l), " Src:<nil>", "")
}

// LogNormal is the law of a positive number v whose logarithm has the mean log(Median) and the standard deviation SD.
type LogNormal struct {
	Median, SD float64
}

// Quantile implements [Law].
func (l LogNormal) Quantile(p float64) float64 {
	return l.Median * math.Exp(l.SD*distuv.UnitNormal.Quantile(p))
}

func (l LogNormal) String() string {
	return fmt.Sprintf("log-normal(median=%g, sd=%g)", l.Median, l.SD)
}

// Check refuses a Median or an SD that is not positive.
func (l LogNormal) Check() error { return positive(l.String(), l.Median, l.SD) }

// HalfNormal is the law of |v| for v ~ N(0, SD²).
type HalfNormal struct {
	SD float64
}

// Quantile implements [Law].
func (l HalfNormal) Quantile(p float64) float64 { return l.SD * math.Sqrt2 * math.Erfinv(p) }

func (l HalfNormal) String() string { return fmt.Sprintf("half-normal(sd=%g)", l.SD) }

// Check refuses an SD that is not positive.
func (l HalfNormal) Check() error { return positive(l.String(), l.SD) }

// Normal is the law of a number of either sign, such as a coefficient.
type Normal struct {
	Mean, SD float64
}

// Quantile implements [Law].
func (l Normal) Quantile(p float64) float64 { return l.Mean + l.SD*distuv.UnitNormal.Quantile(p) }

func (l Normal) String() string { return fmt.Sprintf("normal(mean=%g, sd=%g)", l.Mean, l.SD) }

// Check refuses an SD that is not positive.
func (l Normal) Check() error { return positive(l.String(), l.SD) }

// positive refuses numbers that are not positive and finite.
func positive(law string, values ...float64) error {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s has the number %g; it must be positive and finite", law, v)
		}
	}
	return nil
}
