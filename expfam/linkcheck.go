package expfam

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// checkRange is the largest |x| at which links are checked. Priors have unit variance, so six standard
// deviations hold every x that a sampler meets.
const checkRange = 6

// checkLink returns an error if a link does not fit a family. On a dense grid of x in [−6, 6], θ must lie inside the
// family's open interval. There η(g⁻¹(x)) must be finite and strictly monotone, and its derivative neither 0 nor NaN.
// If the link is a formula, θ may round to an end of the interval. rising reports whether θ rises with x.
func checkLink(link Link, natural Natural, family string) (rising bool, err error) {
	x := checkGrid()
	theta := make([]float64, len(x))
	slope := make([]float64, len(x)) // ±dη/dx, which does not underflow
	e, ok := linkFormula(link)
	if !ok {
		samples, err := sampled(link)
		if err != nil {
			return false, err
		}
		for i, v := range x {
			theta[i] = link.At(v)
		}
		if err := checkInside(link, natural, family, x, theta, nil); err != nil {
			return false, err
		}
		return samples.rising(), nil
	}
	slopeOf := natural.Eta.Substitute(e).Derivative()
	sign := 1.0
	if natural.Eta.Derivative().Eval(e.Eval(x[1])) < 0 {
		sign = -1
	}
	for i, v := range x {
		theta[i], slope[i] = e.Eval(v), sign*slopeOf.Eval(v)
	}
	if err := checkInside(link, natural, family, x, theta, slope); err != nil {
		return false, err
	}
	for i, s := range slope {
		switch {
		case s == 0:
			return false, fmt.Errorf("link %v: its slope is 0 at x = %.4g; it must be strictly monotone", link, x[i])
		case math.IsNaN(s) || math.IsInf(s, 0):
			return false, fmt.Errorf("link %v: its slope is %v at x = %.4g; it must be smooth for all x in [-%d, %d]",
				link, s, x[i], checkRange, checkRange)
		case (s > 0) != (slope[0] > 0):
			return false, fmt.Errorf("link %v: it rises at x = %.4g and falls at x = %.4g; it must be strictly "+
				"monotone", link, x[pick(s > 0, i, 0)], x[pick(s > 0, 0, i)])
		}
	}
	if err := checkOrder(link, x, theta, slope[0] > 0); err != nil {
		return false, err
	}
	return slope[0] > 0, nil
}

// checkOrder refuses a link whose slope has one sign while its values jump the other way. Such a link has a
// pole between two neighbouring points of the grid, as 1/(exp(x)-0.5) has.
func checkOrder(link Link, x, theta []float64, rising bool) error {
	const rounding = 1e-6 // relative, of a value whose terms cancel; a pole changes the value's size or sign
	order := checkOrdered()
	for k, b := range order[1:] {
		a := order[k]
		step := theta[b] - theta[a]
		if !rising {
			step = -step
		}
		if step < -rounding*math.Max(math.Abs(theta[a]), math.Abs(theta[b])) {
			return fmt.Errorf("link %v: theta jumps from %.4g to %.4g between x = %.4g and %.4g; it must be strictly "+
				"monotone, without a pole", link, theta[a], theta[b], x[a], x[b])
		}
	}
	return nil
}

func pick(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// checkInside refuses a link whose θ is not finite or leaves the family's open interval. The error names the
// most telling x: one with θ outside of the interval before one with θ on its boundary. θ of a formula, which has
// slopes, may round to the boundary.
func checkInside(link Link, n Natural, family string, x, theta, slope []float64) error {
	boundary := -1
	for i, t := range theta {
		switch {
		case math.IsNaN(t):
			return fmt.Errorf("link %v: theta = NaN at x = %.4g; it must be defined for every x", link, x[i])
		case t < n.Low || t > n.High:
			return outside(link, n, family, x[i], t)
		case math.IsInf(t, 0):
			return fmt.Errorf("link %v: theta = %v at x = %.4g; it must be finite for all x in [-%d, %d]", link, t,
				x[i], checkRange, checkRange)
		case (t == n.Low || t == n.High) && boundary < 0:
			if rounded := slope != nil && slope[i] != 0 && !math.IsInf(slope[i], 0) && !math.IsNaN(slope[i]); !rounded {
				boundary = i
			}
		}
	}
	if boundary >= 0 {
		return outside(link, n, family, x[boundary], theta[boundary])
	}
	return nil
}

func outside(link Link, n Natural, family string, x, theta float64) error {
	return fmt.Errorf("link %v: theta = %.4g at x = %.4g lies outside %s of %s; use %s", link, theta, x, interval(n),
		family, suggestion(link, n))
}

func interval(n Natural) string {
	end := func(v float64) string {
		if math.IsInf(v, 1) {
			return "+inf"
		} else if math.IsInf(v, -1) {
			return "-inf"
		}
		return fmt.Sprintf("%g", v)
	}
	return "(" + end(n.Low) + ", " + end(n.High) + ")"
}

// suggestion returns the formula of a link that maps the line onto the family's interval. If the refused link
// is a straight line, the formula has that line in place of x.
func suggestion(link Link, n Natural) string {
	inner := "x"
	if e, ok := linkFormula(link); ok {
		if _, _, affine := e.Affine(); affine {
			inner = e.String()
		}
	}
	shift := func(at float64) string {
		if at == 0 {
			return ""
		}
		return fmt.Sprintf("%g+", at)
	}
	switch low, high := !math.IsInf(n.Low, 0), !math.IsInf(n.High, 0); {
	case low && high && n.High-n.Low == 1:
		return shift(n.Low) + "sigmoid(" + inner + ")"
	case low && high:
		return fmt.Sprintf("%s%g*sigmoid(%s)", shift(n.Low), n.High-n.Low, inner)
	case low:
		return shift(n.Low) + "exp(" + inner + ")"
	case high && n.High == 0:
		return "-exp(" + inner + ")"
	case high:
		return fmt.Sprintf("%g-exp(%s)", n.High, inner)
	}
	return inner
}

// checkGrid returns the multiples of 0.01 in [−6, 6], which nobody may change. The multiples of 0.1 come first, and
// both groups go from 0 outwards, so that the first offender found is a plain number.
var checkGrid = sync.OnceValue(func() []float64 {
	const steps = 100
	x := []float64{0}
	for _, fine := range []bool{false, true} {
		for k := 1; k <= checkRange*steps; k++ {
			if fine == (k%10 != 0) {
				x = append(x, float64(k)/steps, -float64(k)/steps)
			}
		}
	}
	return x
})

// checkOrdered returns the indices of [checkGrid] from the smallest x to the largest.
var checkOrdered = sync.OnceValue(func() []int {
	x := slices.Clone(checkGrid())
	order := make([]int, len(x))
	floats.Argsort(x, order)
	return order
})
