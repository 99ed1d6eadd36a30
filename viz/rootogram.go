package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// Frequencies are numbers of data and of replicated data in bins, such as a calibrate.Rootogram.
type Frequencies interface {
	Len() int
	// Bin returns the ends of bin i, the number of data in it, and the mean and the interval of the number of
	// replicated data.
	Bin(i int) (from, to, observed, expected, low, high float64)
}

// Rootogram shows how often counts were observed beside how often replicated data have them (Tukey 1977). The axis has
// square roots, so that rare counts are seen and errors of all bins are alike. Bars are the data; a dot with its
// interval is the model. A bar that ends outside of its interval is a count that the model does not explain.
type Rootogram struct {
	Of     Frequencies
	Title  string
	XLabel string  // default "count"
	Width  float64 // px; 0 means 800
}

// Encode implements Figure.
func (v Rootogram) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Rootogram) Chart() (*Chart, error) {
	if v.Of == nil || v.Of.Len() == 0 {
		return nil, errors.New("rootogram: no bins; give Of, such as the Rootogram of calibrate.Replicates")
	}
	n := v.Of.Len()
	var x, zero, seen, expected, low, high []float64
	var tips []string
	outside, width := 0, 0.0
	for i := range n {
		from, to, o, e, l, h := v.Of.Bin(i)
		if !(to > from) || !(o >= 0 && e >= 0 && l >= 0 && l <= h) || !finite(o+e+h+to) {
			return nil, fmt.Errorf("rootogram: bin %d from %g to %g has %g data, and %g in %g to %g expected", i, from,
				to, o, e, l, h)
		}
		name := number(from)
		if to-from > 1 {
			name += " to " + number(to-1)
		}
		if i == n-1 {
			name += " and more"
		}
		if o < l || o > h {
			outside++
		}
		tips = append(tips, fmt.Sprintf("count %s\nobserved %s\nexpected %s\n95%% %s to %s", name, number(o), number(e),
			number(l), number(h)))
		x, zero, width = append(x, (from+to-1)/2), append(zero, 0), to-from
		seen, expected = append(seen, math.Sqrt(o)), append(expected, math.Sqrt(e))
		low, high = append(low, math.Sqrt(l)), append(high, math.Sqrt(h))
	}
	c := &Chart{Kind: "rootogram", Title: v.Title, Width: v.Width, X: Axis{Label: cmp.Or(v.XLabel, "count"),
		Min: x[0] - 0.7*width, Max: x[n-1] + 0.7*width}, Y: Axis{Label: "square root of the number of data"}}
	room := 700 / float64(n+1) // px of a bin
	c.Bars("observed", x, zero, seen, fade(frame, 0.75), clamp(0.5*room, 1.5, 40))
	c.Bars("expected", x, low, high, OkabeIto[0], clamp(room/6, 1.2, 2.4))
	c.Points("expected", x, expected, tips, PointStyle{Color: OkabeIto[0], Radius: clamp(room/5, 1.8, 3.4), Halo: true})
	c.Note = fmt.Sprintf("Dot: mean of replicated data. Bars: central 95%%. %d of %d bins are outside.", outside, n)
	return c, nil
}
