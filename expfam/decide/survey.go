package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Survey is a survey that is planned: Size new examinations in one cell. What it is expected to lower is a nested sum
// over the draws at hand. A draw is taken for the truth; it makes new data y of the cell, by the family; and y gives
// each other draw s the weight wₛ ∝ p(y | x₀ₛ). The gain is the mean, over Outcomes such truths, of the risk under
// equal weights minus the risk under these ([Value]). The truth itself has no weight, because it would explain its own
// data too well. What a survey saves of the loss of a decision ([LossOf]) is valued by other draws than those that
// choose, so that luck is not taken for knowledge: a gain of 0 is estimated as 0 on average, and may be below 0 by its
// noise.
//
// The weights of a large survey rest on few draws. [Gains.Effective] says how many; below about 20 make more draws.
type Survey struct {
	Size  float64 // examinations, exposure or precision, as [expfam.Term.Size] counts; must be set
	Value Value   // what the survey is to lower; default Variance{}
	// Like is the likelihood of new data of a cell. Default: that of the posterior, without its operator.
	Like     expfam.Likelihood
	Cells    []int // the candidates; default all
	Outcomes int   // number of simulated truths; default 256, at most the number of draws
	Seed     uint64
}

// Gains are what a survey in each cell is expected to lower.
type Gains struct {
	Value string
	Cells []int
	// Gain is the expected reduction, and SE its standard error over the simulated truths and, for a decision, over the
	// draws by which it is valued. Draws that are few add a noise to other values that SE does not see. The largest of
	// many gains is above its mean by the luck that made it the largest; [Survey.Batch] values what it chose anew.
	Gain, SE []float64
	// Effective is the mean of 1/Σwₛ², the number of draws on which the results of a survey in the cell rest.
	Effective []float64
	Risk      float64 // before any survey
	// Perfect is the value of perfect information, if Value is the loss of a decision, and otherwise 0. No survey is
	// worth more, so that a gain above it is lowered to it.
	Perfect float64
}

// Map returns the gains in all cells of a posterior, with NaN in cells that are no candidates.
func (g *Gains) Map(cells int) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, cells)
	for k, j := range g.Cells {
		out[j] = g.Gain[k]
	}
	return out
}

// Clear returns the gains in all cells of a posterior, with NaN in cells that are no candidates, and in cells whose
// gain is not above 0 by two standard errors.
func (g *Gains) Clear(cells int) []float64 {
	out := g.Map(cells)
	for k, j := range g.Cells {
		if !(g.Gain[k] > 2*g.SE[k]) {
			out[j] = math.NaN()
		}
	}
	return out
}

// Gains returns the expected gain of a survey in each cell, alone. An interrupt is [expfam.ErrInterrupted].
func (s Survey) Gains(post *expfam.Posterior) (*Gains, error) {
	ctx, end := speak.Work("next survey", "")
	defer end()
	return s.GainsContext(ctx, post)
}

// GainsContext is [Survey.Gains] with a context: it ends when ctx ends.
func (s Survey) GainsContext(ctx context.Context, post *expfam.Posterior) (*Gains, error) {
	w, err := s.worlds(post)
	if err != nil {
		return nil, err
	}
	g := &Gains{Value: w.Value.String(), Cells: w.Cells, Gain: make([]float64, len(w.Cells)),
		SE: make([]float64, len(w.Cells)), Effective: make([]float64, len(w.Cells)), Risk: stat.Mean(w.risks, nil)}
	steps := speak.NewPace(ctx, "decide: survey", fmt.Sprintf("%d candidates", len(w.Cells)), len(w.Cells))
	for k, j := range w.Cells {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("decide: survey: %w after %d of %d candidates", expfam.ErrInterrupted, k,
				len(w.Cells))
		}
		e, err := w.evaluate(j, 0)
		if err != nil {
			return nil, err
		}
		g.Gain[k], g.SE[k] = w.gain(e.gains, e.parts)
		if g.Effective[k] = e.effective; w.decision != nil {
			g.Perfect = w.decision.perfect
			g.Gain[k] = min(g.Gain[k], g.Perfect)
		}
		steps.Step(math.NaN())
	}
	return g, nil
}
