package graph

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/sparse"
)

const (
	// hard is the precision of a constraint, in units of the precision of what it constrains: a thousandth of its
	// standard deviation is left. From some thousand nodes on, 1e10 is lost in the rounding errors of whitened
	// coordinates, and steps become a hundred times shorter. narrow is that of constraints in the sparse matrix.
	hard, narrow = 1e6, 1e7
	// mostNarrow is the largest number of nodes of a constraint that is part of the sparse matrix whatever the others.
	mostNarrow = 24
)

// part is an independent effect of areas or times, with its precision given the values of the prior's unknown numbers.
type part struct {
	latent.Effect
	centred bool // its cells have the sum 0
}

// sparsePrior is a prior of areas or times whose effects have sparse precisions. The effects leave out its level.
type sparsePrior interface {
	gp.Family
	effects() ([]part, error)
	effect() effect
}

// field returns a prior with its level as a sparse field.
func field(p sparsePrior) (*latent.Field, error) {
	parts, err := p.effects()
	if err != nil {
		return nil, err
	}
	e := p.effect()
	mean, all := make([]float64, p.Dim()), []latent.Effect{}
	for i := range mean {
		mean[i] = e.level
	}
	for _, part := range parts {
		all = append(all, part.Effect)
	}
	if e.levelSD > 0 {
		all = append(all, common(p.Dim(), e.levelSD))
	}
	return latent.Sum(mean, latent.Shared{}, all...), nil
}

// common is a number that all cells share, N(0, sd²).
func common(cells int, sd float64) latent.Effect {
	rows := make([][]latent.Entry, cells)
	for i := range rows {
		rows[i] = []latent.Entry{{Node: 0, Weight: 1}}
	}
	return latent.Effect{Nodes: 1, Terms: []latent.Term{{{Value: 1}}}, Rows: rows,
		At: func([]float64) ([]float64, float64, error) { return []float64{1 / (sd * sd)}, 0, nil }}
}

// cellwise returns the rows of an effect whose nodes are the cells.
func cellwise(cells int) [][]latent.Entry {
	rows := make([][]latent.Entry, cells)
	for i := range rows {
		rows[i] = []latent.Entry{{Node: i, Weight: 1}}
	}
	return rows
}

// identity is the identity matrix.
func identity(n int) (t latent.Term) {
	for i := range n {
		t = append(t, latent.Value{Row: i, Col: i, Value: 1})
	}
	return t
}

// mean is the column that looks at the sum of nodes over the root of their number.
func mean(nodes []int) (c latent.Column) {
	for _, i := range nodes {
		c = append(c, latent.Entry{Node: i, Weight: 1 / math.Sqrt(float64(len(nodes)))})
	}
	return c
}

// weighted returns the coefficients of one term of the given precision and of hard constraints.
func weighted(precision float64, constraints int) []float64 {
	c := []float64{precision}
	for range constraints {
		c = append(c, hard*precision)
	}
	return c
}

// ofPrecision is an effect whose precision is a sum of terms with the coefficients at(values), of the cells themselves.
// The log determinant is computed by a factor of its own.
func ofPrecision(cells int, at func(values []float64) []float64, terms ...latent.Term) part {
	var pairs [][2]int
	for _, t := range terms {
		for _, v := range t {
			pairs = append(pairs, [2]int{v.Row, v.Col})
		}
	}
	a := sparse.New(cells, pairs)
	symbolic := sparse.Analyse(a, sparse.MinimumDegree(a))
	return part{latent.Effect{Nodes: cells, Terms: terms, Rows: cellwise(cells),
		At: func(values []float64) ([]float64, float64, error) {
			c, q, f := at(values), make([]float64, len(a.Value)), symbolic.Factor()
			for k, t := range terms {
				for _, v := range t {
					q[a.Index(v.Row, v.Col)] += c[k] * v.Value
				}
			}
			if err := f.Refactor(q); err != nil {
				return nil, 0, fmt.Errorf("graph: the precision is singular; take a smaller dependence: %w", err)
			}
			return c, f.LogDet(), nil
		}}, false}
}
