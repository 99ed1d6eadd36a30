package viz

import (
	"cmp"
	"fmt"
	"slices"
)

// Histogram shows counts in bins of equal width, with the expected counts. It is meant for PIT values or ranks, which
// are uniform if a posterior is calibrated. The shape ∪ means that the posterior is too narrow, ∩ that it is too wide,
// and a slope that it is biased.
type Histogram struct {
	// Of has the counts with their expected values and bounds, such as a
	// calibrate.Uniform. Counts, Expected, Low and High are then left out.
	Of       Binned
	Counts   []int
	From, To float64 // ends of the bins; both 0: 0 and 1
	// Expected is the count that every bin should have; 0 draws none.
	Expected float64
	// Low and High bound the counts of all bins simultaneously at the Level, which is
	// printed. If both are 0 no band is drawn.
	Low, High float64
	Level     float64 // default 0.95

	Title          string
	XLabel, YLabel string  // default "PIT" and "count"
	YMax           float64 // upper end of the y axis; 0: shows all that is drawn
	Width          float64 // px; 0 means 800
}

// Binned are counts in bins from 0 to 1, with the expected count of every bin and the bounds for all counts.
type Binned interface {
	Bins() (counts []int, expected, low, high float64, err error)
}

// Encode implements Figure.
func (v Histogram) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Histogram) Chart() (*Chart, error) {
	if v.Of != nil {
		var err error
		if v.Counts != nil {
			return nil, fmt.Errorf("histogram: it has Of and %d Counts; leave one of the two out", len(v.Counts))
		}
		if v.Counts, v.Expected, v.Low, v.High, err = v.Of.Bins(); err != nil {
			return nil, err
		}
	}
	if len(v.Counts) == 0 {
		return nil, fmt.Errorf("histogram: no counts; give one a bin")
	}
	if v.From == 0 && v.To == 0 {
		v.To = 1
	}
	v.Level = cmp.Or(v.Level, 0.95)
	if !finite(v.To-v.From) || !(v.From < v.To) {
		return nil, fmt.Errorf("histogram: bins from %g to %g; give From below To", v.From, v.To)
	}
	if !finite(v.Expected) || !(v.Expected >= 0 && v.Low >= 0 && v.Low <= v.High) || !finite(v.High) ||
		!(v.Level > 0 && v.Level < 1) {
		return nil, fmt.Errorf("histogram: %g expected, band from %g to %g of level %g; counts are not negative, Low "+
			"is at most High, the level is in (0, 1)", v.Expected, v.Low, v.High, v.Level)
	}
	if v.YMax == 0 {
		v.YMax = max(1.08*max(v.Expected, v.High, float64(slices.Max(v.Counts))), 1)
	}
	c := &Chart{
		Kind: "histogram", Title: v.Title, Width: v.Width,
		X: Axis{Label: cmp.Or(v.XLabel, "PIT"), Min: v.From, Max: v.To},
		Y: Axis{Label: cmp.Or(v.YLabel, "count"), Max: v.YMax},
	}
	return c, v.add(c)
}

// add draws the counts, their expected value and the band.
func (v Histogram) add(c *Chart) error {
	n := len(v.Counts)
	edge := func(k int) float64 { return v.From + (v.To-v.From)*float64(k)/float64(n) }
	var x, top, at, counts []float64
	var tips []string
	for k, count := range v.Counts {
		if count < 0 {
			return fmt.Errorf("histogram: bin %d has the count %d; counts are not negative", k, count)
		}
		y := float64(count)
		x, top = append(x, edge(k), edge(k+1)), append(top, y, y)
		at, counts = append(at, (edge(k)+edge(k+1))/2), append(counts, y)
		text := fmt.Sprintf("%s to %s\n%d", number(edge(k)), number(edge(k+1)), count)
		if v.Expected > 0 {
			text += ", expected " + number(v.Expected)
		}
		tips = append(tips, text)
	}
	ends := []float64{v.From, v.To}
	c.Band("counts", x, make([]float64, len(x)), top, fade(methodColor(0), 0.3))
	// The band lies over the bars, because it is compared with their upper ends.
	if v.High > 0 {
		c.Band("expected", ends, []float64{v.Low, v.Low}, []float64{v.High, v.High}, fade(ink, 0.16))
		c.Note = fmt.Sprintf("Band: counts of all bins together with probability %s%% or more.", number(100*v.Level))
	}
	if v.Expected > 0 {
		c.Line("expected", ends, []float64{v.Expected, v.Expected},
			LineStyle{Color: ink, Width: 1.2, Dashed: true, Mute: true})
	}
	// The outline has a foot at each end.
	x, top = append(append([]float64{v.From}, x...), v.To), append(append([]float64{0}, top...), 0)
	c.Line("counts", x, top, LineStyle{Color: methodColor(0), Mute: true})
	// invisible: they only answer the pointer
	c.Points("counts", at, counts, tips, PointStyle{Color: fade(methodColor(0), 0)})
	return nil
}
