package gp

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/law"
)

// Matern is the Matérn kernel of smoothness ν, whose draws have derivatives of all orders below ν (Rasmussen & Williams
// 2006, eq. 4.14). With s = √(2ν) distance/length it is
//
//	2^{1−ν}/Γ(ν) s^ν K_ν(s),
//
// which is exp(−s) for ν = ½, (1 + s) exp(−s) for 3/2 and (1 + s + s²/3) exp(−s) for 5/2.
type Matern struct {
	Smoothness float64 // ν, at most 10; default 1.5
}

func (k Matern) smoothness() float64 {
	if k.Smoothness == 0 {
		return 1.5
	}
	return k.Smoothness
}

func (k Matern) String() string { return fmt.Sprintf("matern(smoothness=%g)", k.smoothness()) }

// Check refuses a smoothness that is not positive, and one above 10, where the kernel is that of smooth curves.
func (k Matern) Check() error {
	if nu := k.smoothness(); !(nu > 0 && nu <= 10) {
		return fmt.Errorf("gp: Matern has a Smoothness of %g; give one from 0 to 10, or take SquaredExponential",
			k.Smoothness)
	}
	return nil
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
	case 2.5:
		return (1 + s + s*s/3) * math.Exp(-s)
	}
	return bessel(nu, s)
}

// bessel returns 2^{1−ν}/Γ(ν) s^ν K_ν(s), with K_ν(s) = ∫₀^∞ exp(−s cosh t) cosh(νt) dt. The trapezoidal rule of an
// entire function that falls doubly exponentially has a tiny error, which grows with ν: of the kernel's 1 it is 1e-15
// at ν = 2, 1e-12 at ν = 4 and 2e-9 at ν = 10.
func bessel(nu, s float64) float64 {
	const step, least = 0.25, -745 // the logarithm of the least number
	switch {
	case s == 0:
		return 1
	case !(s < 1000): // of a tiny length scale, also one that makes s infinite
		return 0
	}
	gamma, _ := math.Lgamma(nu)
	lead := (1-nu)*math.Ln2 - gamma + nu*math.Log(s)
	sum := math.Exp(lead-s) / 2
	grow, fall := math.Exp(step), math.Exp(-2*nu*step)
	for t, e, f := step, grow, fall; ; t, e, f = t+step, e*grow, f*fall { // e = exp(t), f = exp(−2νt)
		log := lead - s*(e+1/e)/2 + nu*t
		if sum += math.Exp(log) * (1 + f) / 2; log < least && s*(e-1/e)/2 > nu {
			return step * sum
		}
	}
}

// AnyMatern is the [Matern] kernel of unknown smoothness. [Unknown] infers the parameter "smoothness", by default
// log-normal of median 1.5 and sd 0.5. It must be known elsewhere. A smoothness above 10 has the kernel of 10.
type AnyMatern struct{}

func (AnyMatern) String() string { return "matern(smoothness unknown)" }

// At returns the correlation at the median of the smoothness.
func (AnyMatern) At(distance, length float64) float64 { return Matern{}.At(distance, length) }

// parameter returns the smoothness with its default law.
func (AnyMatern) parameter() law.Parameter {
	return law.Parameter{Name: "smoothness", Law: law.LogNormal{Median: 1.5, SD: 0.5}}
}

// with returns the kernel of a smoothness. One goroutine uses it, with one length scale.
func (AnyMatern) with(smoothness float64) (Kernel, error) {
	k := Matern{math.Min(smoothness, 10)}
	if err := k.Check(); err != nil || smoothness == 0 {
		return nil, fmt.Errorf("gp: the smoothness is %g; give a law of positive numbers", smoothness)
	}
	return remembered{k, map[float64]float64{}}, nil
}

// remembered is a kernel that computes each distance once. Places on a lattice have few. One goroutine may use it, with
// one length scale.
type remembered struct {
	Matern
	known map[float64]float64
}

func (r remembered) At(distance, length float64) float64 {
	const digits = 1e12 // distances of equal steps differ by rounding errors
	key := math.Round(distance / length * digits)
	v, ok := r.known[key]
	if !ok {
		v = r.Matern.At(distance, length)
		r.known[key] = v
	}
	return v
}
