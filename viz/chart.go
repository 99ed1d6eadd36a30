package viz

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Axis describes one axis of a chart.
type Axis struct {
	Label    string  // with the unit, as in "rate (per km²)"
	Log      bool    // base-10 logarithmic
	Min, Max float64 // both zero: the range of the data and a margin
	Whole    bool    // labels at whole numbers only, for example at ranks
	Dates    bool    // dates, as Days returns them: labels at hours, days, Mondays, months or years; of the x axis only

	named []plot.Tick // upright labels in the place of numbers, such as names of districts; of the x axis only
}

// Chart is a drawing in data units: axes, marks in the order in which they are
// painted, and a note. Figures build one; Encode renders it.
type Chart struct {
	Kind   string // name of the figure in errors and in plain text, such as "intervals"
	Title  string
	Note   string // printed below: what the signs mean, interval levels, sizes
	X, Y   Axis
	Width  float64 // px; 0 means 800, the width of a notebook
	Height float64 // px; 0 means 420

	marks   []mark
	err     error        // about the first mark with unequal numbers of values, or stripe of NaN
	stripes [][2]float64 // x ranges with a grey ground
	shared  bool         // the pointer compares all lines at one x
}

// Stripe makes the background grey between two values of x.
func (c *Chart) Stripe(from, to float64) {
	if (math.IsNaN(from) || math.IsNaN(to)) && c.err == nil {
		c.err = fmt.Errorf("stripe from %g to %g; both ends must be numbers", from, to)
	}
	c.stripes = append(c.stripes, [2]float64{from, to})
}

// Chart returns the chart itself, so that a Chart can be one of the figures of Panels.
func (c *Chart) Chart() (*Chart, error) { return c, nil }

// add adds a mark that has n values of x and as many of everything else; else layout returns an error.
func (c *Chart) add(m mark, n int, others ...int) {
	for _, o := range others {
		if o != n && c.err == nil {
			c.err = fmt.Errorf("%q has %d values of x and %d of another kind; give equally many", m.name(), n, o)
		}
	}
	c.marks = append(c.marks, m)
}

// Encode renders the chart.
func (c *Chart) Encode(format Format) ([]byte, error) {
	if format == Phone {
		own := *c // the caller's own chart keeps its size
		own.Width = phoneWidth
		c = &own
	}
	return format.of(c.layout())
}

// Encode renders the chart as it is laid out.
func (d *drawing) Encode(format Format) ([]byte, error) {
	return rendering{d.Kind, d.Width, d.Height, d.altText(), func(c draw.Canvas) { d.paint(c) }, d.html}.encode(format)
}

// altText returns the texts that describe the chart where no picture can be shown, and to readers who cannot see it.
func (c *Chart) altText() []string {
	var out []string
	add := func(s string) {
		if s != "" {
			out = append(out, s)
		}
	}
	add(c.Title)
	add(strings.Join(c.entries(), ", "))
	if c.X.Label != "" || c.Y.Label != "" {
		add(strings.TrimSpace(c.Y.Label + " against " + c.X.Label))
	}
	add(c.Note)
	return out
}

// entries returns the names in the legend, in the order of the first mark of each name.
func (c *Chart) entries() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, m := range c.marks {
		if n := m.name(); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}

// drawing is a chart after layout. Its ranges and ticks hold for every format.
type drawing struct {
	*Chart
	xmin, xmax, ymin, ymax float64
	xticks, yticks         []plot.Tick
	labels                 []lineLabel // beside the lines; nil: there is a legend
}

// layout fixes ranges and ticks, and leaves out what the axes cannot show. It returns an error for a chart that cannot
// be drawn, so that no picture is blank.
func (c *Chart) layout() (*drawing, error) {
	if c.err != nil {
		return nil, fmt.Errorf("%s: %w", c.Kind, c.err)
	}
	c, lost := c.clip()
	d := &drawing{Chart: c}
	c.Width = cmp.Or(c.Width, 800)
	c.Height = cmp.Or(c.Height, 420)
	if !(c.Width >= 200 && c.Width <= 4000 && c.Height >= 120 && c.Height <= 4000) {
		return nil, fmt.Errorf("%s: size %g by %g px; width must be in 200 to 4000, height in 120 to 4000", c.Kind,
			c.Width, c.Height)
	}
	b := emptyBox()
	for _, m := range c.marks {
		b = b.union(m.bounds())
	}
	if lost != (omitted{}) && (b.xmin > b.xmax || b.ymin > b.ymax) {
		return nil, fmt.Errorf("%s: nothing to draw: %s", c.Kind, lost.reasons())
	}
	var err error
	if d.xmin, d.xmax, err = c.X.span("x", c.Kind, b.xmin, b.xmax, 0.02); err != nil {
		return nil, err
	}
	if d.ymin, d.ymax, err = c.Y.span("y", c.Kind, b.ymin, b.ymax, 0.05); err != nil {
		return nil, err
	}
	ticks := func(a Axis, lo, hi float64, want int) []plot.Tick {
		if a.named != nil {
			return a.named
		}
		if a.Log {
			return logTicks(lo, hi)
		}
		if a.Dates {
			return dateTicks(lo, hi, 3*want/4) // their labels are long
		}
		if a.Whole && hi-lo < float64(want) {
			return ticksEach(lo, hi, 1)
		}
		return linearTicks(lo, hi, want)
	}
	d.thin()
	d.xticks = ticks(c.X, d.xmin, d.xmax, int(c.Width/70))
	d.yticks = ticks(c.Y, d.ymin, d.ymax, max(5, int(c.Height/65)))
	d.labels = d.lineLabels()
	return d, nil
}

// clip returns a copy of the chart whose marks are as its axes show them. Its note lists what is left out.
func (c *Chart) clip() (*Chart, omitted) {
	own := *c
	own.marks = make([]mark, len(c.marks))
	var names []string
	of := map[string]omitted{}
	for k, m := range c.marks {
		var g omitted
		own.marks[k], g = m.clip(axes{c.X.Log, c.Y.Log, c.X.Dates})
		if _, seen := of[m.name()]; !seen {
			names = append(names, m.name())
		}
		of[m.name()] = of[m.name()].most(g)
	}
	var all omitted
	for _, name := range names {
		all = all.add(of[name])
	}
	own.Note = strings.TrimSpace(c.Note + " " + all.String())
	return &own, all
}

// span returns the range of an axis: Min and Max if they are given, otherwise the range of the data with a margin.
func (a Axis) span(axis, kind string, lo, hi, margin float64) (float64, float64, error) {
	least := lo
	if a.Dates && (lo < firstDay || hi > lastDay || a.Log) && lo <= hi {
		return 0, 0, fmt.Errorf("%s: %s axis of dates from %g to %g days after 1970; dates are those of Days, of the "+
			"years 1 to 9999, and not logarithmic", kind, axis, lo, hi)
	}
	if a.Min != 0 || a.Max != 0 {
		lo, hi, margin = a.Min, a.Max, 0
	}
	switch {
	case a.Min > a.Max:
		return 0, 0, fmt.Errorf("%s: %s axis from %g to %g; give the smaller end first", kind, axis, a.Min, a.Max)
	case lo > hi:
		return 0, 0, fmt.Errorf("%s: nothing to draw: no values on the %s axis", kind, axis)
	case !finite(lo) || !finite(hi) || !finite(hi-lo):
		return 0, 0, fmt.Errorf("%s: %s axis: range %g to %g is not finite", kind, axis, lo, hi)
	case a.Log && min(lo, least) <= 0: // a value beyond the given range has no place either
		return 0, 0, fmt.Errorf("%s: %s axis: value %g cannot be drawn on a logarithmic axis; leave Log%s out", kind,
			axis, min(lo, least), strings.ToUpper(axis))
	}
	if a.Log {
		l, h := math.Log10(lo), math.Log10(hi)
		w := margin * (h - l)
		if h-l < 1e-9 {
			w = 0.3
		}
		// Near the ends of what a float64 holds there is no room for the margin.
		return max(math.Pow(10, l-w), math.SmallestNonzeroFloat64), min(math.Pow(10, h+w), math.MaxFloat64), nil
	}
	w := margin * (hi - lo)
	if hi-lo <= 1e-12*max(math.Abs(lo), math.Abs(hi)) {
		w = max(0.5, 0.1*math.Abs(lo)) // all values equal: a range around them
	}
	if !finite(hi - lo + 2*w) { // no room for the margin
		w = 0
	}
	return lo - w, hi + w, nil
}

// clean makes any string fit for a picture. It returns valid UTF-8 without control characters, which would make an
// SVG unreadable.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}
