package gp

import (
	"fmt"
	"math"
)

// Kernel is a stationary correlation function with a length scale.
type Kernel interface {
	String() string
	// At returns the correlation of two places at a distance, for a positive length scale in the unit of the distance.
	// It is 1 at the distance 0.
	At(distance, length float64) float64
}

// SquaredExponential is the kernel exp(−r²/2) of r = distance/length, whose draws are smooth. [RBF] has this kernel.
type SquaredExponential struct{}

func (SquaredExponential) String() string { return "squared-exponential" }

// At implements [Kernel].
func (SquaredExponential) At(distance, length float64) float64 {
	r := distance / length
	return math.Exp(-r * r / 2)
}

// Periodic is the kernel exp(−2 sin²(π distance/Period)/length²), whose draws repeat with the period (MacKay 1998). Its
// length scale has no unit: it is the length scale of a [SquaredExponential] on a circle of radius 1. Places lie on a
// line.
type Periodic struct {
	Period float64 // in the unit of the distance
}

func (k Periodic) String() string { return fmt.Sprintf("periodic(period=%g)", k.Period) }

// Check refuses a period that is not positive.
func (k Periodic) Check() error {
	if !(k.Period > 0) || math.IsInf(k.Period, 1) {
		return fmt.Errorf("gp: Periodic has a Period of %g; it must be positive and finite", k.Period)
	}
	return nil
}

// At implements [Kernel].
func (k Periodic) At(distance, length float64) float64 {
	s := math.Sin(math.Pi*distance/k.Period) / length
	return math.Exp(-2 * s * s)
}

func distance(a, b []float64) float64 {
	var sum float64
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Sqrt(sum)
}
