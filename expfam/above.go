package expfam

import "math"

// Above returns P(x > u) of every cell: the share of the cell's draws that are above u.
func (d *Draws) Above(u float64) []float64 {
	return d.summary(func(x []float64) float64 {
		above := 0
		for _, v := range x {
			if math.IsNaN(v) {
				return v
			}
			if v > u {
				above++
			}
		}
		return float64(above) / float64(len(x))
	})
}

// Above returns P(θ > u | y) of every cell.
func (p *Posterior) Above(u float64) []float64 { return p.Theta().Above(u) }
