package gmrf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
)

// mostFits is how many Laplace approximations a fit of the hyperparameters makes at most.
const mostFits = 200

// plan returns the text, for the log, that says what is fitted.
func (m *model) plan(axes []axis) string {
	cells := fmt.Sprintf("%d by %d cells", m.prior.Grid.Rows, m.prior.Grid.Cols)
	if len(axes) == 0 {
		return cells + ", the hyperparameters are given"
	}
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.name
	}
	return fmt.Sprintf("%s; to fit %s takes %d fits at most", cells, strings.Join(names, ", "), mostFits)
}

// fit maximises the evidence over the logarithms of the open hyperparameters.
func (m *model) fit(ctx context.Context) (*Approximation, error) {
	return m.maximise(ctx, func([]axis, []float64) float64 { return 0 })
}

// maximise maximises the log evidence plus weight over the logarithms of the open hyperparameters, by the
// simplex method of Nelder & Mead. It ends at 0.01 of this sum.
func (m *model) maximise(ctx context.Context, weight func(axes []axis, v []float64) float64) (*Approximation, error) {
	axes := m.axes()
	if n := len(m.obs); len(axes) > 0 && m.obs.Blanks() == n {
		return nil, fmt.Errorf("gmrf: none of the %d observations has data, so nothing can be fitted to them; give "+
			"Range, SD and every other hyperparameter", n)
	}
	start := make([]float64, len(axes))
	for i, a := range axes {
		start[i] = a.start
	}
	search := pace.Search(ctx, "gmrf", m.plan(axes), "fit", mostFits)
	last, err := m.laplace(ctx, m.at(axes, start), nil)
	if err != nil || len(axes) == 0 {
		return last, err
	}
	evidence := func(v []float64) float64 {
		search.Step(math.NaN())
		a, err := m.laplace(ctx, m.at(axes, v), last)
		if err != nil {
			return math.Inf(1)
		}
		last = a
		// Beyond the bounds the evidence is flat. A penalty that grows leads back.
		over := 0.0
		for i, a := range axes {
			over += math.Max(0, a.low-v[i]) + math.Max(0, v[i]-a.high)
		}
		return over - a.LogEvidence - weight(axes, v)
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: evidence,
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.Failure, expfam.ErrInterrupted
			}
			return optimize.NotTerminated, nil
		},
	}, start, &optimize.Settings{
		FuncEvaluations: mostFits,
		Converger:       &optimize.FunctionConverge{Absolute: 0.01, Iterations: 8},
	}, &optimize.NelderMead{SimplexSize: 0.5})
	if errors.Is(err, expfam.ErrInterrupted) {
		return nil, fmt.Errorf("gmrf: %w while the hyperparameters were fitted", err)
	}
	if err != nil {
		return nil, fmt.Errorf("gmrf: fitting the hyperparameters: %w; give Range and SD", err)
	}
	return m.laplace(ctx, m.at(axes, result.X), last)
}
