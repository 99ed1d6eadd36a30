package viz

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// Deviations shows how far each method is from exact draws, cell by cell: its median and the ends of its 95% intervals
// minus the exact ones, in standard deviations of the exact draws. Each method has a panel, whose title has the mean
// ratio of the widths of the intervals. Intervals that are too narrow have an upper end below 0 and a lower end above.
//
//	viz.Show(viz.Deviations{Exact: truth.Latent(), Methods: []viz.Method{{Name: "DPS", Draws: dps.Latent()}}})
type Deviations struct {
	Exact   Draws
	Methods []Method

	Title         string
	Width, Height float64 // px of the whole and of a panel; 0 means 1000 by 240
}

// Encode implements Figure.
func (v Deviations) Encode(format Format) ([]byte, error) {
	p, err := v.panels()
	if err != nil {
		return nil, err
	}
	return p.Encode(format)
}

const deviationsNote = "Grey: where exact draws lie with probability 95%, medians in the dark band and ends in the " +
	"light one. × is the width beside the exact one. Beyond the frame values are cut off."

func (v Deviations) panels() (Panels, error) {
	p := Panels{Title: v.Title, Width: v.Width, Height: v.Height, Columns: min(3, max(1, len(v.Methods))),
		ShareY: true, Note: deviationsNote}
	if p.Height == 0 {
		p.Height = 240
	}
	if isNil(v.Exact) || len(v.Methods) == 0 {
		return p, fmt.Errorf("deviations: give Exact, the draws to compare with, and at least one of Methods")
	}
	n, cells := v.Exact.Dims()
	exact, err := v.quantiles("exact", v.Exact, cells)
	if err != nil {
		return p, err
	}
	most := 0.0
	for _, m := range uniqueMethods(v.Methods) {
		found, err := v.quantiles(m.Name, m.Draws, cells)
		if err != nil {
			return p, err
		}
		own, _ := m.Draws.Dims()
		c := &Chart{Kind: "deviations", X: Axis{Label: "cell"}, Y: Axis{Label: "method − exact (sd)"}}
		c.X.Min, c.X.Max = -0.5, float64(cells)-0.5
		v.bands(c, math.Sqrt(1/float64(n)+1/float64(own)), cells)
		wide := 0.0
		ends := make([][]float64, 3)
		for j, e := range exact {
			wide += (found[j].high - found[j].low) / (e.high - e.low) / float64(cells)
			for k, d := range []float64{found[j].high - e.high, found[j].middle - e.middle, found[j].low - e.low} {
				ends[k] = append(ends[k], d/e.sd)
				most = max(most, math.Abs(d/e.sd))
			}
		}
		c.Title = strings.TrimPrefix(fmt.Sprintf("%s: ×%.2f", m.Name, wide), ": ")
		c.Line("upper", indices(cells), ends[0], LineStyle{Color: OkabeIto[1], Width: 1.4})
		c.Points("median", indices(cells), ends[1], nil, PointStyle{Color: Ink, Radius: 2.2})
		c.Line("lower", indices(cells), ends[2], LineStyle{Color: OkabeIto[0], Width: 1.4})
		p.Figures = append(p.Figures, c)
	}
	for _, f := range p.Figures {
		c := f.(*Chart)
		c.Y.Max = min(2, max(0.5, 1.05*most))
		c.Y.Min = -c.Y.Max
	}
	return p, nil
}

// bands adds the bands of differences of normal draws, whose quantiles of level p have the standard error
// √(p(1−p)/n) / φ(z) in standard deviations.
func (v Deviations) bands(c *Chart, root float64, cells int) {
	const ofMedian, ofEnd = 1.96 * 1.2533, 1.96 * 2.671
	x := []float64{-0.5, float64(cells) - 0.5}
	for _, wide := range []float64{ofEnd, ofMedian} {
		c.Band("", x, []float64{-wide * root, -wide * root}, []float64{wide * root, wide * root}, fade(Ink, 0.1))
	}
	c.Line("", x, []float64{0, 0}, LineStyle{Color: Ink, Width: 1, Dashed: true, Mute: true})
}

// cellOf is what Deviations compares of a cell.
type cellOf struct{ low, middle, high, sd float64 }

func (v Deviations) quantiles(name string, of Draws, cells int) ([]cellOf, error) {
	if isNil(of) {
		return nil, fmt.Errorf("deviations: %s has no draws", name)
	}
	n, own := of.Dims()
	if own != cells || n < 40 {
		return nil, fmt.Errorf("deviations: %s has %d draws of %d cells; give at least 40 draws of %d cells", name, n,
			own, cells)
	}
	out, x := make([]cellOf, cells), make([]float64, n)
	for j := range out {
		mean, square := 0.0, 0.0
		for i := range x {
			if x[i] = of.At(i, j); !finite(x[i]) {
				return nil, fmt.Errorf("deviations: %s: draw %d of cell %d is %g", name, i, j, x[i])
			}
			mean += x[i] / float64(n)
		}
		for _, value := range x {
			square += (value - mean) * (value - mean) / float64(n-1)
		}
		sort.Float64s(x)
		out[j] = cellOf{quantile(x, 0.025), quantile(x, 0.5), quantile(x, 0.975), math.Sqrt(square)}
		if !(out[j].sd > 0) || out[j].low == out[j].high {
			return nil, fmt.Errorf("deviations: %s: all draws of cell %d are equal", name, j)
		}
	}
	return out, nil
}
