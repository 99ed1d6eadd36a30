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
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/law"
)

const (
	// spacing is the distance of neighbouring nodes, in standard deviations of the evidence along its principal axes.
	spacing = 0.75
	// least is the smallest information per squared score that is believed. The prior of a score alone has 1.
	least = 0.7
)

var errNowhere = errors.New("joint: the likelihood is nowhere finite for any values of the parameters; check the data " +
	"and the laws")

// evidence returns the log posterior density of scores up to a constant, by Laplace's approximation. It is −∞ where the
// field has no mode.
func (m *model) evidence(t []float64) float64 {
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

// explore finds the nodes of the parameters: first on a coarse grid, then around the mode.
func (m *model) explore(ctx context.Context) (*lattice, error) {
	p := len(m.parameters)
	if p > 8 {
		return nil, fmt.Errorf("joint: %d unknown parameters; give some of them, so that at most 8 are unknown", p)
	}
	search := pace.Search(ctx, "joint", "values of the parameters are weighed", "point", 0)
	evidence := func(t []float64) float64 {
		if ctx.Err() != nil {
			return math.Inf(-1)
		}
		return m.evidence(t)
	}
	evaluate := func(points [][]float64) []float64 {
		values := make([]float64, len(points))
		parallel.For(len(points), parallel.Heavy, func(i int) {
			values[i] = evidence(points[i])
			search.Step(math.NaN())
		})
		m.modes.settle()
		return values
	}
	if m.few() {
		return m.design(ctx, search, evaluate)
	}
	coarse := m.coarse()
	values := evaluate(coarse)
	best := floats.MaxIdx(values)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
	}
	if math.IsInf(values[best], -1) {
		return nil, errNowhere
	}
	if m.sparse != nil { // further searches start at the mode of the field there
		a, err := m.mode(coarse[best])
		if err != nil {
			return nil, err
		}
		m.modes.on(nil, a.Mode)
	}
	mode, top := climb(evidence, coarse[best], values[best])
	l, err := axes(mode, differences(mode, top, evaluate))
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
	// The evidence may have several modes: search from every coarse point that is nearly as good.
	var starts [][8]int
	for i, v := range values {
		if v > top-depth {
			starts = append(starts, l.nearest(coarse[i]))
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
func (m *model) few() bool { return m.sparse != nil && len(m.parameters) > 2 && m.cells > largeCells }

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

// differences returns the information of the evidence at scores, by its second differences.
func differences(mode []float64, top float64, evaluate func([][]float64) []float64) *mat.SymDense {
	const h = 0.2
	p := len(mode)
	var points [][]float64
	moved := func(i, j int, si, sj float64) {
		t := append([]float64(nil), mode...)
		t[i] += si * h
		t[j] += sj * h
		points = append(points, t)
	}
	for i := range p {
		for j := range i + 1 {
			moved(i, j, 1, 1)
			moved(i, j, -1, -1)
			moved(i, j, 1, -1)
			moved(i, j, -1, 1)
		}
	}
	values := evaluate(points)
	information := mat.NewSymDense(p, nil)
	k := 0
	for i := range p {
		for j := range i + 1 {
			v := (values[k+2] + values[k+3] - values[k] - values[k+1]) / (4 * h * h)
			if i == j { // the first two points are a step of 2h away
				v = (2*top - values[k] - values[k+1]) / (4 * h * h)
			}
			information.SetSym(i, j, v)
			k += 4
		}
	}
	return information
}

// axes returns the lattice of the principal axes of the information at the mode.
func axes(mode []float64, information *mat.SymDense) (*lattice, error) {
	p := len(mode)
	for i := range p {
		for j := range i + 1 {
			if finite(information.At(i, j)) {
				continue
			}
			information.SetSym(i, j, 0)
			if i == j {
				information.SetSym(i, i, 1)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return nil, errors.New("joint: the information of the evidence has no eigenvalues; give some of the parameters")
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	for k, v := range eigen.Values(nil) {
		for i := range p {
			basis.Set(i, k, basis.At(i, k)*spacing/math.Sqrt(math.Max(v, least)))
		}
	}
	return &lattice{centre: mode, basis: &basis, logs: map[[8]int]float64{}}, nil
}
