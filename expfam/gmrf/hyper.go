package gmrf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
)

// axis is a hyperparameter that is fitted. Its logarithm lies between low and high, and
// the search begins at start.
type axis struct {
	name             string
	low, high, start float64
	set              func(h *hyper, log float64)
	get              func(h hyper) float64
}

// axes returns the hyperparameters that the prior leaves open. The range is searched
// between the spacing of the cells and ten times the longer side of the grid. Below and
// beyond, one range looks like another on the grid.
func (m *model) axes() []axis {
	var open []axis
	if m.prior.Range == 0 {
		least, most := math.Min(m.lattice.down, m.lattice.across), m.lattice.longest()
		open = append(open, axis{"range", math.Log(least), math.Log(10 * most), math.Log(math.Max(most/4, least)),
			func(h *hyper, v float64) { h.length = math.Exp(v) }, func(h hyper) float64 { return math.Log(h.length) }})
	}
	if m.prior.SD == 0 {
		open = append(open, axis{"sd", math.Log(0.01), math.Log(30), 0,
			func(h *hyper, v float64) { h.sd = math.Exp(v) }, func(h hyper) float64 { return math.Log(h.sd) }})
	}
	if m.prior.FitNugget {
		open = append(open, axis{"nugget", math.Log(0.01), math.Log(10), math.Log(0.3),
			func(h *hyper, v float64) { h.nugget = math.Exp(v) }, func(h hyper) float64 { return math.Log(h.nugget) }})
	}
	if m.mixed != nil {
		open = append(open, axis{"correlation", math.Log(leastRho), math.Log(0.9), math.Log(0.02),
			func(h *hyper, v float64) { h.rho = math.Exp(v) }, func(h hyper) float64 { return math.Log(h.rho) }})
	}
	return open
}

// leastRho is the smallest correlation that is tried. It doubles the variance of the
// Binomial at a hundred thousand trials.
const leastRho = 1e-5

// at returns the hyperparameters at the point v of the axes. A coordinate outside of its
// bounds is moved to the nearer bound.
func (m *model) at(axes []axis, v []float64) hyper {
	h := hyper{m.prior.Range, m.prior.SD, m.prior.Nugget, 0}
	for i, a := range axes {
		a.set(&h, math.Min(math.Max(v[i], a.low), a.high))
	}
	return h
}

// atBound counts the fitted hyperparameters within 1% of a bound.
func (m *model) atBound(h hyper) float64 {
	count := 0.0
	for _, a := range m.axes() {
		if v := a.get(h); v < a.low+0.01 || v > a.high-0.01 {
			count++
		}
	}
	return count
}

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

// fit maximises the evidence over the logarithms of the open hyperparameters, by the
// simplex method of Nelder & Mead. It ends at 0.01 in log evidence.
func (m *model) fit(ctx context.Context) (*Approximation, error) {
	axes := m.axes()
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
		return over - a.LogEvidence
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

// weighted is a point of the hyperparameters and its posterior probability.
type weighted struct {
	hyper  hyper
	weight float64
}

// depth is how far the log evidence of a point may lie below the log evidence of the mode.
const depth = 4

// informationAt returns the mode on the axes and the information −∂² of the log evidence
// there, by second differences over steps of 0.1 in the logarithm. Such steps are
// accurate, because the evidence is smooth and known to 1e-9.
func informationAt(axes []axis, mode *Approximation, evidence func(v []float64) float64) (centre []float64, information *mat.SymDense) {
	const h = 0.1
	d := len(axes)
	centre, information = make([]float64, d), mat.NewSymDense(d, nil)
	for i, a := range axes {
		centre[i] = a.get(mode.hyper)
	}
	moved := func(i, j int, si, sj float64) float64 {
		v := append([]float64(nil), centre...)
		v[i] += si * h
		v[j] += sj * h
		return evidence(v)
	}
	for i := range d {
		information.SetSym(i, i, (2*mode.LogEvidence-moved(i, i, 1, 0)-moved(i, i, -1, 0))/(h*h))
		for j := range i {
			information.SetSym(i, j, (moved(i, j, 1, -1)+moved(i, j, -1, 1)-moved(i, j, 1, 1)-moved(i, j, -1, -1))/(4*h*h))
		}
	}
	return centre, information
}

// evidence returns the log evidence as a function of the point on the axes. Each
// evaluation starts at the mode of the evaluation before it. After an error, which is
// stored in failure, all further values are −∞.
func (m *model) evidence(ctx context.Context, axes []axis, mode *Approximation, failure *error) func(v []float64) float64 {
	last := &Approximation{x: mode.x, level: mode.level} // without the mode's factor, which must not be overwritten
	search := pace.Search(ctx, "gmrf", "hyperparameters around the best ones are weighed", "point", 0)
	return func(v []float64) float64 {
		if *failure != nil {
			return math.Inf(-1)
		}
		search.Step(math.NaN())
		a, err := m.laplace(ctx, m.at(axes, v), last)
		if err != nil {
			*failure = err
			return math.Inf(-1)
		}
		last = a
		return a.LogEvidence
	}
}

// unitLattice returns the map from a point z of the unit lattice to its place v on the
// axes of the hyperparameters. The unit lattice is centred at the mode, its directions are
// the principal axes of the information, and its unit is one standard deviation. ok is
// false outside of the bounds.
func unitLattice(axes []axis, centre []float64, information *mat.SymDense) (func(z [4]int) (v []float64, ok bool), error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return nil, errors.New("gmrf: the information of the evidence has no eigenvalues; give Range and SD")
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	return func(z [4]int) (v []float64, ok bool) {
		v = append(v, centre...)
		for k, value := range eigen.Values(nil) {
			// Where the information is less than 1, a step is one unit of the logarithm, a factor e.
			floats.AddScaled(v, float64(z[k])/math.Sqrt(math.Max(value, 1)), mat.Col(nil, k, &basis))
		}
		for i, a := range axes {
			if v[i] < a.low || v[i] > a.high {
				return nil, false
			}
		}
		return v, true
	}, nil
}

// around returns points of the hyperparameters around the mode, with their posterior
// probabilities. They are points of the unit lattice (see unitLattice). A point is
// included if a path of neighbouring points leads to it from the mode along which the log
// evidence stays less than depth below the mode's.
func (m *model) around(ctx context.Context, mode *Approximation) ([]weighted, error) {
	axes := m.axes()
	d := len(axes)
	if d == 0 {
		return []weighted{{mode.hyper, 1}}, nil
	}
	var failure error
	evidence := m.evidence(ctx, axes, mode, &failure)
	centre, information := informationAt(axes, mode, evidence)
	if failure != nil {
		return nil, failure
	}
	place, err := unitLattice(axes, centre, information)
	if err != nil {
		return nil, err
	}
	points, logs := []weighted{{hyper: mode.hyper}}, []float64{mode.LogEvidence}
	visited := map[[4]int]bool{{}: true}
	for queue := [][4]int{{}}; len(queue) > 0; queue = queue[1:] {
		for k := range d {
			for _, s := range []int{-1, 1} {
				z := queue[0]
				z[k] += s
				if visited[z] {
					continue
				}
				visited[z] = true
				v, ok := place(z)
				if !ok {
					continue
				}
				if e := evidence(v); e > mode.LogEvidence-depth {
					points, logs, queue = append(points, weighted{hyper: m.at(axes, v)}), append(logs, e), append(queue, z)
				}
			}
		}
	}
	if failure != nil {
		return nil, failure
	}
	total := floats.LogSumExp(logs)
	for k := range points {
		points[k].weight = math.Exp(logs[k] - total)
	}
	return points, nil
}
