package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// omitted counts the values that a chart cannot show where they are.
type omitted struct {
	missing    int // NaN
	low        int // 0 or less on a logarithmic axis
	infinite   int // cut off at the frame
	lowestEnds int // lower ends of bars and bands that are 0 or less on a logarithmic axis; cut off at the frame
}

func (g omitted) add(o omitted) omitted {
	return omitted{g.missing + o.missing, g.low + o.low, g.infinite + o.infinite, g.lowestEnds + o.lowestEnds}
}

// most returns the larger counts. Marks of the same name, such as a line and its dots, show the same values.
func (g omitted) most(o omitted) omitted {
	return omitted{max(g.missing, o.missing), max(g.low, o.low), max(g.infinite, o.infinite),
		max(g.lowestEnds, o.lowestEnds)}
}

// String lists what is left out and what is cut off; "" if nothing is.
func (g omitted) String() string {
	out := ""
	if l := joinReasons(some(g.missing, "missing value", ""), some(g.low, "value", notOnLog)); l != "" {
		out = "Left out: " + l + "."
	}
	if l := joinReasons(some(g.infinite, "infinite value", ""),
		some(g.lowestEnds, "lower end", " of 0 or less")); l != "" {
		out = strings.TrimSpace(out + " Cut off at the frame: " + l + ".")
	}
	return out
}

// reasons returns why nothing is drawn, for an error.
func (g omitted) reasons() string {
	return joinReasons(some(g.missing, "missing value", ""), some(g.infinite, "infinite value", ""),
		some(g.low, "value", notOnLog))
}

const notOnLog = " of 0 or less, which a logarithmic axis cannot show"

// joinReasons joins the parts that are not empty.
func joinReasons(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// some returns a number of things in words; "" if there are none.
func some(n int, noun, rest string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 " + noun + rest
	}
	return fmt.Sprintf("%d %ss%s", n, noun, rest)
}

// axes records which axes of a chart are logarithmic, and whether x is a date.
type axes struct{ logX, logY, dates bool }

// point returns a value of a line as the chart shows it: NaN is a gap, and an infinite y lies beyond the frame.
func (a axes) point(x, y float64) (float64, float64, omitted) {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return x, math.NaN(), omitted{missing: 1}
	case math.IsInf(x, 0):
		return math.NaN(), math.NaN(), omitted{infinite: 1}
	case a.logX && x <= 0:
		return math.NaN(), math.NaN(), omitted{low: 1}
	case a.logY && y <= 0:
		return x, math.NaN(), omitted{low: 1}
	case math.IsInf(y, 0):
		return x, y, omitted{infinite: 1}
	}
	return x, y, omitted{}
}

// span returns the ends of a bar or of a band at x as the chart shows them. On a logarithmic axis a lower end of 0 or
// less lies below the frame.
func (a axes) span(x, low, high float64) (float64, float64, float64, omitted) {
	if math.IsNaN(low) {
		high = low
	}
	x, high, g := a.point(x, high)
	if math.IsNaN(high) {
		return x, high, high, g
	}
	switch {
	case a.logY && low <= 0:
		low, g.lowestEnds = math.Inf(-1), 1
	case math.IsInf(low, 0):
		g.infinite = 1
	}
	return x, low, high, g
}

// points returns the places of a mark as the chart shows them.
func (a axes) points(x, y []float64) (sx, sy []float64, g omitted) {
	sx, sy = make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		var one omitted
		sx[i], sy[i], one = a.point(x[i], y[i])
		g = g.add(one)
	}
	if g == (omitted{}) {
		return x, y, g
	}
	return sx, sy, g
}

// spans returns the bars or the band of a mark as the chart shows them.
func (a axes) spans(x, low, high []float64) (sx, sl, sh []float64, g omitted) {
	sx, sl, sh = make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		var one omitted
		sx[i], sl[i], sh[i], one = a.span(x[i], low[i], high[i])
		g = g.add(one)
	}
	if g == (omitted{}) {
		return x, low, high, g
	}
	return sx, sl, sh, g
}

// eachFiniteRun calls f with the bounds of each longest run of places that are no gaps.
func eachFiniteRun(y []float64, f func(from, to int)) {
	from := 0
	for i := range y {
		if math.IsNaN(y[i]) {
			if from < i {
				f(from, i)
			}
			from = i + 1
		}
	}
	if from < len(y) {
		f(from, len(y))
	}
}

// beyond returns the function that puts −∞ and +∞ outside of an axis from lo to hi, as far as the axis is long.
func beyond(lo, hi float64, log bool) func(float64) float64 {
	below, above := lo-(hi-lo), hi+(hi-lo)
	if log {
		below, above = max(lo*(lo/hi), math.SmallestNonzeroFloat64), hi*(hi/lo)
	}
	below, above = max(below, -math.MaxFloat64), min(above, math.MaxFloat64)
	return func(v float64) float64 {
		switch {
		case math.IsInf(v, 1):
			return above
		case math.IsInf(v, -1):
			return below
		}
		return v
	}
}
