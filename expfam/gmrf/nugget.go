package gmrf

import "math"

// move writes x + e of every cell into to and returns it with Σ e²/(2τ²). Here e is the most probable effect of the
// cell given x, its data and the prior N(0, τ²). Without a nugget move returns x itself.
//
// Field and effects have a joint mode. Eliminating the effects leaves a problem in the
// field alone, in which a cell has the log-likelihood
//
//	ℓ̃(x) = max_e ℓ(x + e) − e²/(2τ²),  ℓ̃′ = ℓ′(x + e),  −ℓ̃″ = w/(1 + τ²w),  w = −ℓ″(x + e),
//
// where e = τ² ℓ′(x + e). With the determinant of the effects, ∏ (1 + τ²w)^−½, this is
// exactly Laplace's approximation for field and effects together, and P + W stays a band.
func (m *model) move(x []float64, sd float64, to []float64) (at []float64, penalty float64) {
	if sd == 0 {
		return x, 0
	}
	n, precision := len(x), 1/(sd*sd)
	slope, information := make([]float64, n), make([]float64, n)
	low, high, last := make([]float64, n), make([]float64, n), make([]float64, n)
	copy(to, x)
	m.terms.LogLikSlope(to, m.obs, slope)
	for i, s := range slope {
		// ℓ′ is decreasing, so e lies between 0 and τ² ℓ′(x).
		low[i], high[i], last[i] = math.Min(0, s/precision), math.Max(0, s/precision), math.Inf(1)
	}
	// Newton's method in a bracket. The bracket is halved where a step leaves it or is
	// longer than half of the step before, because Newton's method can oscillate with
	// saturating links. After 60 halvings float64 cannot resolve the bracket further.
	for range 100 {
		m.terms.Informations(to, m.obs, information)
		done := true
		for i := range to {
			e := to[i] - x[i]
			pull := slope[i] - e*precision
			if pull > 0 || math.IsNaN(pull) && e < 0 {
				low[i] = e
			} else {
				high[i] = e
			}
			// The step is NaN where the link overflows, as exp does after the first step towards a large count.
			step := pull / (precision + math.Max(0, information[i]))
			if !(math.Abs(step) <= 1e-14*(sd+math.Abs(to[i]))) {
				done = false
				if !(e+step >= low[i] && e+step <= high[i] && math.Abs(step) <= last[i]/2) {
					step = (low[i]+high[i])/2 - e
				}
				last[i] = math.Abs(step)
			}
			to[i] = x[i] + (e + step)
		}
		m.terms.LogLikSlope(to, m.obs, slope)
		if done {
			break
		}
	}
	for i, v := range to {
		penalty += (v - x[i]) * (v - x[i]) * precision / 2
	}
	return to, penalty
}

// disperse adds draws of the effects, given field and data, to a draw x of the field in the order of the lattice. An
// effect is normal with the variance v = τ²/(1 + τ²w). Its mean is its mode plus ℓ‴v²/2, the correction for skewness of
// centre, limited to one standard deviation. In a cell without data the effect is a draw of its prior.
func (a *Approximation) disperse(x []float64, normal func() float64) {
	sd := a.hyper.nugget
	at, _ := a.model.move(x, sd, make([]float64, len(x)))
	spread := make([]float64, len(x)) // √v
	a.model.terms.Informations(at, a.model.obs, spread)
	for i, information := range spread {
		spread[i] = sd / math.Sqrt(1+sd*sd*math.Max(0, information))
	}
	skew := a.model.third(at, spread)
	for i, v := range at {
		off := skew[i] * math.Pow(spread[i], 4) / 2
		x[i] = v + math.Min(math.Max(off, -spread[i]), spread[i]) + spread[i]*normal()
	}
}
