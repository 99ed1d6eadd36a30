package expfam

// LogLikSlope returns Σⱼ [Terms.LogLik] over all cells at x, and writes the [Terms.Slope] of each cell into
// slope. A link function is evaluated once for all cells. LogLikSlope panics if the link cannot be evaluated.
func (t *Terms) LogLikSlope(x []float64, obs Observations, slope []float64) float64 {
	var total float64
	if t.own != nil {
		t.each(x, obs, func(j int, d [3]float64) {
			total += obs[j].Base + d[0]
			slope[j] = d[1]
		})
		return total
	}
	if t.f == nil {
		for j, c := range obs {
			total += t.LogLik(x[j], c)
			slope[j] = t.Slope(x[j], c)
		}
		return total
	}
	theta, d1 := make([]float64, len(x)), make([]float64, len(x))
	if err := t.f.jets(x, theta, d1, nil); err != nil {
		panic(err)
	}
	for j, c := range obs {
		total += c.Base
		slope[j] = 0
		if c.Stat != 0 {
			total += c.Stat * t.eta[0].Eval(theta[j])
			slope[j] += c.Stat * t.eta[1].Eval(theta[j]) * d1[j]
		}
		if c.Size != 0 {
			total -= c.Size * t.part[0].Eval(theta[j])
			slope[j] -= c.Size * t.part[1].Eval(theta[j]) * d1[j]
		}
	}
	return total
}

// Informations writes the [Terms.Information] of each cell at x into information. A link function is
// evaluated once for all cells. Informations panics if the link cannot be evaluated.
func (t *Terms) Informations(x []float64, obs Observations, information []float64) {
	if t.own != nil {
		t.each(x, obs, func(j int, d [3]float64) { information[j] = -d[2] })
		return
	}
	if t.f == nil {
		for j, c := range obs {
			information[j] = t.Information(x[j], c)
		}
		return
	}
	theta, d1, d2 := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	if err := t.f.jets(x, theta, d1, d2); err != nil {
		panic(err)
	}
	second := func(j jet, i int) float64 {
		return j[2].Eval(theta[i])*d1[i]*d1[i] + j[1].Eval(theta[i])*d2[i]
	}
	for j, c := range obs {
		information[j] = 0
		if c.Stat != 0 {
			information[j] -= c.Stat * second(t.eta, j)
		}
		if c.Size != 0 {
			information[j] += c.Size * second(t.part, j)
		}
	}
}

// each calls use with the log-likelihood of every cell under a [General] family, without Base, and with its
// first two derivatives in x.
func (t *Terms) each(x []float64, obs Observations, use func(j int, d [3]float64)) {
	theta, d1, d2 := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	if t.f != nil {
		if err := t.f.jets(x, theta, d1, d2); err != nil {
			panic(err)
		}
	}
	for j, c := range obs {
		var u [3]float64
		switch {
		case c.Stat == 0 && c.Size == 0:
		case t.f == nil:
			u = t.eta.at(x[j])
		default:
			u = chain(t.eta.at(theta[j]), d1[j], d2[j])
		}
		use(j, t.general(u, c))
	}
}
