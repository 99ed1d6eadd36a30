package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// Sensitivity says how a posterior would change if its prior or its likelihood had slightly more or less weight. This
// is power-scaling: Kallioinen, Paananen, Bürkner & Vehtari (2024), Statistics and Computing 34. A component p_c is
// raised to the power α near 1, which reweights the draws by p_c^(α−1), smoothed as for [LOO]. The change of each
// quantity is the cumulative Jensen–Shannon distance between its draws with and without weights, per unit of log₂ α.
//
// If the sensitivity is above 0.05, the quantity depends on the component. A quantity that
// depends on both prior and likelihood may show a conflict between them. A quantity that
// depends only on the prior is hardly informed by the data.
type Sensitivity struct {
	// Efficiency is the effective number of draws divided by the number of draws, as in [LOO].
	Efficiency float64
}

// powerStep is |α − 1|.
const powerStep = 0.01

// Of returns the sensitivity of every cell of the draws d to a component. The draws may be of θ or of any other
// quantity ([Map]). The argument component has the logarithm of the component at each draw, up to a constant: for the
// likelihood the sum over data of [Pointwise], and for the prior its log density at x₀, as gp.LogDensity computes it.
func (s Sensitivity) Of(d Draws, component []float64) (Scores, error) {
	s.Efficiency = cmp.Or(s.Efficiency, 1)
	n, cells := d.Dims()
	if len(component) != n {
		return nil, fmt.Errorf("calibrate: sensitivity: %d log densities of %d draws; give one for each",
			len(component), n)
	}
	for i, v := range component {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("calibrate: sensitivity: the log density of draw %d is %v; it must be finite", i, v)
		}
	}
	if !(s.Efficiency > 0) {
		return nil, fmt.Errorf("calibrate: sensitivity: efficiency %g; give a positive one", s.Efficiency)
	}
	tail := min(tailOf(n, s.Efficiency), n/2)
	if tail < 5 {
		return nil, fmt.Errorf("calibrate: sensitivity: %d draws; give at least 25", n)
	}
	less, more := s.scaled(component, -powerStep, tail), s.scaled(component, powerStep, tail)
	out := make(Scores, cells)
	parallel.For(cells, parallel.Heavy, func(j int) {
		x := make([]float64, n)
		for i := range x {
			x[i] = d.At(i, j)
		}
		down, up := furthest(x, less), furthest(x, more)
		out[j] = (-down/math.Log2(1-powerStep) + up/math.Log2(1+powerStep)) / 2
	})
	if j := slices.IndexFunc(out, math.IsNaN); j >= 0 {
		return nil, fmt.Errorf("calibrate: sensitivity: the draws of cell %d are not all finite; leave it out", j)
	}
	return out, nil
}

// scaled returns the weights p_c^power, smoothed, with sum 1.
func (s Sensitivity) scaled(component []float64, power float64, tail int) []float64 {
	w := slices.Clone(component)
	floats.Scale(power, w)
	smooth(w, tail)
	for i, v := range w {
		w[i] = math.Exp(v)
	}
	return w
}

// furthest returns the larger of two values of [jensenShannon], for x and for −x. The distance is
// not the same for both.
func furthest(x, weights []float64) float64 {
	order := make([]int, len(x))
	sorted := slices.Clone(x)
	floats.Argsort(sorted, order)
	w := make([]float64, len(x))
	for i, o := range order {
		w[i] = weights[o]
	}
	forward := jensenShannon(sorted, w)
	slices.Reverse(sorted)
	slices.Reverse(w)
	floats.Scale(-1, sorted)
	return math.Max(forward, jensenShannon(sorted, w))
}

// jensenShannon returns the cumulative Jensen–Shannon distance between two distributions of
// ascending x, the first with equal weights and the second with the given weights of sum 1. It is
// the distance of Nguyen & Vreeken (2015), normalised to at most 1.
func jensenShannon(x, weights []float64) float64 {
	var pq, qp, areaP, areaQ, q float64
	n := float64(len(x))
	for i := range len(x) - 1 {
		width := x[i+1] - x[i]
		p := float64(i+1) / n
		q += weights[i]
		middle := math.Log2((p + q) / 2)
		pq += width * p * (math.Log2(p) - middle)
		if q > 0 {
			qp += width * q * (math.Log2(q) - middle)
		}
		areaP, areaQ = areaP+width*p, areaQ+width*q
	}
	if areaP+areaQ == 0 {
		return 0 // all draws are equal
	}
	pq += (areaQ - areaP) / (2 * math.Ln2)
	qp += (areaP - areaQ) / (2 * math.Ln2)
	return math.Sqrt((math.Max(0, pq) + math.Max(0, qp)) / (areaP + areaQ))
}
