package calibrate

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// stack returns the weights of the mixture of models that predicts best: the w ≥ 0 with sum 1 that
// maximise Σ_k log Σ_m w_m p_km. Here p_km is the density of datum k under model m, and logs[m][k]
// is its logarithm. Yao, Vehtari, Simpson & Gelman (2018), Bayesian Analysis 13.
//
// The objective is concave in w. Each step multiplies w_m by the mean over data of p_km/Σ w p,
// which never lowers the objective (Cover 1984). When all these means are below 1 + 1e-10, the
// objective is within 1e-10 times the number of data of its maximum.
func stack(logs []Scores) []float64 {
	models, data := len(logs), len(logs[0])
	p := make([][]float64, models) // relative to the best model of a datum
	for m := range p {
		p[m] = make([]float64, data)
		for k := range data {
			best := math.Inf(-1)
			for _, l := range logs {
				best = math.Max(best, l[k])
			}
			p[m][k] = math.Exp(logs[m][k] - best)
		}
	}
	w, gain, mixed := make([]float64, models), make([]float64, models), make([]float64, data)
	for m := range w {
		w[m] = 1 / float64(models)
	}
	for range 20_000 {
		clear(mixed)
		for m := range p {
			floats.AddScaled(mixed, w[m], p[m])
		}
		for m := range p {
			gain[m] = 0
			for k, v := range p[m] {
				gain[m] += v / mixed[k] / float64(data)
			}
		}
		if floats.Max(gain) < 1+1e-10 {
			break
		}
		floats.Mul(w, gain)
		floats.Scale(1/floats.Sum(w), w)
	}
	return w
}
