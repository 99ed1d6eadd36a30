package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"
)

// Predictive is a posterior predictive check. It compares the data of every cell with the median and the equal-tailed
// interval of data that the posterior replicates. A point on the diagonal is a cell whose data equal the median. Cells
// outside of their interval have another colour, and the note counts them.
//
// With draws of θ instead of replicated data, and rates as Observed, it is the paper's check (figures A12 and A13).
// That check ignores the scatter of the data around θ; say so with Of.
type Predictive struct {
	Draws    Draws     // a column for each of Observed
	Observed []float64 // the same statistic, such as the positives; NaN where a cell has none
	// Sizes are divisors of Draws and Observed, such as the numbers examined; nil: 1. A cell with 0 of 0 has no
	// observation.
	Sizes []float64
	Level float64 // default 0.95
	// InOrder places the cells side by side in the order of their medians. Default: cells
	// are placed at their observed values.
	InOrder bool

	Title          string
	XLabel, YLabel string  // default "observed" and the level
	Width          float64 // px; 0 means 560, or 800 in order
}

// Encode implements Figure.
func (v Predictive) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Predictive) Chart() (*Chart, error) {
	cells, err := v.read()
	if err != nil {
		return nil, err
	}
	c := &Chart{Kind: "predictive", Title: v.Title, Width: v.Width, X: Axis{Label: cmp.Or(v.XLabel, "observed")},
		Y: Axis{Label: cmp.Or(v.YLabel, number(100*v.Level)+"% of replicated data")}}
	lo, hi := cells[0].low, cells[0].high
	for _, s := range cells {
		lo, hi = min(lo, s.low, s.y), max(hi, s.high, s.y)
	}
	if v.InOrder {
		sort.SliceStable(cells, func(i, j int) bool { return cells[i].median < cells[j].median })
		c.X.Label = cmp.Or(v.XLabel, "cell, in the order of the medians")
	} else {
		if v.Width == 0 {
			c.Width = 560
		}
		c.Line("", []float64{lo, hi}, []float64{lo, hi}, LineStyle{Color: frame, Width: 1.2, Dashed: true, Mute: true})
	}
	outside := 0
	for k, side := range []struct {
		name  string
		color color.NRGBA
	}{{"inside", OkabeIto[0]}, {"outside", OkabeIto[1]}} {
		n := v.addSide(c, cells, k == 0, side.name, side.color)
		if k == 1 {
			outside = n
		}
	}
	sign := "Dot: median. Dashed: where both agree."
	if v.InOrder {
		sign = "Dot: observed."
	}
	c.Note = fmt.Sprintf("%s Bars: central %s%% of replicated data, which hold %.3g%% of %d cells, ends included.",
		sign, number(100*v.Level), 100*(1-float64(outside)/float64(len(cells))), len(cells))
	if none := len(v.Observed) - len(cells); none > 0 {
		c.Note += " Left out: " + some(none, "cell", " without an observation") + "."
	}
	return c, nil
}

// replicated holds the observed value y of a cell, and the quantiles of its replicated data.
type replicated struct {
	column               int
	low, median, high, y float64
}

func (s replicated) inside() bool { return s.low <= s.y && s.y <= s.high }

func (v Predictive) tip(s replicated) string {
	text := fmt.Sprintf("observed %s", number(s.y))
	if v.Sizes != nil {
		text += fmt.Sprintf(": %s of %s", number(v.Observed[s.column]), number(v.Sizes[s.column]))
	}
	return fmt.Sprintf("%s\nmedian %s\n%s%% %s to %s", text, number(s.median), number(100*v.Level), number(s.low),
		number(s.high))
}

// read checks the data and returns all cells with their quantiles, which are of type 7.
func (v *Predictive) read() ([]replicated, error) {
	v.Level = cmp.Or(v.Level, 0.95)
	if !(v.Level > 0 && v.Level < 1) {
		return nil, fmt.Errorf("predictive: level %g; give one in (0, 1)", v.Level)
	}
	if isNil(v.Draws) {
		return nil, fmt.Errorf("predictive: no draws; give Draws")
	}
	n, d := v.Draws.Dims()
	if n < 1 || d < 1 || len(v.Observed) != d || v.Sizes != nil && len(v.Sizes) != d {
		return nil, fmt.Errorf("predictive: %d draws of %d cells, %d observed, %d sizes; give draws, and one of "+
			"the others for each cell", n, d, len(v.Observed), len(v.Sizes))
	}
	var out []replicated
	column := make([]float64, n)
	for j := range d {
		size := 1.0
		if v.Sizes != nil {
			size = v.Sizes[j]
		}
		if math.IsNaN(v.Observed[j]) || v.Observed[j] == 0 && size == 0 {
			continue // nothing was observed there
		}
		if !finite(v.Observed[j]) || !finite(size) || size <= 0 {
			return nil, fmt.Errorf("predictive: cell %d has %g observed of size %g; both must be finite, the size "+
				"positive", j, v.Observed[j], size)
		}
		for i := range column {
			if column[i] = v.Draws.At(i, j) / size; !finite(column[i]) {
				return nil, fmt.Errorf("predictive: draw %d of cell %d is %g", i, j, column[i])
			}
		}
		slices.Sort(column)
		low, high := quantile(column, (1-v.Level)/2), quantile(column, (1+v.Level)/2)
		out = append(out, replicated{j, low, quantile(column, 0.5), high, v.Observed[j] / size})
	}
	if out == nil {
		return nil, fmt.Errorf("predictive: all %d cells have no observation; there is nothing to compare", d)
	}
	return out, nil
}

// addSide draws the cells whose data are inside of their intervals, or outside if inside is false. It returns their
// number.
func (v Predictive) addSide(c *Chart, cells []replicated, inside bool, name string, color color.NRGBA) int {
	var x, low, high, median, y []float64
	var tips []string
	for i, s := range cells {
		if s.inside() != inside {
			continue
		}
		at := s.y
		if v.InOrder {
			at = float64(i + 1)
		}
		x, low, high, median, y = append(x, at), append(low, s.low), append(high, s.high), append(median, s.median),
			append(y, s.y)
		tips = append(tips, v.tip(s))
	}
	if len(x) == 0 {
		return 0
	}
	c.Bars(name, x, low, high, fade(color, clamp(30/float64(len(cells))+0.25, 0.25, 0.8)), 1.2)
	if v.InOrder {
		c.Points(name, x, y, tips, PointStyle{Color: color, Radius: 2})
	} else {
		c.Points(name, x, median, tips, PointStyle{Color: color, Radius: 2.2})
	}
	return len(x)
}
