package certify

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Test is the probability of one test, and its share of the rate of false alarms.
type Test struct{ P, Share float64 }

// Together returns the probability of several tests whose shares sum to 1: that of the test that deviates most, so that
// it is below a rate with at most this probability if all is right, however the tests depend on each other.
func Together(tests ...Test) float64 {
	least := 1.0
	for _, t := range tests {
		least = math.Min(least, t.P/t.Share)
	}
	return least
}

// Largest is the probability that the largest |T| of as many series is as large (Šidák).
func Largest(all []Series) float64 {
	p := 1.0
	for _, s := range all {
		p = math.Min(p, s.P())
	}
	return -math.Expm1(float64(len(all)) * math.Log1p(-math.Min(p, 1-1e-16)))
}

// Squares is the probability that the sum of all T² is as large, if the series are independent.
func Squares(all []Series) float64 {
	var sum float64
	for _, s := range all {
		sum += math.Min(s.T*s.T, 1e6)
	}
	return distuv.ChiSquared{K: float64(len(all))}.Survival(sum)
}
