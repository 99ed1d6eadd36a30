package faults

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/formula"
)

// randomFormula is a formula of the given depth at most.
func randomFormula(rng *rand.Rand, depth int) string {
	if depth <= 0 {
		return pick(rng, "x", "x", "x", "1", "2", "0.5", "3")
	}
	part := func() string { return randomFormula(rng, depth-1-rng.IntN(2)) }
	switch rng.IntN(8) {
	case 0, 1:
		return part() + pick(rng, "+", "-", "*", "/") + part()
	case 2:
		return "(" + part() + ")" + pick(rng, "+", "-", "*", "/", "^") + "(" + part() + ")"
	case 3:
		return "(" + part() + ")^" + pick(rng, "2", "3", "0.5", "(-1)")
	case 4:
		return "-(" + part() + ")"
	}
	return pick(rng, formula.Functions()...) + "(" + part() + ")"
}

// monotone is a formula that many families take.
func monotone(rng *rand.Rand) string {
	line := fmt.Sprintf("%.3g%+.3g*%s", 3*rng.NormFloat64(), 2*rng.NormFloat64(),
		pick(rng, "x", "x", "(x+tanh(x))", "(x^3+x)", "expm1(x/3)", "(x-erf(x/9))", "softplus(x)"))
	switch outer := pick(rng, "", "exp", "softplus", "sigmoid", "normcdf", "1/exp", "1-sigmoid", "0.1+0.8*sigmoid",
		"2*exp"); outer {
	case "":
		return line
	default:
		return outer + "(" + line + ")"
	}
}

// broken changes some characters of a text.
func broken(rng *rand.Rand, text string) string {
	b := []rune(text)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(b))
		switch c := pick(rng, []rune("()+-*/^.,;xyE9 \x00\n∞%")...); rng.IntN(3) {
		case 0:
			b[at] = c
		case 1:
			b = append(b[:at:at], append([]rune{c}, b[at:]...)...)
		default:
			if len(b) > 1 {
				b = append(b[:at:at], b[at+1:]...)
			}
		}
	}
	return string(b)
}

func TestLinks(t *testing.T) {
	a := newArea("links")
	for range cases(400, 20000) {
		text := randomFormula(a.rng, 1+a.rng.IntN(4))
		if a.rng.IntN(2) == 0 {
			text = monotone(a.rng)
		}
		switch a.rng.IntN(8) {
		case 0, 1:
			text = broken(a.rng, text)
		case 2:
			text = strings.Repeat(pick(a.rng, "(", "-", "exp(", "x+", "x^"), 1+a.rng.IntN(3000)) + text
		}
		l := pick(a.rng, laws(a.rng)...)
		at := 6 * (2*a.rng.Float64() - 1)
		y := l.y(a.rng)
		a.try(t, fmt.Sprintf("%v under %.200q at %g, y %g", l.family, text, at, y),
			func() error { return checkLink(l, text, at, y) })
	}
}

// checkLink compares what is said of a link with differences of its values.
func checkLink(l law, text string, at, y float64) error {
	link, err := expfam.ParseLink(text)
	if err != nil {
		return refused(err)
	}
	natural := l.family.Natural()
	like := expfam.Likelihood{Family: l.family, Link: link}
	terms, err := like.Terms()
	rising := err == nil && terms.Increasing()
	inside, up, down, smooth := true, true, true, true
	var steps []float64
	for k := -120; k < 120; k++ {
		low, high := link.At(float64(k)/20), link.At(float64(k+1)/20)
		for _, v := range []float64{low, high} {
			inside = inside && finite(v) && v >= natural.Low && v <= natural.High
		}
		// Values that are far from the ends of the interval, and of the scale of others,
		// have slopes that are neither 0 nor infinite.
		edge := math.Min(math.Min(low, high)-natural.Low, natural.High-math.Max(low, high))
		smooth = smooth && edge > 1e-4 && math.Abs(low) < 1e4
		rounding := 1e-9 * (math.Abs(low) + math.Abs(high))
		up, down = up && high >= low-rounding, down && high <= low+rounding
		steps = append(steps, math.Abs(high-low))
	}
	least, most := steps[0], steps[0]
	for _, s := range steps {
		least, most = math.Min(least, s), math.Max(most, s)
	}
	switch {
	case err == nil && !inside:
		return wrong("accepted with values that are not in (%g, %g)", natural.Low, natural.High)
	case err == nil && !(rising && up || !rising && down):
		return wrong("rising is %v; its differences: up %v, down %v", rising, up, down)
	case err != nil && inside && smooth && (up || down) && least > 0.1*most && most > 1e-3:
		return wrong("refused, and it rises or falls evenly: %v", err)
	case err != nil:
		return refused(err)
	}
	term, err := l.family.Reduce(y, expfam.Known{})
	if err != nil {
		return refused(err)
	}
	difference := func(h float64) float64 {
		return (terms.LogLik(at+h, term) - terms.LogLik(at-h, term)) / (2 * h)
	}
	wide, narrow := difference(1e-4), difference(5e-5)
	size := 1 + math.Abs(narrow)
	// Rounding of θ at the ends of its interval, and of a large log-likelihood.
	theta := link.At(at)
	rounded := natural.High-theta < 1e-8 || theta-natural.Low < 1e-300 || math.Abs(terms.LogLik(at, term)) > 1e6*size
	if rounded || !(math.Abs(wide-narrow) < 1e-5*size) {
		return nil
	}
	if got := terms.Slope(at, term); !(math.Abs(got-narrow) < 1e-3*size) {
		return wrong("the slope of the log-likelihood is %g, by differences %g", got, narrow)
	}
	return nil
}
