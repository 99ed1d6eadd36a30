package decide

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// InfluenceMap has the influence of every datum on the posterior mean of every cell. viz.Influence shows it.
type InfluenceMap struct {
	Data []int // the numbers of the data
	// Effects is ∂E[θⱼ | y]/∂w_i, (data, cells).
	Effects *mat.Dense
	// Noise is half the width of the band of each effect, (data, cells). All orders of the draws are equally likely
	// under the permutation, by which a covariance has the standard deviation s_j s_i/√(S−1), where s_j and s_i are
	// the standard deviations of θⱼ and of log p(y_i) over S draws. The band is that of a normal variable.
	Noise *mat.Dense
}

// Map returns the influence of all data of obs on E[θⱼ | y] of every cell. It has as many numbers as there are data
// times cells.
func (o Influence) Map(post *expfam.Posterior, obs expfam.Observations) (*InfluenceMap, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	logs, data, err := calibrate.Pointwise(post, obs)
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	if err := centre(logs, data); err != nil {
		return nil, err
	}
	draws, cells := post.Dims()
	out := &InfluenceMap{Data: data, Effects: mat.NewDense(len(data), cells, nil),
		Noise: mat.NewDense(len(data), cells, nil)}
	out.Effects.Mul(logs.T(), post.Theta().X)
	out.Effects.Scale(1/float64(draws-1), out.Effects)
	sd, z := post.SD(), normalBand(o.Level)/math.Sqrt(float64(draws-1))
	for c := range data {
		own := stat.StdDev(mat.Col(nil, c, logs), nil)
		for j, s := range sd {
			out.Noise.Set(c, j, z*own*s)
		}
	}
	return out, nil
}

// Dims returns the numbers of data and cells.
func (m *InfluenceMap) Dims() (data, cells int) { return m.Effects.Dims() }

// Datum returns the number of the datum in place c, its effect on the mean of cell j, and half the width of the band of
// noise of the effect.
func (m *InfluenceMap) Datum(c, j int) (number int, effect, noise float64) {
	return m.Data[c], m.Effects.At(c, j), m.Noise.At(c, j)
}

// leftOut returns E[f | y without datum i] − E[f | y] for every datum, where logs has the logarithms of the weights of
// leave-one-out and k their Pareto shapes. The datum depends on the field through η_i alone. With the regression
// f = b η_i + r over the draws,
//
//	E₋ᵢ[f] − E[f] = b (E₋ᵢ[η_i] − E[η_i]) + E₋ᵢ[r].
//
// The last term is 0 if E[f | η_i] is linear, as for Gaussian posteriors. A weighted sum of r over few draws is then
// noise of variance s² = Var(r) (Σ wₛ² − 1/S). The term is therefore shrunk by James & Stein's factor
// max(0, 1 − s²/E₋ᵢ[r]²), and b by the factor of the adjusted R².
//
// Where k is above ½ the weights have no variance, and few draws lie where η_i is without the datum. The mean is then
// that of the Gaussian cavity: with m and V the moments of η_i, and l = log p(y_i | η_i), its precision is
// τ = 1/V + E[l″] and its mean m − E[l′]/τ. This is exact for Gaussian posteriors. f has mean 0.
func leftOut(post *expfam.Posterior, obs expfam.Observations, logs *mat.Dense, k, f []float64) ([]float64, error) {
	seen, err := post.Seen()
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	draws, n := logs.Dims()
	out := make([]float64, 0, n)
	w, r := make([]float64, draws), make([]float64, draws)
	first := 0
	for _, p := range seen {
		terms, err := p.Likelihood.Terms()
		if err != nil {
			return nil, fmt.Errorf("decide: influence: %w", err)
		}
		_, data := p.Dims()
		for _, j := range calibrate.Observed(obs[first : first+data]) {
			x := mat.Col(nil, j, p.X)
			mean, variance := stat.MeanVariance(x, nil)
			eta := append([]float64(nil), x...)
			floats.AddConst(-mean, eta)
			slope := 0.0
			if variance > 0 {
				slope = floats.Dot(eta, f) / (variance * float64(draws-1))
			}
			slope *= certain(slope*slope*variance, floats.Dot(f, f)/float64(draws-1), draws)
			if k[len(out)] > 0.5 && variance > 0 {
				out = append(out, -slope*cavity(terms, x, variance, obs[first+j]))
				continue
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

// certain returns max(0, 1 − (1−R²)/((S−2) R²)) for a regression that explains so much of a variance: the factor that
// takes from a slope what S draws have by chance.
func certain(explained, variance float64, draws int) float64 {
	if !(explained > 0) {
		return 0
	}
	return max(0, 1-(variance-explained)/(float64(draws-2)*explained))
}

// cavity returns E[l′]/τ, by how much the datum moved the mean of η.
func cavity(terms *expfam.Terms, eta []float64, variance float64, datum expfam.Term) float64 {
	push, information := 0.0, 0.0
	for _, x := range eta {
		push += terms.Slope(x, datum) / float64(len(eta))
		information += terms.Information(x, datum) / float64(len(eta))
	}
	// The variance of S draws is uncertain by √(2/S); a datum that seems to be all of the precision is not.
	return push / max(1/variance-information, 0.05/variance)
}
