// Package reconstruct has two classical estimates of intensities from Poisson counts of sums, to compare with: [OSEM]
// and [TotalVariation]. They return an estimate without draws.
package reconstruct

import (
	"fmt"

	"github.com/expfam/lab/expfam"
)

// matrix holds the weights of an operator row by row.
type matrix struct {
	Rows, Cols int
	begin      []int // of each row in cell and weight, and the end of the last
	cell       []int
	weight     []float64
}

func newMatrix(rows, cols int, row func(k int, visit func(cell int, weight float64))) *matrix {
	m := &matrix{Rows: rows, Cols: cols, begin: []int{0}}
	for k := range rows {
		row(k, func(j int, w float64) { m.cell, m.weight = append(m.cell, j), append(m.weight, w) })
		m.begin = append(m.begin, len(m.cell))
	}
	return m
}

// Row calls visit with each cell of row k and its weight.
func (m *matrix) Row(k int, visit func(cell int, weight float64)) {
	for i := m.begin[k]; i < m.begin[k+1]; i++ {
		visit(m.cell[i], m.weight[i])
	}
}

// MulVec sets y to H x.
func (m *matrix) MulVec(y, x []float64) {
	for k := range y {
		y[k] = 0
		m.Row(k, func(j int, w float64) { y[k] += w * x[j] })
	}
}

// MulTransVec sets x to Hᵀ y.
func (m *matrix) MulTransVec(x, y []float64) {
	clear(x)
	for k, v := range y {
		m.Row(k, func(j int, w float64) { x[j] += w * v })
	}
}

// events has the data y_k ~ Poisson(e_k ((Hθ)_k + b_k)).
type events struct {
	h                            *matrix
	counts, exposure, background []float64
}

func newEvents(like expfam.Likelihood, obs expfam.Observations) (*events, error) {
	sum, ok := like.Operator.(expfam.SumOf)
	op, rows := sum.Operator.(expfam.RowOperator)
	if _, poisson := like.Family.(expfam.Poisson); !poisson || !ok || !rows {
		return nil, fmt.Errorf("reconstruct: the likelihood is %v; give Poisson counts of sums of intensities", like)
	}
	data, cells := op.Dims()
	if len(obs) != data {
		return nil, fmt.Errorf("reconstruct: %d observations and an operator of %d data; give one for each datum",
			len(obs), data)
	}
	e := &events{newMatrix(data, cells, op.Row), obs.Stats(), obs.Sizes(), make([]float64, data)}
	if o, ok := op.(expfam.OffsetOperator); ok {
		copy(e.background, o.Offset())
	}
	return e, nil
}

// constant returns the constant intensity for which the expected counts, without the background, add up to the counts.
func (e *events) constant() ([]float64, error) {
	sensitivity, seen, counts := make([]float64, e.h.Cols), 0.0, 0.0
	e.h.MulTransVec(sensitivity, e.exposure)
	for _, s := range sensitivity {
		seen += s
	}
	for _, y := range e.counts {
		counts += y
	}
	if !(counts > 0) || !(seen > 0) {
		return nil, fmt.Errorf("reconstruct: %g counts and the exposure %g; give data with at least one event", counts,
			seen)
	}
	theta := make([]float64, e.h.Cols)
	for j := range theta {
		theta[j] = counts / seen
	}
	return theta, nil
}

// away returns the sum of squared differences of an estimate from the true θ.
func away(theta, truth []float64) (sum float64, err error) {
	if len(theta) != len(truth) {
		return 0, fmt.Errorf("reconstruct: the truth has %d cells, and the operator looks at %d", len(truth),
			len(theta))
	}
	for j, v := range theta {
		sum += (v - truth[j]) * (v - truth[j])
	}
	return sum, nil
}
