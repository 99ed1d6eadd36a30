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

// Informations writes the information −∂² log p(y_k | η_k) of every datum into out. The derivative is with respect to
// η_k, or to log θ_k for a sum of intensities. [Forward.Look] makes eta.
func (f *Forward) Informations(eta []float64, obs Observations, out []float64) {
	for _, s := range f.Parts {
		end := s.First + s.Rows
		s.Terms.Informations(eta[s.First:end], obs[s.First:end], out[s.First:end])
	}
}

// RelativeCurvatures returns a function of the number k of a datum. If datum k sums the intensities f(xⱼ) of cells, the
// function returns the relative curvature f″(xⱼ)/f′(xⱼ) in every cell, and nil if it does not.
func (f *Forward) RelativeCurvatures(x []float64) func(k int) []float64 {
	const step = 1e-4
	of := make([][]float64, len(f.Parts))
	for i, s := range f.Parts {
		if s.Sum == nil {
			continue
		}
		at, values := make([]float64, len(x)), make([]float64, len(x))
		slopes := func(by float64) []float64 {
			for j, v := range x {
				at[j] = v + by
			}
			out := make([]float64, len(x))
			s.Sum.ThetaSlopes(at, values, out)
			return out
		}
		ahead, here, behind := slopes(step), slopes(0), slopes(-step)
		of[i] = make([]float64, len(x))
		for j, v := range here {
			of[i][j] = (ahead[j] - behind[j]) / (2 * step * v)
		}
	}
	return func(k int) []float64 { return of[f.partOf(k)] }
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
