package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
)

// Line is one labelled curve of a Lines figure. NaN is a gap, and so is a value of 0 or less on a logarithmic axis. An
// infinite value is cut off at the frame, and on a logarithmic axis so is a Low of 0 or less. The note counts them.
type Line struct {
	// Name stands beside the line, or in the legend of a chart without room for it. A second line of one name gets
	// " (2)", but lines of one name, Color and stroke share the name.
	Name      string
	X         []float64 // nil means 0, 1, …, as cells are counted
	Y         []float64
	Low, High []float64 // a band around the curve; both or neither
	Dashed    bool      // as for a reference curve
	Points    bool      // a dot at each value
	Dots      bool      // dots only, and no line between them
	// Color gives a curve the same colour in several figures. The zero value chooses the colour by the curve's place.
	Color color.NRGBA
}

// Lines shows labelled curves, with bands where given: links, densities, errors
// against the noise level. If X increases, a line of more than 4000 points is drawn through the smallest and the
// largest value of each of 2000 parts of the axis, which looks the same and keeps the notebook small.
type Lines struct {
	Lines  []Line
	Arrows []Arrow // drawn over the lines
	// Ordered is for lines that follow a magnitude: they have the colours of viridis
	// from first to last, instead of the colours of methods.
	Ordered        bool
	Title          string
	XLabel, YLabel string
	LogX, LogY     bool
	Dates          bool    // x are dates, as Days returns them
	XMin, XMax     float64 // both 0: the range of all that is drawn
	YMin, YMax     float64 // both 0: the range of all that is drawn
	Note           string  // what the bands are; printed below
	Width, Height  float64 // px; 0 means 800 by 420
}

// mostPoints is the largest number of points that a line is drawn through.
const mostPoints = 4000

// fewPoints makes of a line of more than mostPoints points, whose x increase, a line of their smallest and largest
// values.
func fewPoints(x, y []float64, log bool) (fx, fy []float64) {
	if len(x) > mostPoints && slices.IsSorted(x) && x[0] < x[len(x)-1] {
		return envelope(x, y, mostPoints/2, log)
	}
	return x, y
}

// Encode implements Figure.
func (v Lines) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart checks the curves and lays out the figure.
func (v Lines) Chart() (*Chart, error) {
	c := &Chart{
		Kind: "lines", Title: v.Title, Note: v.Note, Width: v.Width, Height: v.Height, shared: true,
		X: Axis{Label: v.XLabel, Log: v.LogX, Min: v.XMin, Max: v.XMax, Dates: v.Dates}, Y: Axis{Label: v.YLabel,
			Log: v.LogY,
			Min: v.YMin, Max: v.YMax},
	}
	if len(v.Lines) == 0 {
		return nil, fmt.Errorf("lines: no lines; give at least one")
	}
	lines := make([]Line, len(v.Lines))
	for k, l := range v.Lines {
		if l.Name == "" && len(v.Lines) > 1 {
			l.Name = "line " + strconv.Itoa(k+1)
		}
		if l.X == nil {
			l.X = indices(len(l.Y))
		}
		if err := l.check("lines", v.LogX, v.LogY); err != nil {
			return nil, err
		}
		lines[k] = l
	}
	uniqueLines(lines)
	// All bands lie under all curves.
	for k, l := range lines {
		if l.Low != nil {
			c.Band(l.Name, l.X, l.Low, l.High, fade(v.color(k), 0.18))
		}
	}
	for k, l := range lines {
		if !l.Dots {
			c.thinned(l.Name, l.X, l.Y, LineStyle{Color: v.color(k), Dashed: l.Dashed}, fewPoints)
		}
		if l.Points || l.Dots {
			c.Points(l.Name, l.X, l.Y, nil, PointStyle{Color: v.color(k)})
		}
	}
	for k, a := range v.Arrows {
		if !finite(a.X) || !finite(a.Y) || !finite(a.DX) || !finite(a.DY) {
			return nil, fmt.Errorf("lines: arrow %d is from (%g, %g) along (%g, %g); all must be finite", k+1, a.X, a.Y,
				a.DX, a.DY)
		}
		c.Arrow(a)
	}
	return c, nil
}

func (v Lines) color(k int) color.NRGBA {
	if own := v.Lines[k].Color; own != (color.NRGBA{}) {
		return own
	}
	if v.Ordered && len(v.Lines) > 1 {
		// The bright end of viridis is too pale for lines on white.
		return Viridis(0.88 * float64(k) / float64(len(v.Lines)-1))
	}
	return methodColor(k)
}

// check returns an error that names the line and why it cannot be drawn, or nil. Some values may be gaps, but not all.
func (l Line) check(kind string, logX, logY bool) error {
	if len(l.Y) == 0 {
		return fmt.Errorf("%s: %q has no values", kind, l.Name)
	}
	if (l.Low == nil) != (l.High == nil) {
		return fmt.Errorf("%s: %q has one edge of a band; give both Low and High", kind, l.Name)
	}
	for _, s := range []struct {
		name     string
		values   []float64
		optional bool
	}{{"x", l.X, false}, {"low", l.Low, true}, {"high", l.High, true}} {
		if len(s.values) != len(l.Y) && !(s.optional && s.values == nil) {
			return fmt.Errorf("%s: %q has %d values of %s for %d of y", kind, l.Name, len(s.values), s.name, len(l.Y))
		}
	}
	for i, x := range l.X {
		if math.IsInf(x, 0) {
			return fmt.Errorf("%s: %q: x[%d] is %g, which has no place; make it NaN to leave the point out", kind,
				l.Name, i, x)
		}
	}
	_, y, g := axes{logX, logY, false}.points(l.X, l.Y)
	if slices.ContainsFunc(y, finite) {
		return nil
	}
	return fmt.Errorf("%s: %q has nothing to draw: %s", kind, l.Name, g.reasons())
}
