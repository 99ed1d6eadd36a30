package viz

import (
	"fmt"
	"math"
	"strings"
)

// Agreement compares the marginal quantiles of methods with those of a reference, cell by
// cell, at the levels 2.5%, 25%, 50%, 75% and 97.5%. Both are in standard deviations of
// the reference from its median. The points of a method that agrees lie on the diagonal.
// Points above it on the left and below it on the right mean intervals that are too
// narrow.
type Agreement struct {
	Reference Draws
	Name      string // name of the reference; "" means "reference"
	Methods   []Method

	Title         string
	Limit         float64 // range shown, in standard deviations; 0 means 4
	Width, Height float64 // px; 0 means 560 by 560
}

// Encode implements Figure.
func (v Agreement) Encode(format Format) ([]byte, error) {
	c, err := v.Chart()
	if err != nil {
		return nil, err
	}
	return c.Encode(format)
}

// Chart computes the quantiles and lays out the figure. Values beyond the limit are not
// drawn; the note gives their number.
func (v Agreement) Chart() (*Chart, error) {
	if v.Reference == nil || len(v.Methods) == 0 {
		return nil, fmt.Errorf("agreement: %d methods and reference given: %v; give both", len(v.Methods),
			v.Reference != nil)
	}
	if v.Limit < 0 || !finite(v.Limit) {
		return nil, fmt.Errorf("agreement: limit %g; must be positive", v.Limit)
	}
	limit := v.Limit
	if limit == 0 {
		limit = 4
	}
	name := nonEmpty(v.Name, "reference")
	size := func(given float64) float64 {
		if given == 0 {
			return 560
		}
		return given
	}
	c := &Chart{
		Kind: "agreement", Title: v.Title, Width: size(v.Width), Height: size(v.Height),
		X:    Axis{Label: "quantile of " + name + " (its sd from its median)", Min: -limit, Max: limit},
		Y:    Axis{Label: "the method's quantile (same units)", Min: -limit, Max: limit},
		Note: "Levels 2.5, 25, 50, 75 and 97.5% of each cell.",
	}
	reference, err := cellQuantiles("agreement: "+name, v.Reference)
	if err != nil {
		return nil, err
	}
	c.Line("", []float64{-limit, limit}, []float64{-limit, limit},
		LineStyle{Color: frame, Width: 1, Dashed: true, Mute: true})
	var outside []string
	for k, m := range v.Methods {
		label := nonEmpty(m.Name, fmt.Sprintf("method %d", k+1))
		if m.Draws == nil {
			return nil, fmt.Errorf("agreement: %s has no draws", label)
		}
		q, err := cellQuantiles("agreement: "+label, m.Draws)
		if err != nil {
			return nil, err
		}
		if len(q) != len(reference) {
			return nil, fmt.Errorf("agreement: %s has %d cells, %s has %d", label, len(q), name, len(reference))
		}
		for j, r := range reference {
			if r.sd == 0 {
				return nil, fmt.Errorf("agreement: %s: all draws of cell %d are equal", name, j)
			}
		}
		x, y, tips := against(reference, q, label, limit)
		if lost := len(levels)*len(reference) - len(x); lost > 0 {
			outside = append(outside, fmt.Sprintf("%d of %s", lost, label))
		}
		c.Points(label, x, y, tips, PointStyle{Color: fade(m.color(k), 0.7), Radius: 2.4})
	}
	if outside != nil {
		c.Note += " Beyond the frame: " + strings.Join(outside, ", ") + "."
	}
	return c, nil
}

// against returns a point for each cell and level: x is the quantile of the reference, y the quantile of the
// method. Both are in standard deviations of the reference from its median. Points beyond the limit are left out.
func against(reference, q []summary, label string, limit float64) (x, y []float64, tips []string) {
	for j, r := range reference {
		for i, p := range levels {
			rx, ry := (r.q[i]-r.q[2])/r.sd, (q[j].q[i]-r.q[2])/r.sd
			if max(math.Abs(rx), math.Abs(ry)) <= limit {
				x, y = append(x, rx), append(y, ry)
				tips = append(tips, fmt.Sprintf("%s, cell %d, %g%%\n%s against %s", label, j, 100*p, number(q[j].q[i]),
					number(r.q[i])))
			}
		}
	}
	return x, y, tips
}
