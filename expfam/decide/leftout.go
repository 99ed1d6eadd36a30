package decide

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// leftOut returns E[f | y without datum i] − E[f | y] for every datum, where logs has the logarithms of the weights of
// leave-one-out. The datum depends on the field through η_i alone. With the regression f = b η_i + r over the draws,
//
//	E₋ᵢ[f] − E[f] = b (E₋ᵢ[η_i] − E[η_i]) + E₋ᵢ[r].
//
// The last term is 0 if E[f | η_i] is linear, as for Gaussian posteriors, and a weighted sum of r over few draws is
// then noise of variance s² = Var(r) (Σ wₛ² − 1/S). The term is therefore shrunk by the factor max(0, 1 − s²/E₋ᵢ[r]²)
// of James & Stein. f has mean 0.
func leftOut(post *expfam.Posterior, obs expfam.Observations, logs *mat.Dense, f []float64) ([]float64, error) {
	seen, err := post.Seen()
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	draws, n := logs.Dims()
	out := make([]float64, 0, n)
	w, r := make([]float64, draws), make([]float64, draws)
	first := 0
	for _, p := range seen {
		_, data := p.Dims()
		for _, k := range calibrate.Observed(obs[first : first+data]) {
			eta := mat.Col(nil, k, p.X)
			floats.AddConst(-floats.Sum(eta)/float64(draws), eta)
			slope := 0.0
			if square := floats.Dot(eta, eta); square > 0 {
				slope = floats.Dot(eta, f) / square
			}
			copy(r, f)
			floats.AddScaled(r, -slope, eta)
			for i := range w {
				w[i] = math.Exp(logs.At(i, len(out)))
			}
			rest := floats.Dot(w, r)
			noise := floats.Dot(r, r) / float64(draws-1) * (floats.Dot(w, w) - 1/float64(draws))
			if rest != 0 {
				rest *= max(0, 1-noise/(rest*rest))
			}
			out = append(out, slope*floats.Dot(w, eta)+rest)
		}
		first += data
	}
	return out, nil
}
