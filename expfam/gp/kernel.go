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

// SquaredExponential is the kernel exp(−r²/2) of r = distance/length, whose draws are smooth. It is that of [RBF].
type SquaredExponential struct{}

func (SquaredExponential) String() string { return "squared-exponential" }

// At implements [Kernel].
func (SquaredExponential) At(distance, length float64) float64 {
	r := distance / length
	return math.Exp(-r * r / 2)
}

// Matern is the Matérn kernel of smoothness ½, 3/2 or 5/2 (Rasmussen & Williams 2006, eq. 4.14 and 4.17). With r =
// distance/length and s = √(2ν) r it is exp(−s), (1 + s) exp(−s) or (1 + s + s²/3) exp(−s).
type Matern struct {
	Smoothness float64 // ν: 0.5, 1.5 or 2.5; default 1.5
}

func (k Matern) smoothness() float64 {
	if k.Smoothness == 0 {
		return 1.5
	}
	return k.Smoothness
}

func (k Matern) String() string { return fmt.Sprintf("matern(smoothness=%g)", k.smoothness()) }

// Check refuses another smoothness.
func (k Matern) Check() error {
	switch k.smoothness() {
	case 0.5, 1.5, 2.5:
		return nil
	}
	return fmt.Errorf("gp: Matern has a Smoothness of %g; use 0.5, 1.5 or 2.5", k.Smoothness)
}

// At implements [Kernel].
func (k Matern) At(distance, length float64) float64 {
	nu := k.smoothness()
	s := math.Sqrt(2*nu) * distance / length
	switch nu {
	case 0.5:
		return math.Exp(-s)
	case 1.5:
		return (1 + s) * math.Exp(-s)
	}
	return (1 + s + s*s/3) * math.Exp(-s)
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
