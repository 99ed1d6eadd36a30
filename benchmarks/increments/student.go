package increments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Student increments have Student's t distribution.
type Student struct {
	Degrees float64 // degrees of freedom. Default 3
}

func (s Student) degrees() float64 {
	if s.Degrees == 0 {
		return 3
	}
	return s.Degrees
}

func (s Student) law() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: s.degrees()} }

func (s Student) String() string { return fmt.Sprintf("Student(%g)", s.degrees()) }

// Draw implements [Law].
func (s Student) Draw(rng *rand.Rand) float64 {
	n := s.degrees()
	return rng.NormFloat64() / math.Sqrt(distuv.Gamma{Alpha: n / 2, Beta: n / 2, Src: rng}.Rand())
}

// LogProb implements [Law].
func (s Student) LogProb(u float64) float64 { return s.law().LogProb(u) }

// Spread implements [Law].
func (s Student) Spread() float64 {
	if n := s.degrees(); n > 2 {
		return math.Sqrt(n / (n - 2))
	}
	return s.law().Quantile(0.75) / distuv.UnitNormal.Quantile(0.75)
}

// Precision implements [Mixed]. Given u it is Gamma distributed with shape (ν + 1)/2 and rate (ν + u²)/2.
func (s Student) Precision(u float64, rng *rand.Rand) float64 {
	n := s.degrees()
	return distuv.Gamma{Alpha: (n + 1) / 2, Beta: (n + u*u) / 2, Src: rng}.Rand()
}
