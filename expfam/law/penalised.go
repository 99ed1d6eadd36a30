package law

import (
	"fmt"
	"math"
)

// PCSD is the penalised complexity prior of a standard deviation σ (Simpson, Rue, Riebler, Martins & Sørbye 2017,
// Statistical Science 32): σ is exponential with P(σ > Above) = Probability. Its simplest model is σ = 0.
type PCSD struct {
	Above, Probability float64
}

// Quantile implements [Law].
func (l PCSD) Quantile(p float64) float64 { return l.Above * math.Log1p(-p) / math.Log(l.Probability) }

func (l PCSD) String() string { return fmt.Sprintf("pc(P(sd>%g)=%g)", l.Above, l.Probability) }

// Check refuses a limit that is not positive and a probability outside (0, 1).
func (l PCSD) Check() error { return tail(l.String(), l.Above, l.Probability) }

// PCRange is the penalised complexity prior of a range or length scale ρ in Dims dimensions (Fuglstad, Simpson,
// Lindgren & Rue 2019, JASA 114): ρ^(−Dims/2) is exponential with P(ρ < Below) = Probability. Its simplest model is an
// infinite range.
type PCRange struct {
	Below, Probability float64
	Dims               int     // 1 for curves, 2 for maps; default 1
	Max                float64 // of ρ, larger than Below; default: no bound
}

func (l PCRange) dims() float64 { return math.Max(1, float64(l.Dims)) }

// Quantile implements [Law].
func (l PCRange) Quantile(p float64) float64 {
	if l.Max > 0 { // ρ^(−Dims/2) less its least value is exponential
		least, half := math.Pow(l.Max, -l.dims()/2), math.Pow(l.Below, -l.dims()/2)
		return math.Pow(least+(half-least)*math.Log(p)/math.Log(l.Probability), -2/l.dims())
	}
	return l.Below * math.Pow(math.Log(l.Probability)/math.Log(p), 2/l.dims())
}

func (l PCRange) String() string {
	bound := ""
	if l.Max > 0 {
		bound = fmt.Sprintf(", max=%g", l.Max)
	}
	return fmt.Sprintf("pc(P(range<%g)=%g, dims=%g%s)", l.Below, l.Probability, l.dims(), bound)
}

// Check refuses a limit that is not positive, a probability outside (0, 1), a negative number of dimensions, and a
// bound below the limit.
func (l PCRange) Check() error {
	if l.Dims < 0 {
		return fmt.Errorf("%s has %d dimensions; give 1 for curves or 2 for maps", l, l.Dims)
	}
	if l.Max != 0 && !(l.Max > l.Below) || math.IsInf(l.Max, 1) {
		return fmt.Errorf("%s has the bound %g; it must be finite and above %g, or 0 for none", l, l.Max, l.Below)
	}
	return tail(l.String(), l.Below, l.Probability)
}

// PCVariance is the law of a variance, a dispersion or a correlation v whose square root is exponential with
// P(v > Above) = Probability. With Max, v lies between 0 and Max.
type PCVariance struct {
	Above, Probability float64
	Max                float64 // default: no bound
}

// Quantile implements [Law].
func (l PCVariance) Quantile(p float64) float64 {
	if l.Max > 0 { // exponential between 0 and √Max
		p *= -math.Expm1(math.Log(l.Probability) * math.Sqrt(l.Max/l.Above))
	}
	root := math.Sqrt(l.Above) * math.Log1p(-p) / math.Log(l.Probability)
	return root * root
}

func (l PCVariance) String() string {
	bound := ""
	if l.Max > 0 {
		bound = fmt.Sprintf(", max=%g", l.Max)
	}
	return fmt.Sprintf("pc(P(variance>%g)=%g%s)", l.Above, l.Probability, bound)
}

// Check refuses a limit that is not positive, a probability outside (0, 1) and a bound that is negative or not finite.
func (l PCVariance) Check() error {
	if !(l.Max >= 0) || math.IsInf(l.Max, 1) {
		return fmt.Errorf("%s has the bound %g; it must be positive and finite, or 0 for none", l, l.Max)
	}
	return tail(l.String(), l.Above, l.Probability)
}

// tail refuses a statement P(v beyond limit) = probability that no law has.
func tail(law string, limit, probability float64) error {
	if !(probability > 0 && probability < 1) {
		return fmt.Errorf("%s has the probability %g; it must lie between 0 and 1", law, probability)
	}
	return positive(law, limit)
}
