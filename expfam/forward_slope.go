package expfam

import (
	"math"

	"github.com/expfam/lab/expfam/latent"
)

// LogLikSlope returns log p(y | x₀) and writes its slope in every cell into slope. It panics if a
// link function cannot be evaluated.
func (f *Forward) LogLikSlope(x []float64, obs Observations, slope []float64) float64 {
	if f.Plain() {
		return f.Parts[0].Terms.LogLikSlope(x, obs, slope)
	}
	clear(slope)
	var total float64
	for _, s := range f.Parts {
		eta, gradient := make([]float64, s.Rows), make([]float64, s.Rows)
		slopes := s.Places(x, eta)
		total += s.Terms.LogLikSlope(eta, obs[s.First:s.First+s.Rows], gradient)
		s.Pull(slope, gradient, eta, slopes)
	}
	return total
}

// Precision returns the rows of a matrix H and weights w ≥ 0 with −∂² log p(y | x₀) ≈ Hᵀ diag(w) H
// at x. Each row of H belongs to a datum. The formula is exact where η is linear in x₀ and the
// likelihood is log-concave. For sums of intensities H is the Jacobian of log θ at x, and the formula
// leaves out the curvature of log θ (Gauss–Newton). It panics if a link function cannot be evaluated.
func (f *Forward) Precision(x []float64, obs Observations) (rows func(k int, visit func(cell int, weight float64)),
	w []float64) {
	w = make([]float64, f.data)
	weights := make([]func(k int, visit func(int, float64)), len(f.Parts))
	for i, s := range f.Parts {
		eta := make([]float64, s.Rows)
		slopes := s.Places(x, eta)
		part := w[s.First : s.First+s.Rows]
		s.Terms.Informations(eta, obs[s.First:s.First+s.Rows], part)
		for k, c := range part {
			part[k] = math.Max(c, 0)
		}
		if weights[i] = s.row; s.Sum != nil {
			weights[i] = func(k int, visit func(int, float64)) {
				s.H.Row(k, func(j int, v float64) { visit(j, v*slopes[j]/math.Exp(eta[k])) })
			}
		}
	}
	return func(k int, visit func(int, float64)) {
		i := f.partOf(k)
		weights[i](k-f.Parts[i].First, visit)
	}, w
}

// logLikelihood is log p(y | x₀) of given observations, with its derivatives in x₀.
type logLikelihood struct {
	forward *Forward
	obs     Observations
}

// LogLikelihood binds observations, one for each datum, and returns log p(y | x₀) with its derivatives in x₀. Data of
// equal rows become one, so Precision has a row for each different row of the operator. Many goroutines may use the
// result at once.
func (f *Forward) LogLikelihood(obs Observations) latent.Data {
	f, obs = f.merged(obs)
	return logLikelihood{f, obs}
}

// LogLikSlope is [Forward.LogLikSlope] of the observations.
func (l logLikelihood) LogLikSlope(x, slope []float64) float64 {
	return l.forward.LogLikSlope(x, l.obs, slope)
}

// Precision is [Forward.Precision] of the observations, with equal rows as one.
func (l logLikelihood) Precision(x []float64) (rows func(k int, visit func(cell int, weight float64)), w []float64) {
	return l.forward.Precision(x, l.obs)
}
