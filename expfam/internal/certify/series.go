// Package certify has what all certificates of draws have in common: a mean that is compared with what it should be,
// and one probability of several tests.
package certify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// LeastDraws is the smallest number of draws of which there is a certificate.
	LeastDraws = 100
	// SmallShift and SmallWidth are deviations that are too small to call draws wrong, however sure they are: of a
	// mean, in posterior standard deviations, and of a standard deviation, relative to it.
	SmallShift, SmallWidth = 0.1, 0.05
	// Blind is the location error of exact draws, in posterior standard deviations, from which a certificate sees too
	// little to agree.
	Blind = 0.3
)

// Enough refuses fewer draws than that.
func Enough(draws int) error {
	if draws < LeastDraws {
		return fmt.Errorf("certify: %d draws, and a certificate needs at least %d", draws, LeastDraws)
	}
	return nil
}

// Series is the mean of a scalar over all draws, compared with what it should be.
type Series struct {
	Mean, SE float64
	T        float64 // standard normal if the scalar has the mean that it should have
	N        float64 // effective number of draws
}

// Of compares the mean of values with the mean that they should have. Values of 0 chains are independent. T has
// Johnson's correction for skewness (Johnson 1978, JASA 73, 536–544), and is transformed from Student's distribution to
// the normal one.
func Of(values []float64, should float64, chains int) Series {
	mean, sd := stat.MeanStdDev(values, nil)
	s := Series{Mean: mean, N: float64(len(values))}
	if chains > 0 {
		if n := Effective(Chains(values, chains)); n > 0 {
			s.N = math.Min(n, s.N)
		}
	}
	s.SE = math.Max(sd/math.Sqrt(s.N), 1e-12)
	if !(sd > 0) {
		if mean != should {
			s.T = 100
		}
		return s
	}
	skew := stat.Skew(values, nil)
	off := (mean - should) / sd
	t := (off + skew/(6*s.N) + skew/3*off*off) * math.Sqrt(s.N)
	if math.Abs(t) > 8 || math.Signbit(t) != math.Signbit(off) {
		s.T = off * math.Sqrt(s.N) // the correction is for small deviations
	} else {
		s.T = t
	}
	if s.N < 200 {
		tail := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(1, s.N-1)}.CDF(-math.Abs(s.T))
		s.T = math.Copysign(-distuv.UnitNormal.Quantile(math.Max(tail, 1e-300)), s.T)
	}
	s.T = math.Max(-1e4, math.Min(s.T, 1e4))
	return s
}

// P is the probability that a mean that is right deviates as much, on either side.
func (s Series) P() float64 { return math.Erfc(math.Abs(s.T) / math.Sqrt2) }

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
