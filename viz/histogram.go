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
	// Of has the counts with their expected values and bounds, such as a calibrate.Uniform.
	Of Binned

	Title          string
	XLabel, YLabel string  // default "PIT" and "count"
	YMax           float64 // upper end of the y axis; 0: shows all that is drawn
	Width          float64 // px; 0 means 800
}

// Binned are counts in bins from 0 to 1, with the expected count of every bin and the bounds for all counts, which hold
// simultaneously with probability 95%. Bounds of 0 draw no band.
type Binned interface {
	Bins() (counts []int, expected, low, high float64, err error)
}

// Encode implements Figure.
func (v Histogram) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Histogram) Chart() (*Chart, error) {
	if v.Of == nil {
		return nil, fmt.Errorf("histogram: no counts; give Of, such as a calibrate.Uniform")
	}
	bins, expected, low, high, err := v.Of.Bins()
	if err != nil {
		return nil, err
	}
	if len(bins) == 0 {
		return nil, fmt.Errorf("histogram: no counts; give one a bin")
	}
	if !finite(expected) || !(expected >= 0 && low >= 0 && low <= high) || !finite(high) {
		return nil, fmt.Errorf("histogram: %g expected, band from %g to %g; counts are not negative, and a band is "+
			"not upside down", expected, low, high)
	}
	if v.YMax == 0 {
		v.YMax = max(1.08*max(expected, high, float64(slices.Max(bins))), 1)
	}
	c := &Chart{
		Kind: "histogram", Title: v.Title, Width: v.Width,
		X: Axis{Label: cmp.Or(v.XLabel, "PIT"), Max: 1}, Y: Axis{Label: cmp.Or(v.YLabel, "count"), Max: v.YMax},
	}
	var x, top, at, counts []float64
	var tips []string
	for k, count := range bins {
		if count < 0 {
			return nil, fmt.Errorf("histogram: bin %d has the count %d; counts are not negative", k, count)
		}
		n, y := float64(len(bins)), float64(count)
		from, to := float64(k)/n, float64(k+1)/n
		x, top = append(x, from, to), append(top, y, y)
		at, counts = append(at, (from+to)/2), append(counts, y)
		text := fmt.Sprintf("%s to %s\n%d", number(from), number(to), count)
		if expected > 0 {
			text += ", expected " + number(expected)
		}
		tips = append(tips, text)
	}
	ends := []float64{0, 1}
	c.Band("counts", x, make([]float64, len(x)), top, fade(methodColor(0), 0.3))
	// The band lies over the bars, because it is compared with their upper ends.
	if high > 0 {
		c.Band("expected", ends, []float64{low, low}, []float64{high, high}, fade(ink, 0.16))
		c.Note = "Band: counts of all bins together with probability 95% or more."
	}
	if expected > 0 {
		c.Line("expected", ends, []float64{expected, expected},
			LineStyle{Color: ink, Width: 1.2, Dashed: true, Mute: true})
	}
	// The outline has a foot at each end.
	x, top = append(append([]float64{0}, x...), 1), append(append([]float64{0}, top...), 0)
	c.Line("counts", x, top, LineStyle{Color: methodColor(0), Mute: true})
	// invisible: they only answer the pointer
	c.Points("counts", at, counts, tips, PointStyle{Color: fade(methodColor(0), 0)})
	return c, nil
}
