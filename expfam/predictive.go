package expfam

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// Predictive draws replicated observations from the posterior predictive distribution: for every draw i and cell j
// one y from p(y | θᵢⱼ). Known has one constant (σ, exposure, trials …) for each cell; nil means the family's own
// constant, of which every draw has its own if it was unknown. A row depends only on the posterior, the seed and the
// number of its draw, so shares of a run have the rows of the whole.
func (p *Posterior) Predictive(seed uint64, known []Known) (*Draws, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
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
					"check the link", i, j, t, support.Low, support.High, family)
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
	var constants []float64
	tunable, ok := family.(tunable)
	if ok {
		constants = p.constants(tunable)
	}
	y := mat.NewDense(draws, cells, nil)
	parallel.For(draws, cells, func(i int) {
		rng := Stream(seed, fmt.Sprintf("predictive/draw-%d", p.Info.First+i))
		row, own := y.RawRowView(i), family
		if constants != nil {
			own = tunable.Tuned(constants[i])
		}
		for j, t := range theta.X.RawRowView(i) {
			row[j] = own.Rand(t, known[j], rng)
		}
	})
	return &Draws{X: y}, nil
}

// constants returns the draws of the family's constant if it was unknown, and otherwise nil. The family of such a
// posterior has the median of the draws.
func (p *Posterior) constants(family tunable) []float64 {
	q, own := family.Constant()
	for _, c := range p.Parameters {
		// With several data sets the name contains which.
		if (c.Name == q.Name || strings.HasPrefix(c.Name, q.Name+" of data set ")) && c.Median() == own {
			return c.Draws
		}
	}
	return nil
}
