package gmrf

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// weighted is a point of the hyperparameters and its posterior probability.
type weighted struct {
	hyper  hyper
	weight float64
	at     [4]int // the point of the unit lattice, or the number of the point of a design
	// logPrior is the log prior density of the hyperparameters, up to a constant, and with a design the log of what the
	// point stands for.
	logPrior float64
}

const (
	// depth is how far the log density of a point may lie below the log density of the mode.
	depth = 5
	// designed is the number of cells from which a design of few points takes the place of the unit lattice.
	designed = 200
)

// told reports whether the data tell the hyperparameters: none is at a bound of its search, and the posterior standard
// deviation of the logarithm of each is at most a third. Then the draws hardly depend on whether they are integrated.
func (m *model) told(s *search, mode *Approximation) (bool, error) {
	if len(s.axes) == 0 {
		return true, nil
	}
	if m.atBound(mode.hyper) > 0 {
		return false, nil
	}
	_, _, information, err := s.quadratic(s.centre(mode.hyper), none)
	var chol mat.Cholesky
	var covariance mat.SymDense
	if err != nil || !chol.Factorize(information) || chol.InverseTo(&covariance) != nil {
		return false, err
	}
	for i := range s.axes {
		if covariance.At(i, i) > 1./9 {
			return false, nil
		}
	}
	return true, nil
}

// none is no weight.
func none([]axis, []float64) float64 { return 0 }

// centre returns the place of hyperparameters on the axes.
func (s *search) centre(h hyper) (v []float64) {
	for _, a := range s.axes {
		v = append(v, a.get(h))
	}
	return v
}

// principal has the principal axes of the information at a mode of the hyperparameters.
type principal struct {
	*search
	centre []float64
	basis  mat.Dense
	sd     []float64
}

func (s *search) principal(centre []float64, information *mat.SymDense) (*principal, error) {
	p := &principal{search: s, centre: centre}
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return nil, errors.New("gmrf: the information of the evidence has no eigenvalues; give Range and SD")
	}
	eigen.VectorsTo(&p.basis)
	for _, value := range eigen.Values(nil) {
		// Where the information is less than 1, a step is one unit of the logarithm, a factor e.
		p.sd = append(p.sd, 1/math.Sqrt(math.Max(value, 1)))
	}
	return p, nil
}

// place returns the point on the axes that is z standard deviations along the principal axes away from the mode. ok is
// false outside of the bounds.
func (p *principal) place(z []float64) (v []float64, ok bool) {
	v = append(v, p.centre...)
	for k, sd := range p.sd {
		floats.AddScaled(v, z[k]*sd, mat.Col(nil, k, &p.basis))
	}
	return v, p.inside(v)
}

// around returns points of the hyperparameters around the mode of their posterior density, with their posterior
// probabilities, and the approximation at this mode.
func (m *model) around(ctx context.Context, s *search) ([]weighted, *Approximation, error) {
	mode, err := m.maximise(ctx, s, logPrior)
	if err != nil || len(s.axes) == 0 {
		return []weighted{{weight: 1}}, mode, err
	}
	centre := s.centre(mode.hyper)
	top, _, information, err := s.quadratic(centre, logPrior)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.principal(centre, information)
	if err != nil {
		return nil, nil, err
	}
	points, logs := []weighted{{hyper: mode.hyper, logPrior: logPrior(s.axes, centre)}}, []float64{top}
	if m.precision.N < designed {
		points, logs, err = p.flood(points, logs)
	} else {
		points, logs, err = p.design(points, logs)
	}
	if err != nil {
		return nil, nil, err
	}
	total := floats.LogSumExp(logs)
	for k := range points {
		points[k].weight = math.Exp(logs[k] - total)
	}
	return points, mode, nil
}

// flood adds points of the unit lattice, whose unit is a standard deviation along the principal axes. A point is
// included if a path of neighbouring points leads to it from the mode along which the log density stays less than depth
// below the mode's.
func (p *principal) flood(points []weighted, logs []float64) ([]weighted, []float64, error) {
	visited := map[[4]int]bool{{}: true}
	for ring := [][4]int{{}}; len(ring) > 0; {
		var fresh [][4]int
		var places [][]float64
		for _, from := range ring {
			for k := range p.axes {
				for _, s := range []int{-1, 1} {
					z := from
					z[k] += s
					if visited[z] {
						continue
					}
					visited[z] = true
					at := make([]float64, len(p.axes))
					for i := range at {
						at[i] = float64(z[i])
					}
					if v, ok := p.place(at); ok {
						fresh, places = append(fresh, z), append(places, v)
					}
				}
			}
		}
		f, err := p.evidences(places)
		if err != nil {
			return nil, nil, err
		}
		ring = nil
		for i, v := range places {
			prior := logPrior(p.axes, v)
			if e := f[i] + prior; e > logs[0]-depth {
				points = append(points, weighted{hyper: p.model.at(p.axes, v), at: fresh[i], logPrior: prior})
				logs, ring = append(logs, e), append(ring, fresh[i])
			}
		}
	}
	return points, logs, nil
}

// design adds the points of a central composite design (Rue, Martino & Chopin 2009, section 6.5): on each axis and in
// each orthant, at the distance f√d with f = 1.1. Under a normal density each of n points stands for 1/(nf²), so that
// the rule has the right variances, and the mode for what is left. A point's ratio to the normal density corrects this.
func (p *principal) design(points []weighted, logs []float64) ([]weighted, []float64, error) {
	const f = 1.1
	d := len(p.axes)
	var directions [][]float64
	radius := f * math.Sqrt(float64(d))
	for k := range d {
		for _, s := range []float64{-1, 1} {
			z := make([]float64, d)
			z[k] = s * radius
			directions = append(directions, z)
		}
	}
	for corner := range 1 << d {
		if d == 1 {
			break
		}
		z := make([]float64, d)
		for k := range z {
			z[k] = f * float64(2*(corner>>k&1)-1)
		}
		directions = append(directions, z)
	}
	own := math.Log(1 - 1/(f*f)) // of the mode
	logs[0] += own
	points[0].logPrior += own
	each := -math.Log(f*f*float64(len(directions))) + radius*radius/2
	var places [][]float64
	for _, z := range directions {
		if v, ok := p.place(z); ok {
			places = append(places, v)
		}
	}
	e, err := p.evidences(places)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range places {
		prior := logPrior(p.axes, v) + each
		if math.IsInf(e[i], -1) {
			continue
		}
		points = append(points, weighted{hyper: p.model.at(p.axes, v), at: [4]int{i + 1}, logPrior: prior})
		logs = append(logs, e[i]+prior)
	}
	return points, logs, nil
}
