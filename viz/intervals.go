package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
)

// Intervals shows the marginal posterior of every method in each cell. The median is a dot, the central 50% a thick
// bar, and the central 95% a thin bar; both bars are equal-tailed. The truth is a cross and the observation a short
// stroke. Quantiles are of type 7 (linear between order statistics).
type Intervals struct {
	Draws   Draws    // one method; or
	Methods []Method // several, side by side within each cell
	// Truth and Observed are values on the scale of the draws; NaN where a cell has none.
	Truth, Observed []float64
	X               []float64 // positions of the cells; nil means their indices 0, 1, …
	Dates           bool      // X are dates, as Days returns them
	Names           []string  // of the cells, such as districts, in the place of numbers; nil means none

	Title          string
	XLabel, YLabel string // default "cell" (or "x") and "value"
	LogY           bool
	YMin, YMax     float64 // both 0: the range of all that is drawn
	Note           string  // added below the figure
	Width, Height  float64 // px; 0 means 800 by 420
}

// intervalNote is printed under every interval figure.
const intervalNote = "Dot: median. Bars: central 50% and 95% (equal-tailed)."

// Encode implements Figure.
func (v Intervals) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart computes the quantiles and lays out the figure. Errors name the method and the
// cell whose draws are not finite, or the lengths that differ.
func (v Intervals) Chart() (*Chart, error) {
	methods, cells, err := v.methods()
	if err != nil {
		return nil, err
	}
	if err := v.check(cells); err != nil {
		return nil, err
	}
	if v.Names != nil && len(v.Names) != cells {
		return nil, fmt.Errorf("intervals: %d names for %d cells", len(v.Names), cells)
	}
	x, xlabel := v.X, v.XLabel
	if x == nil {
		x = indices(cells)
	}
	if xlabel == "" {
		xlabel = "cell"
		switch {
		case v.Dates:
			xlabel = "date"
		case v.X != nil:
			xlabel = "x"
		}
	}
	c := &Chart{
		Kind: "intervals", Title: v.Title, Note: intervalNote, Width: v.Width, Height: v.Height,
		X: Axis{Label: xlabel, Dates: v.Dates}, Y: Axis{Label: v.YLabel, Log: v.LogY, Min: v.YMin, Max: v.YMax},
	}
	if v.YLabel == "" {
		c.Y.Label = "value"
	}
	if v.Note != "" {
		c.Note += " " + v.Note
	}
	if v.Names != nil {
		c.X.named = nameTicks(x, v.Names)
		c.Height = cmp.Or(c.Height, 420)
		c.Height += float64(c.X.room())
	}
	slot := slotWidth(x)
	c.X.Min, c.X.Max = slices.Min(x)-0.6*slot, slices.Max(x)+0.6*slot
	if len(methods) > 1 {
		shadeCells(c, x, slot)
	}
	for k, m := range methods {
		if err := v.addMethod(c, m, k, len(methods), x, slot); err != nil {
			return nil, err
		}
	}
	v.addTruth(c, x)
	if n := c.beyond(); n > 0 {
		c.Note += fmt.Sprintf(" Beyond the frame: %d medians or values.", n)
	}
	return c, nil
}

// check reports an error unless Truth, Observed and X, where given, have one finite value for each cell. Truth and
// Observed may also have NaN.
func (v Intervals) check(cells int) error {
	for _, s := range []struct {
		name   string
		values []float64
		gaps   bool
	}{{"truth", v.Truth, true}, {"observed", v.Observed, true}, {"x", v.X, false}} {
		if s.values != nil && len(s.values) != cells {
			return fmt.Errorf("intervals: %s has %d values for %d cells", s.name, len(s.values), cells)
		}
		for j, t := range s.values {
			if !finite(t) && !(s.gaps && math.IsNaN(t)) {
				return fmt.Errorf("intervals: %s: cell %d is %g", s.name, j, t)
			}
		}
	}
	return nil
}

// addMethod draws the bars and dots of method k of n.
func (v Intervals) addMethod(c *Chart, m Method, k, n int, x []float64, slot float64) error {
	name := m.Name
	cells, err := cellQuantiles("intervals: "+cmp.Or(name, "draws"), m.Draws)
	if err != nil {
		return err
	}
	at, tips, place := make([]float64, len(cells)), make([]string, len(cells)), v.coordinates(x)
	var q [5][]float64 // by level, then by cell
	for i := range q {
		q[i] = make([]float64, len(cells))
	}
	for j, s := range cells {
		at[j] = x[j]
		if n > 1 {
			at[j] += slot * 0.84 * ((float64(k)+0.5)/float64(n) - 0.5)
		}
		for i := range q {
			q[i][j] = s.q[i]
		}
		where := fmt.Sprintf("%s %s", c.X.Label, place(x[j]))
		if v.Names != nil {
			where = clean(v.Names[j])
		}
		tips[j] = fmt.Sprintf("%s, %s\nmedian %s\n50%% %s to %s\n95%% %s to %s", cmp.Or(name, "posterior"), where,
			number(s.q[2]), number(s.q[1]), number(s.q[3]), number(s.q[0]), number(s.q[4]))
		if s.one {
			tips[j] = fmt.Sprintf("%s, %s\n%s", cmp.Or(name, "posterior"), where, number(s.q[2]))
		}
	}
	// Strokes become thinner as more methods and cells share the width, down to widths that a screen still separates.
	room := 700 * 0.84 * slot / (c.X.Max - c.X.Min) / float64(n) // px for one method in one cell
	thin, thick, dot := clamp(room/4, 1, 1.6), clamp(room*0.6, 2.4, 5), clamp(room*0.42, 1.9, 3.2)
	col := m.color(k)
	if cells[0].one {
		c.Note += " One draw has no interval."
	} else {
		c.Bars(name, at, q[0], q[4], col, thin)
		c.Bars(name, at, q[1], q[3], col, thick)
	}
	c.Points(name, at, q[2], tips, PointStyle{Color: mix(col, color.NRGBA{A: 255}, 0.25), Radius: dot, Halo: true})
	return nil
}

// coordinates returns a function that prints positions of cells.
func (v Intervals) coordinates(x []float64) func(float64) string {
	if v.Dates {
		return dateText
	}
	return coordinates(x)
}

// addTruth draws the truth and the observations, where given.
func (v Intervals) addTruth(c *Chart, x []float64) {
	place := v.coordinates(x)
	if v.Observed != nil {
		var ox, oy []float64
		var tips []string
		for j, y := range v.Observed {
			if !math.IsNaN(y) {
				ox, oy = append(ox, x[j]), append(oy, y)
				tips = append(tips, fmt.Sprintf("observed, %s %s\n%s", c.X.Label, place(x[j]), number(y)))
			}
		}
		c.Points("observed", ox, oy, tips, PointStyle{Color: soft, Shape: Tick, Radius: 5})
	}
	if v.Truth != nil {
		tips := make([]string, len(x))
		for j, t := range v.Truth {
			tips[j] = fmt.Sprintf("truth, %s %s\n%s", c.X.Label, place(x[j]), number(t))
		}
		c.Points("truth", x, v.Truth, tips, PointStyle{Color: ink, Shape: Cross, Radius: 3.4, Halo: true})
	}
}

// indices returns 0, 1, …, n-1, the numbers of cells in the draws.
func indices(n int) []float64 {
	x := count(n)
	for i := range x {
		x[i]--
	}
	return x
}

// count returns 1, 2, …, n.
func count(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

// methods returns all methods that are drawn, with Draws as the first if it is given, and their number of cells.
func (v Intervals) methods() (methods []Method, cells int, err error) {
	methods = v.Methods
	if v.Draws != nil {
		name := ""
		if len(methods) > 0 || len(v.Truth) > 0 || len(v.Observed) > 0 {
			name = "posterior"
		}
		methods = append([]Method{{Name: name, Draws: v.Draws}}, methods...)
	}
	if len(methods) == 0 {
		return nil, 0, fmt.Errorf("intervals: no draws; give Draws or Methods")
	}
	for k, m := range methods {
		if isNil(m.Draws) {
			return nil, 0, fmt.Errorf("intervals: method %d (%q) has no draws", k+1, m.Name)
		}
		n, d := m.Draws.Dims()
		if n < 1 || d < 1 {
			return nil, 0, fmt.Errorf("intervals: method %d (%q): %d draws of %d cells; need at least one of each", k+1,
				m.Name, n, d)
		}
		if k > 0 && d != cells {
			return nil, 0, fmt.Errorf("intervals: method %d (%q) has %d cells, the first has %d", k+1, m.Name, d, cells)
		}
		cells = d
	}
	var taken []string
	if v.Truth != nil {
		taken = append(taken, "truth")
	}
	if v.Observed != nil {
		taken = append(taken, "observed")
	}
	return uniqueMethods(methods, taken...), cells, nil
}
