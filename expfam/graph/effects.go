package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

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

// intrinsicAreas is the effect of a scaled intrinsic autoregression, with the variance 1 in islands, whose standard
// deviation is sd(values).
func (n *Neighbours) intrinsicAreas(sd func(values []float64) float64) (part, error) {
	s, err := n.sparseStructure()
	if err != nil {
		return part{}, err
	}
	e := latent.Effect{Nodes: n.Len(), Rows: cellwise(n.Len()), Terms: []latent.Term{{}}}
	n.laplacian(s, func(i, j int, v float64) {
		e.Terms[0] = append(e.Terms[0], latent.Value{Row: i, Col: j, Value: v})
	})
	centred := true
	for _, of := range n.Components() {
		if len(of) == 1 {
			e.Terms[0] = append(e.Terms[0], latent.Value{Row: of[0], Col: of[0], Value: 1})
			centred = false
			continue
		}
		if len(of) <= mostNarrow && len(s.scale) > 4 {
			for k, i := range of {
				for _, j := range of[:k+1] {
					e.Terms[0] = append(e.Terms[0], latent.Value{Row: i, Col: j, Value: narrow / float64(len(of))})
				}
			}
			continue
		}
		e.Ground = append(e.Ground, of[0])
		e.Wide = append(e.Wide, mean(of))
	}
	wide := len(e.Wide)
	e.At = func(values []float64) ([]float64, float64, error) {
		v := sd(values)
		precision := 1 / (v * v)
		return weighted(precision, wide), float64(n.Len()) * math.Log(precision), nil
	}
	return part{e, centred}, nil
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

func (p ICAR) effects() ([]part, error) {
	e := p.effect()
	a, err := p.Neighbours.intrinsicAreas(func(values []float64) float64 { return e.all(values)[0] })
	return []part{a}, err
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p ICAR) Sparse() (*latent.Field, error) { return field(p) }

// effects are two: independent areas, and those that neighbours share.
func (p BYM2) effects() ([]part, error) {
	e, n := p.effect(), p.Dim()
	shared, err := p.Neighbours.intrinsicAreas(func(values []float64) float64 {
		v := e.all(values)
		return v[0] * math.Sqrt(v[1])
	})
	if err != nil {
		return nil, err
	}
	alone := latent.Effect{Nodes: n, Terms: []latent.Term{identity(n)}, Rows: cellwise(n),
		At: func(values []float64) ([]float64, float64, error) {
			v := e.all(values)
			precision := 1 / (v[0] * v[0] * (1 - v[1]))
			return []float64{precision}, float64(n) * math.Log(precision), nil
		}}
	return []part{{alone, false}, shared}, nil
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p BYM2) Sparse() (*latent.Field, error) { return field(p) }

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

// laplacianTerms returns D − W as a term, and D.
func (n *Neighbours) laplacianTerms() (laplacian, degrees latent.Term) {
	for i, of := range n.Of {
		degrees = append(degrees, latent.Value{Row: i, Col: i, Value: float64(len(of))})
		for _, j := range of {
			if j < i {
				laplacian = append(laplacian, latent.Value{Row: i, Col: j, Value: -1})
			}
		}
	}
	return append(laplacian, degrees...), degrees
}

func (p Leroux) effects() ([]part, error) {
	e := p.effect()
	r, _ := p.Neighbours.laplacianTerms()
	return []part{ofPrecision(p.Dim(), func(values []float64) []float64 {
		v := e.all(values)
		return []float64{(1 - v[1]) / (v[0] * v[0]), v[1] / (v[0] * v[0])}
	}, identity(p.Dim()), r)}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p Leroux) Sparse() (*latent.Field, error) { return field(p) }

func (p CAR) effects() ([]part, error) {
	e := p.effect()
	r, d := p.Neighbours.laplacianTerms()
	return []part{ofPrecision(p.Dim(), func(values []float64) []float64 {
		v := e.all(values)
		return []float64{(1 - v[1]) / (v[0] * v[0]), v[1] / (v[0] * v[0])}
	}, d, r)}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p CAR) Sparse() (*latent.Field, error) { return field(p) }

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
