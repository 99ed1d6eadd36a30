package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/sparse"
)

// effects has the precision of the autoregression: (1 + ρ²) on the diagonal, 1 at its ends, and −ρ beside it, over
// SD²(1−ρ²).
func (p AR1) effects() ([]part, error) {
	e, n := p.effect(), p.Cells
	var inner, beside latent.Term
	for i := range n {
		if i > 0 && i < n-1 {
			inner = append(inner, latent.Value{Row: i, Col: i, Value: 1})
		}
		if i > 0 {
			beside = append(beside, latent.Value{Row: i, Col: i - 1, Value: -1})
		}
	}
	return []part{ofPrecision(n, func(values []float64) []float64 {
		v := e.all(values)
		if n == 1 {
			return []float64{1 / (v[0] * v[0]), 0, 0}
		}
		c := 1 / (v[0] * v[0] * (1 - v[1]*v[1]))
		return []float64{c, c * v[1] * v[1], c * v[1]}
	}, identity(n), inner, beside)}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p AR1) Sparse() (*latent.Field, error) { return field(p) }

// effects are the walk, whose nodes are orthogonal to its null vectors, and its straight line.
func (p Walk) effects() ([]part, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	e, n := p.effect(), p.Cells
	precision, null, err := p.precision()
	if err != nil {
		return nil, err
	}
	w := latent.Effect{Nodes: n, Terms: []latent.Term{precision}, Rows: cellwise(n), Ground: []int{0}}
	if p.order() == 2 {
		w.Ground = []int{0, n - 1}
	}
	for _, v := range null {
		var column latent.Column
		for i, x := range v {
			column = append(column, latent.Entry{Node: i, Weight: x})
		}
		w.Wide = append(w.Wide, column)
	}
	w.At = func(values []float64) ([]float64, float64, error) {
		v := e.all(values)[0]
		return weighted(1/(v*v), len(null)), -2 * float64(n) * math.Log(v), nil
	}
	all := []part{{w, true}}
	if p.SlopeSD > 0 {
		line := common(n, p.SlopeSD)
		for i, v := range p.line() {
			line.Rows[i][0].Weight = v
		}
		all = append(all, part{line, true})
	}
	return all, nil
}

// precision returns FᵀF for the differences F of a walk, scaled so that the geometric mean of the variances is 1, and
// the orthonormal vectors that it maps to 0.
func (p Walk) precision() (t latent.Term, null [][]float64, err error) {
	n, order := p.Cells, p.order()
	constant := make([]float64, n)
	for i := range n {
		constant[i] = 1 / math.Sqrt(float64(n))
	}
	null, ground := [][]float64{constant}, []int{0}
	if order == 2 {
		line := p.line()
		floats.Scale(1/floats.Norm(line, 2), line)
		null, ground = append(null, line), []int{0, n - 1}
	}
	var pairs [][2]int
	for i := range n {
		for j := max(0, i-order); j < i; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	a := sparse.New(n, pairs)
	for i, differences := range p.differences() {
		for k, v := range differences {
			for l, w := range differences[:k+1] {
				a.Value[a.Index(i+k, i+l)] += v * w
			}
		}
	}
	variances, _, err := intrinsicVariances(a, ground, null)
	if err != nil {
		return nil, nil, fmt.Errorf("graph: a walk of %d cells: %w", n, err)
	}
	scale := geometricMean(variances)
	for j := range n {
		for k := a.Start[j]; k < a.Start[j+1]; k++ {
			t = append(t, latent.Value{Row: a.Row[k], Col: j, Value: scale * a.Value[k]})
		}
	}
	return t, null, nil
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p Walk) Sparse() (*latent.Field, error) { return field(p) }
