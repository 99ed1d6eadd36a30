package expfam

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// Predictive draws replicated observations from the posterior predictive distribution: for every draw i and cell j
// one y from p(y | θᵢⱼ). Known has one constant (σ, exposure, trials …) for each cell; nil means the family's own
// constant. Row i depends only on the posterior, the seed and i.
func (p *Posterior) Predictive(seed uint64, known []Known) (*Draws, error) {
	draws, cells := p.Dims()
	if known == nil {
		known = make([]Known, cells)
	}
	if len(known) != cells {
		return nil, fmt.Errorf("expfam: predictive: %d known constants for %d cells; give one for each, or nil",
			len(known), cells)
	}
	family := p.Likelihood.Family
	if family == nil {
		return nil, errNoFamily
	}
	if p.Likelihood.Operator != nil || p.Likelihood.parts != nil {
		return nil, errors.New("expfam: predictive: the data look through an operator; take the posteriors of " +
			"Posterior.Seen, one for each data set")
	}
	support := family.Natural()
	theta := p.Theta()
	for i := range draws {
		for j, t := range theta.X.RawRowView(i) {
			if !(t > support.Low && t < support.High) {
				return nil, fmt.Errorf("expfam: predictive: draw %d, cell %d: θ = %v is outside (%v, %v) of %s; "+
					"check the link",
					i, j, t, support.Low, support.High, family)
			}
		}
	}
	for j, k := range known {
		if v := k.Or(0); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("expfam: predictive: cell %d: the known constant is %g; it must be finite", j, v)
		}
		if _, err := p.Likelihood.draw(theta.X.At(0, j), k, Stream(seed, "predictive/trial")); err != nil {
			return nil, fmt.Errorf("expfam: predictive: cell %d: %w", j, err)
		}
	}
	y := mat.NewDense(draws, cells, nil)
	parallel.For(draws, cells, func(i int) {
		rng := Stream(seed, fmt.Sprintf("predictive/draw-%d", i))
		row := y.RawRowView(i)
		for j, t := range theta.X.RawRowView(i) {
			row[j] = family.Rand(t, known[j], rng)
		}
	})
	return &Draws{X: y}, nil
}
