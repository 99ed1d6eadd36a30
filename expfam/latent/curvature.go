package latent

import "math"

// curvature is √W H, a row for each datum of positive weight: AᵀWA is the precision that data add at a point.
type curvature [][]Entry

func newCurvature(rows func(k int, visit func(cell int, weight float64)), w []float64) curvature {
	var all []Entry
	ends := make([]int, 0, len(w))
	for k, v := range w {
		if v == 0 {
			continue
		}
		root := math.Sqrt(v)
		rows(k, func(cell int, weight float64) { all = append(all, Entry{cell, root * weight}) })
		ends = append(ends, len(all))
	}
	c, from := make(curvature, len(ends)), 0
	for k, end := range ends {
		c[k], from = all[from:end:end], end
	}
	return c
}

// add adds HᵀWH x to out, and returns xᵀHᵀWH x.
func (c curvature) add(out, x []float64) (square float64) {
	for _, row := range c {
		var eta float64
		for _, e := range row {
			eta += e.Weight * x[e.Node]
		}
		for _, e := range row {
			out[e.Node] += e.Weight * eta
		}
		square += eta * eta
	}
	return square
}
