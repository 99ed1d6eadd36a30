package viz

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// mark is one kind of ink in a chart: a line, a band, bars, points. It draws itself on a gonum canvas and as series of
// ECharts. A new kind of mark is one file that implements this interface and one method of Chart that adds it.
type mark interface {
	plot.Plotter
	// name returns the mark's entry in the legend. Marks of the same name share an entry, and "" means none.
	name() string
	// bounds returns the range of the finite data in data units.
	bounds() box
	// clip returns the mark as a chart with these axes shows it, and counts what the chart cannot show. Gaps are NaN,
	// and what lies beyond the frame is infinite.
	clip(a axes) (mark, omitted)
	// legendKey draws the mark's sign for the legend into the canvas.
	legendKey(c draw.Canvas)
	// series returns the mark as series of ECharts, whose coordinates are rounded by x and y.
	series(x, y func(float64) float64) []series
	// tips returns the points that answer the pointer.
	tips() []tip
}

// tip is a text at a point in data units.
type tip struct {
	x, y float64
	text string
}

// digits rounds to six significant digits, finer than any screen.
func digits(v float64) float64 {
	if v == 0 || !finite(v) {
		return v
	}
	s := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	if !finite(s) || s == 0 {
		return v
	}
	return math.Round(v*s) / s
}

// rounding returns the function by which ECharts gets the coordinates of an axis from lo to hi. It rounds to six
// significant digits, or to the fourth digit of the length of the axis if that is finer, as it is for times in seconds
// and for coordinates in metres. An infinite coordinate lies beyond the frame.
func rounding(lo, hi float64, log bool) func(float64) float64 {
	fine, place := math.Pow(10, 3-math.Floor(math.Log10(hi-lo))), beyond(lo, hi, log)
	return func(v float64) float64 {
		v = place(v)
		if !finite(v*fine) || math.Abs(v)/(hi-lo) < 100 {
			return digits(v)
		}
		return math.Round(v*fine) / fine
	}
}

// box is a rectangle in data units. The zero box is not empty: it holds the origin. emptyBox returns an empty one.
// A box never holds a coordinate that is not finite.
type box struct{ xmin, xmax, ymin, ymax float64 }

func emptyBox() box { return box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)} }

func (b box) add(x, y float64) box {
	if finite(x) {
		b.xmin, b.xmax = min(b.xmin, x), max(b.xmax, x)
	}
	if finite(y) {
		b.ymin, b.ymax = min(b.ymin, y), max(b.ymax, y)
	}
	return b
}

func (b box) union(o box) box {
	return box{min(b.xmin, o.xmin), max(b.xmax, o.xmax), min(b.ymin, o.ymin), max(b.ymax, o.ymax)}
}
