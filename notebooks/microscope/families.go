package microscope

import (
	"math"

	"github.com/expfam/lab/expfam"
)

// families are all families of the library, with known constants for one cell.
var families = []expfam.Family{
	expfam.Poisson{}, expfam.Normal{SD: 0.7}, expfam.LogNormal{SD: 0.7}, expfam.Exponential{}, expfam.Gamma{Shape: 3},
	expfam.Pareto{Scale: 0.04}, expfam.Weibull{Shape: 2}, expfam.Bernoulli{}, expfam.Binomial{Trials: 12},
	expfam.Geometric{}, expfam.NegativeBinomial{Successes: 3}, expfam.NormalVariance{}, expfam.LogNormalVariance{},
}

// Families returns the names of all families.
func Families() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.String()
	}
	return names
}

// Family returns the family of a name, or nil if there is none.
func Family(name string) expfam.Family {
	for _, f := range families {
		if f.String() == name {
			return f
		}
	}
	return nil
}

// Observation returns the observation y at a notch 0, 1, …, 12 of a scale that serves all families. Counts are the
// notch itself, times lie between 1/20 and 20, and real numbers between −3 and 3.
func Observation(f expfam.Family, notch float64) float64 {
	switch f.(type) {
	case expfam.Poisson, expfam.Binomial, expfam.NegativeBinomial, expfam.Geometric:
		return notch
	case expfam.Bernoulli:
		return math.Round(notch / 12)
	case expfam.Normal, expfam.NormalVariance:
		return (notch - 6) / 2
	}
	return math.Exp((notch - 6) / 2)
}
