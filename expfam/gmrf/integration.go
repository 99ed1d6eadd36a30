package gmrf

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/pace"
)

// weighted is a point of the hyperparameters and its posterior probability.
type weighted struct {
	hyper    hyper
	weight   float64
	at       [4]int  // the point of the unit lattice
	logPrior float64 // of the hyperparameters, up to a constant
}

// depth is how far the log density of a point may lie below the log density of the mode.
const depth = 5

// told reports whether the data tell the hyperparameters: none is at a bound of its search, and the posterior standard
// deviation of the logarithm of each is at most a third. Then the draws hardly depend on whether they are integrated.
func (m *model) told(ctx context.Context, mode *Approximation) (bool, error) {
	axes := m.axes()
	if len(axes) == 0 {
		return true, nil
	}
	if m.atBound(mode.hyper) > 0 {
		return false, nil
	}
	var failure error
	_, information := informationAt(axes, mode.hyper, m.evidence(ctx, axes, mode, &failure))
	var chol mat.Cholesky
	var covariance mat.SymDense
	if failure != nil || !chol.Factorize(information) || chol.InverseTo(&covariance) != nil {
		return false, failure
	}
	for i := range axes {
		if covariance.At(i, i) > 1./9 {
			return false, nil
		}
	}
	return true, nil
}

// informationAt returns the mode on the axes and the information −∂² of the log evidence there, by second differences
// over steps of 0.1 in the logarithm. Such steps are accurate, because the evidence is smooth and known to 1e-9.
func informationAt(axes []axis, mode hyper, evidence func(v []float64) float64) (centre []float64,
	information *mat.SymDense) {
	const h = 0.1
	d := len(axes)
	centre, information = make([]float64, d), mat.NewSymDense(d, nil)
	for i, a := range axes {
		centre[i] = a.get(mode)
	}
	moved := func(i, j int, si, sj float64) float64 {
		v := append([]float64(nil), centre...)
		v[i] += si * h
		v[j] += sj * h
		return evidence(v)
	}
	top := evidence(centre)
	for i := range d {
		information.SetSym(i, i, (2*top-moved(i, i, 1, 0)-moved(i, i, -1, 0))/(h*h))
		for j := range i {
			mixed := moved(i, j, 1, -1) + moved(i, j, -1, 1) - moved(i, j, 1, 1) - moved(i, j, -1, -1)
			information.SetSym(i, j, mixed/(4*h*h))
		}
	}
	return centre, information
}

// evidence returns the log evidence as a function of the point on the axes. Each evaluation starts at the mode of the
// evaluation before it. After an error, which is stored in failure, all further values are −∞.
func (m *model) evidence(ctx context.Context, axes []axis, mode *Approximation,
	failure *error) func(v []float64) float64 {
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

// unitLattice returns the map from a point z of the unit lattice to its place v on the axes of the hyperparameters. The
// unit lattice is centred at the mode, its directions are the principal axes of the information, and its unit is one
// standard deviation. ok is false outside of the bounds.
func unitLattice(axes []axis, centre []float64, information *mat.SymDense) (func(z [4]int) (v []float64, ok bool),
	error) {
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

// around returns points of the hyperparameters around the mode of their posterior density, with their posterior
// probabilities, and the approximation at this mode. They are points of the unit lattice (see unitLattice). A point is
// included if a path of neighbouring points leads to it from the mode along which the log
// density stays less than depth below the mode's.
func (m *model) around(ctx context.Context) ([]weighted, *Approximation, error) {
	axes := m.axes()
	d := len(axes)
	mode, err := m.maximise(ctx, logPrior)
	if err != nil || d == 0 {
		return []weighted{{weight: 1}}, mode, err
	}
	var failure error
	evidence := m.evidence(ctx, axes, mode, &failure)
	density := func(v []float64) float64 { return evidence(v) + logPrior(axes, v) }
	centre, information := informationAt(axes, mode.hyper, density)
	if failure != nil {
		return nil, nil, failure
	}
	place, err := unitLattice(axes, centre, information)
	if err != nil {
		return nil, nil, err
	}
	points := []weighted{{hyper: mode.hyper, logPrior: logPrior(axes, centre)}}
	logs := []float64{mode.LogEvidence + points[0].logPrior}
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
				if e := density(v); e > logs[0]-depth {
					points = append(points, weighted{hyper: m.at(axes, v), at: z, logPrior: logPrior(axes, v)})
					logs, queue = append(logs, e), append(queue, z)
				}
			}
		}
	}
	if failure != nil {
		return nil, nil, failure
	}
	total := floats.LogSumExp(logs)
	for k := range points {
		points[k].weight = math.Exp(logs[k] - total)
	}
	return points, mode, nil
}
