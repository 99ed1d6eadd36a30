package expfam

// LogLikSlope returns Σⱼ [Terms.LogLik] over all cells at x, and writes the [Terms.Slope] of each cell into
// slope.
func (t *Terms) LogLikSlope(x []float64, obs Observations, slope []float64) float64 {
	var total float64
	for j, c := range obs {
		if t.own != nil {
			d := t.general(x[j], c)
			total, slope[j] = total+c.Base+d[0], d[1]
			continue
		}
		total += t.LogLik(x[j], c)
		slope[j] = t.Slope(x[j], c)
	}
	return total
}

// Informations writes the [Terms.Information] of each cell at x into information.
func (t *Terms) Informations(x []float64, obs Observations, information []float64) {
	for j, c := range obs {
		information[j] = t.Information(x[j], c)
	}
}
