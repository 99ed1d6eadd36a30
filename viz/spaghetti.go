package viz

import (
	"cmp"
	"fmt"
	"math"
)

// Spaghetti shows draws of a curve as lines, so that a reader sees what one curve may look like: how smooth it is, and
// what goes together. A band of intervals does not show it. The lines are evenly spaced draws.
type Spaghetti struct {
	Draws  Draws
	X      []float64 // positions of the cells; nil means their numbers 0, 1, …
	Lines  int       // default 40
	Truth  []float64 // nil: none
	Median bool      // also draws the median of all draws

	Title          string
	XLabel, YLabel string // default "cell" and "value"
	LogY           bool
	Width          float64 // px; 0 means 800
}

// Encode implements Figure.
func (v Spaghetti) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Spaghetti) Chart() (*Chart, error) {
	if v.Draws == nil {
		return nil, fmt.Errorf("spaghetti: no draws; give Draws")
	}
	draws, cells := v.Draws.Dims()
	v.Lines = cmp.Or(v.Lines, 40)
	if draws < 1 || cells < 2 || v.Lines < 1 || v.Lines > 500 {
		return nil, fmt.Errorf("spaghetti: %d draws of %d cells and %d lines; give draws of at least 2 cells, and 1 "+
			"to 500 lines", draws, cells, v.Lines)
	}
	x := v.X
	if x == nil {
		x = indices(cells)
	}
	if len(x) != cells || v.Truth != nil && len(v.Truth) != cells {
		return nil, fmt.Errorf("spaghetti: %d positions and %d true values for %d cells", len(x), len(v.Truth), cells)
	}
	n := min(v.Lines, draws)
	order := along(x, cells)
	at := pick(x, order)
	c := &Chart{Kind: "spaghetti", Title: v.Title, Width: v.Width,
		X: Axis{Label: cmp.Or(v.XLabel, "cell")}, Y: Axis{Label: cmp.Or(v.YLabel, "value"), Log: v.LogY}}
	style := LineStyle{Color: fade(OkabeIto[0], clamp(12/float64(n), 0.12, 0.6)), Width: 1, Mute: true}
	for k := range n {
		i := k * draws / n
		y := make([]float64, cells)
		for j, cell := range order {
			if y[j] = v.Draws.At(i, cell); math.IsNaN(y[j]) || math.IsInf(y[j], 0) {
				return nil, fmt.Errorf("spaghetti: draw %d of cell %d is %g", i, cell, y[j])
			}
		}
		c.Line("draws", at, y, style)
	}
	if v.Median {
		stats, err := cellQuantiles("spaghetti", v.Draws)
		if err != nil {
			return nil, err
		}
		y := make([]float64, cells)
		for j, cell := range order {
			y[j] = stats[cell].q[2]
		}
		c.Line("median", at, y, LineStyle{Color: OkabeIto[1], Width: 2})
	}
	if v.Truth != nil {
		c.Line("truth", at, pick(v.Truth, order), LineStyle{Color: ink, Width: 1.6, Dashed: true})
	}
	return c, nil
}
