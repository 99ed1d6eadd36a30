package expfam

// Above is P(x > u), the share of the draws of every cell that are above u.
func (d *Draws) Above(u float64) []float64 {
	return d.summary(func(x []float64) float64 {
		above := 0
		for _, v := range x {
			if v > u {
				above++
			}
		}
		return float64(above) / float64(len(x))
	})
}

// Above is P(θ > u | y) of every cell.
func (p *Posterior) Above(u float64) []float64 { return p.Theta().Above(u) }
