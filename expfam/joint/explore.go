package joint

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/speak"
)

const (
	// spacing is the distance of neighbouring nodes, in standard deviations of the evidence along its principal axes.
	spacing = 0.75
	// least is the smallest information per squared score that is believed. The prior of a score alone has 1.
	least = 0.7
)

var errNowhere = errors.New("joint: the likelihood is nowhere finite for any values of the parameters; check the " +
	"data and the laws")

// evidence returns the log posterior density of scores up to a constant, by Laplace's approximation. It is −∞ where the
// field has no mode.
func (m *model) evidence(t []float64) float64 {
	if m.sparse != nil {
		v, _ := m.weigh(t)
		return v
	}
	prior := law.LogDensity(t)
	if math.IsInf(prior, -1) {
		return prior
	}
	v, err := m.logEvidence(t)
	if err != nil || math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v + prior
}

// weigh is evidence of a sparse precision, with the approximation there or nil. A flat model leaves out the laws.
func (m *model) weigh(t []float64) (float64, *latent.Around) {
	prior := law.LogDensity(t)
	if math.IsInf(prior, -1) {
		return prior, nil
	}
	if m.flat {
		prior = 0
	}
	a, err := m.mode(t)
	if err != nil || math.IsNaN(a.LogEvidence()) {
		return math.Inf(-1), nil
	}
	return a.LogEvidence() + prior, a
}

// summit is a maximum of the evidence of the parameters.
type summit struct {
	t           []float64
	top         float64
	information *mat.SymDense
	coarse      [][]float64 // where the search began
	values      []float64   // the evidence there
	evaluate    func(points [][]float64) []float64
}

// search finds a maximum of the evidence: first on a coarse grid, then from the best point there.
func (m *model) search(ctx context.Context) (*summit, error) {
	p := len(m.parameters)
	if p > 8 {
		return nil, fmt.Errorf("joint: %d unknown parameters; give some of them, so that at most 8 are unknown", p)
	}
	search := speak.Search(ctx, "joint", "values of the parameters are weighed", "point", 0)
	evidence := func(t []float64) float64 {
		if ctx.Err() != nil {
			return math.Inf(-1)
		}
		return m.evidence(t)
	}
	s := &summit{coarse: m.coarse()}
	s.evaluate = func(points [][]float64) []float64 {
		values := make([]float64, len(points))
		parallel.For(len(points), parallel.Heavy, func(i int) {
			values[i] = evidence(points[i])
			search.Step(math.NaN())
		})
		m.modes.settle()
		return values
	}
	s.values = s.evaluate(s.coarse)
	best := floats.MaxIdx(s.values)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
	}
	if math.IsInf(s.values[best], -1) {
		return nil, errNowhere
	}
	if m.sparse != nil {
		m.begin(s.coarse[best])
	}
	if m.few() {
		step := func() { search.Step(math.NaN()) }
		s.t, s.top = m.ascend(ctx, s.coarse[best], step)
		s.information = m.information(s.t, step)
	} else {
		s.t, s.top = climb(evidence, s.coarse[best], s.values[best])
		s.information = curvature(s.evaluate, s.t, s.top)
	}
	return s, nil
}

// explore finds the nodes of the parameters around a maximum of the evidence.
func (m *model) explore(ctx context.Context) (*lattice, error) {
	if len(m.parameters) == 0 {
		return &lattice{basis: new(mat.Dense), logs: map[[8]int]float64{{}: 0}, order: [][8]int{{}}}, nil
	}
	s, err := m.search(ctx)
	if err != nil {
		return nil, err
	}
	mode, top, evaluate := s.t, s.top, s.evaluate
	l, err := axes(mode, s.information)
	if err != nil {
		return nil, err
	}
	if m.sparse != nil {
		a, err := m.mode(mode)
		if err != nil {
			return nil, err
		}
		m.modes.on(l, a.Mode)
	}
	if m.few() {
		return l, l.design(top, evaluate)
	}
	// The evidence may have several modes: search from every coarse point that is nearly as good.
	var starts [][8]int
	for i, v := range s.values {
		if v > top-depth {
			starts = append(starts, l.nearest(s.coarse[i]))
		}
	}
	if err := l.flood(append([][8]int{{}}, starts...), top, evaluate); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
	}
	return l, nil
}

// few reports whether a lattice of nodes would take too long: a design of few points takes its place.
func (m *model) few() bool {
	return m.sparse != nil && m.cells > leaveCells && (len(m.parameters) > 2 || m.approximate)
}

// coarse returns a grid of scores, the fewer for each parameter the more parameters there are, or the more cells.
func (m *model) coarse() (points [][]float64) {
	p := len(m.parameters)
	steps := []float64{-3, -2, -1, 0, 1, 2, 3}
	switch {
	case p == 1:
		steps = []float64{-4, -3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4}
	case p == 3 && m.cells <= 200 || p == 2 && m.cells > 200:
		steps = []float64{-2, -1, 0, 1, 2}
	case p > 2:
		steps = []float64{-1.2, 0, 1.2}
	}
	if m.few() { // along the axes
		points = [][]float64{make([]float64, p)}
		for k := range p {
			for _, v := range []float64{-1.2, 1.2} {
				t := make([]float64, p)
				t[k] = v
				points = append(points, t)
			}
		}
		return points
	}
	points = [][]float64{{}}
	for k := range p {
		if len(points) > 300 {
			steps = []float64{0}
		}
		var next [][]float64
		for _, t := range points {
			for _, v := range steps {
				next = append(next, append(append(make([]float64, 0, k+1), t...), v))
			}
		}
		points = next
	}
	return points
}

// climb goes from a point to a maximum of f by Nelder and Mead's method, which needs no derivatives.
func climb(f func(t []float64) float64, start []float64, value float64) ([]float64, float64) {
	problem := optimize.Problem{Func: func(t []float64) float64 {
		if v := f(t); !math.IsInf(v, -1) {
			return -v
		}
		return math.MaxFloat64
	}}
	settings := &optimize.Settings{FuncEvaluations: 40 * len(start),
		Converger: &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 10}}
	r, err := optimize.Minimize(problem, start, settings, &optimize.NelderMead{SimplexSize: 0.4})
	if r == nil || err != nil && r.X == nil || -r.F < value {
		return start, value
	}
	return r.X, -r.F
}

// begin lets further searches for modes start at the mode of the field at scores.
func (m *model) begin(t []float64) {
	if a, err := m.mode(t); err == nil {
		m.modes.on(nil, a.Mode)
	}
}
