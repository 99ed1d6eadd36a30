package law

import (
	"fmt"
	"math"
)

// LogStudent is the law of a positive number between Low and High: (log v − log Median)/Scale has Student's t
// distribution with four degrees of freedom, cut off at the bounds. Its tails are heavy, so data that tell the number
// overrule the law, in whatever unit the number is.
type LogStudent struct {
	Median, Scale float64 // before the bounds
	Low, High     float64
}

// Quantile implements [Law].
func (l LogStudent) Quantile(p float64) float64 {
	low, high := below(math.Log(l.Low/l.Median)/l.Scale), below(math.Log(l.High/l.Median)/l.Scale)
	p = math.Min(math.Max(low+p*(high-low), low), high)
	// Shaw (2006), Journal of Computational Finance 9.
	root := 2 * math.Sqrt(p*(1-p))
	t := math.Copysign(2*math.Sqrt(math.Max(0, math.Cos(math.Acos(math.Min(1, root))/3)/root-1)), p-0.5)
	if math.Abs(t) < 1 { // half of the digits are lost near 0, and a step of Newton's finds them
		t -= (below(t) - p) / (0.375 * math.Pow(1+t*t/4, -2.5))
	}
	return math.Min(math.Max(l.Median*math.Exp(l.Scale*t), l.Low), l.High)
}

// below returns the probability of Student's t below a number, with four degrees of freedom.
func below(t float64) float64 {
	s := t * t / (4 + t*t)
	if t > 0 { // the upper tail is 1 − p
		return 0.5 + 0.75*math.Sqrt(s)*(1-s/3)
	}
	r := 1 - math.Sqrt(s) // 1/2 − 3/4 √s (1 − s/3) without cancellation
	return r * r * (3 - r) / 4
}

func (l LogStudent) String() string {
	return fmt.Sprintf("log-student(median=%g, scale=%g, from %g to %g)", l.Median, l.Scale, l.Low, l.High)
}

// Check refuses numbers that are not positive, and bounds without numbers between them.
func (l LogStudent) Check() error {
	if !(l.Low < l.High) {
		return fmt.Errorf("%s has no number between its bounds; give Low below High", l.String())
	}
	return positive(l.String(), l.Median, l.Scale, l.Low, l.High)
}
