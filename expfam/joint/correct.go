package joint

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

const (
	// weighed is the number of draws that weigh a node, and mostOff the correction of its log evidence, less that of
	// the best node, from which Laplace's approximation is off: a tail of the parameters is too light, or too heavy.
	weighed, mostOff = 200, 0.2
	// far is how far the log density of a node lies below the best to be tried, at two standard deviations.
	far = 2
)

// correct replaces the Laplace evidence of nodes by an importance sample's (Shephard & Pitt 1997, Biometrika 84),
//
//	log p(y | t) ≈ LogScale + log mean exp(f(w) + |w|²/2),  w ~ N(0, I),
//
// where it is off: steps of an independence sampler from too light a tail hardly reach it. All nodes have the same w.
// Nodes near far tell whether it is off, which it returns. Fields of many cells are left as they are.
func (m *model) correct(l *lattice, seed uint64) bool {
	if m.cells > largeCells {
		return false
	}
	best := l.order[0]
	for _, z := range l.order {
		if l.logs[z] > l.logs[best] {
			best = z
		}
	}
	tried := [][8]int{best}
	for _, z := range l.order {
		if below := l.logs[best] - l.logs[z]; math.Abs(below-far) < 1 && len(tried) < 9 {
			tried = append(tried, z)
		}
	}
	off := m.corrections(l, tried, seed)
	if floats.Max(off)-off[0] < mostOff && off[0]-floats.Min(off) < mostOff {
		return false
	}
	for i, v := range m.corrections(l, l.order, seed) {
		l.logs[l.order[i]] += v - off[0]
	}
	return true
}

// corrections returns the corrections of the log evidence of nodes. Those where the field has no target are 0.
func (m *model) corrections(l *lattice, nodes [][8]int, seed uint64) []float64 {
	out := make([]float64, len(nodes))
	parallel.For(len(nodes), parallel.Heavy, func(i int) {
		target, err := m.target(l.node(nodes[i]))
		if err != nil {
			return
		}
		rng, density := expfam.Stream(seed, "joint/evidence"), target.Density().At
		w, gradient, logs := make([]float64, target.Rank()), make([]float64, target.Rank()), make([]float64, weighed)
		for k := range logs {
			half := 0.
			for j := range w {
				w[j] = rng.NormFloat64()
				half += w[j] * w[j] / 2
			}
			logs[k] = density(w, gradient) + half
		}
		v := target.LogScale() + floats.LogSumExp(logs) - math.Log(weighed) - target.LogEvidence()
		if finite(v) {
			out[i] = v
		}
	})
	return out
}
