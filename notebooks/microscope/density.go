package microscope

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/formula"
)

// ThetaDensities are the densities of θ at one x_t, before and after the observation.
type ThetaDensities struct {
	Theta         []float64 // ascending
	Before, After []float64 // p(θ | x_t) and p(θ | x_t, y), exact
	Q, Updated    []float64 // the conjugate closest to Before, and its update by y
	// Log says that the densities are those of log θ. It is set for families whose θ is positive.
	Log bool
}

const (
	densityPoints = 160
	densityFloor  = 2e-3 // density at both ends of the shown range, over the highest density
	densityTail   = 1e-3 // mass on either side of the shown range, if the highest density lies beyond it
)

// Densities returns the densities of θ at one x_t, over the range where the exact densities are not negligible.
// It also returns the view of [Cell.At] at this x_t.
func (m Cell) Densities(x float64) (ThetaDensities, View, error) {
	s, err := m.stage()
	if err != nil {
		return ThetaDensities{}, View{}, err
	}
	g, err := s.integral(x)
	if err != nil {
		return ThetaDensities{}, View{}, err
	}
	views := []View{s.view(g)}
	if err := s.fit(views, []*integral{g}); err != nil {
		return ThetaDensities{}, View{}, err
	}
	n := s.terms.Family.Natural()
	logs := n.Low == 0 && math.IsInf(n.High, 1)
	wide := s.densities(g.x0, g, views[0], logs)
	low, high := len(g.x0)-1, 0
	for _, y := range []struct{ density, weights []float64 }{{wide.Before, g.before}, {wide.After, g.after}} {
		from, to, ok := wide.shown(y.density, y.weights)
		if !ok {
			return ThetaDensities{}, View{}, fmt.Errorf(
				"microscope: at x_t = %g the link %v overflows; use one that is less steep",
				x, s.terms.Link)
		}
		low, high = min(low, from), max(high, to)
	}
	d := s.densities(floats.Span(make([]float64, densityPoints), g.x0[low], g.x0[high]), g, views[0], logs)
	if !s.terms.Increasing() {
		for _, v := range [][]float64{d.Theta, d.Before, d.After, d.Q, d.Updated} {
			slices.Reverse(v)
		}
	}
	return d, views[0], nil
}

// shown returns the first and the last number of the points at which a density is not negligible. The density y and the
// weights of x₀ are at the points of d. The highest density may lie where there is nearly no mass, because a steep link
// maps much of the line to the end of θ; the points then have all but densityTail of the mass on either side. ok is
// false if the density is not finite where the mass lies.
func (d ThetaDensities) shown(y, weights []float64) (from, to int, ok bool) {
	first, last, below := -1, -1, 0.0
	for i, w := range weights {
		if below += w; first < 0 && below >= densityTail {
			first = i
		}
		if last < 0 && below >= 1-densityTail {
			last = i
		}
	}
	number := func(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
	finite := func(i int) bool { return number(y[i]) && number(d.Theta[i]) && !(d.Log && d.Theta[i] == 0) }
	top := -1
	for i := range y {
		if finite(i) && (top < 0 || y[i] > y[top]) {
			top = i
		}
	}
	if last < 0 || !finite(first) || !finite(last) || !finite(top) {
		return 0, 0, false
	}
	if top < first || top > last {
		return first, last, true
	}
	from, to = len(y), 0
	for i := range y {
		if finite(i) && y[i] > densityFloor*y[top] {
			from, to = min(from, i), max(to, i)
		}
	}
	return from, to, true
}

var logTheta = formula.MustParse("log(theta)")

// densities returns the densities at θ = g⁻¹(x₀) of every x₀. The density of θ is p(x₀ | ·)/|dθ/dx₀|. If logs is
// set, the densities are those of log θ, and |d log θ/dx₀| takes the place of |dθ/dx₀|.
func (s *stage) densities(x0 []float64, g *integral, v View, logs bool) ThetaDensities {
	d := ThetaDensities{Log: logs, Theta: make([]float64, len(x0)), Before: make([]float64, len(x0)),
		After: make([]float64, len(x0)), Q: make([]float64, len(x0)), Updated: make([]float64, len(x0))}
	slope := make([]float64, len(x0))
	if e, ok := s.terms.Formula(); logs && ok { // the formula of log θ is simplified
		derivative := logTheta.Substitute(e).Derivative()
		for i, x := range x0 {
			slope[i] = derivative.Eval(x)
		}
		for i, x := range x0 {
			d.Theta[i] = s.terms.Link.At(x)
		}
	} else {
		s.terms.ThetaSlopes(x0, d.Theta, slope)
		if logs {
			floats.Div(slope, d.Theta)
		}
	}
	prior, like := s.logs(x0)
	q, updated := v.Conjugate, v.Conjugate.Update(s.Term)
	for i, x := range x0 {
		unit := 1.0 // dθ/dθ, or dθ/d log θ
		if logs {
			unit = d.Theta[i]
		}
		log := prior[i] + s.noise(g.x, x) - g.logMass
		d.Before[i] = math.Exp(log) / math.Abs(slope[i])
		d.After[i] = math.Exp(log+like[i]-g.logEvidence) / math.Abs(slope[i])
		d.Q[i] = math.Exp(q.LogProb(d.Theta[i])) * unit
		d.Updated[i] = math.Exp(updated.LogProb(d.Theta[i])) * unit
	}
	return d
}
