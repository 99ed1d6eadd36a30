package gmrf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
)

// through is the operator through which data look at the field. J is the Jacobian of what they look at: J = H for a
// linear operator, and J_kj = H_kj f′(xⱼ)/θ_k for log θ_k of a sum of intensities. The information of the
// log-likelihood is taken as Jᵀ W J, where the diagonal matrix W has the information of every datum. This is the
// information of the model that is linearised at the present point. At the mode it is what the iterated linearisation
// of inlabru ends with (Lindgren et al. 2024, arXiv 2407.00791).
type through struct {
	forward *expfam.Forward
	lattice *lattice
	obs     expfam.Observations
	place   []int // place on the lattice of each cell of the grid
	alpha   int
	start   []float64
}

// sites are the rows of J, by cells of the grid, and the diagonal of W at a point.
type sites struct {
	rows func(k int, visit func(cell int, weight float64))
	w    []float64
}

// newThrough returns the operator of a likelihood. It checks the data.
func newThrough(prior Prior, l *lattice, f *expfam.Forward, obs expfam.Observations) (*through, error) {
	g := prior.Grid
	if len(obs) != f.Data() {
		return nil, fmt.Errorf("gmrf: %d observations of %d data; give one term for each row of an operator", len(obs),
			f.Data())
	}
	if err := f.Check(obs); err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if prior.Nugget != 0 || prior.FitNugget {
		return nil, errors.New("gmrf: a nugget with an operator; effects of single cells are for data of single " +
			"cells, leave Nugget and FitNugget out")
	}
	t := &through{forward: f, lattice: l, obs: obs, place: make([]int, g.Len())}
	start := make([]float64, g.Len())
	for k, j := range l.order {
		t.place[j], start[j] = k, prior.Level
	}
	t.alpha, t.start = prior.Alpha, start
	rows, _ := f.Precision(start, obs)
	for k, term := range obs {
		if term == (expfam.Term{}) {
			continue
		}
		outside := -1
		rows(k, func(j int, _ float64) {
			if !g.Inside(j) {
				outside = j
			}
		})
		if outside >= 0 {
			return nil, fmt.Errorf("gmrf: datum %d looks at cell %d, which lies outside of the domain; leave such "+
				"cells out of the operator", k, outside)
		}
	}
	return t, nil
}

// precision returns the pattern of the precision, with all pairs of cells that a datum looks at.
func (t *through) precision() (*precision, error) {
	rows, _ := t.forward.Precision(t.start, t.obs)
	var pairs [][2]int
	var row []int
	for k, term := range t.obs {
		if term == (expfam.Term{}) {
			continue
		}
		row = row[:0]
		rows(k, func(j int, _ float64) { row = append(row, t.place[j]) })
		if err := machine.Fits(fmt.Sprintf("gmrf: the pairs of %d cells that data look at", len(t.start)),
			32*(float64(len(pairs))+float64(len(row))*float64(len(row))/2), "take a coarser grid"); err != nil {
			return nil, err
		}
		for a, i := range row {
			for _, j := range row[:a] {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	p := t.lattice.newPrecision(t.alpha, pairs)
	return p, machine.Fits(fmt.Sprintf("gmrf: a factor of %d cells behind such an operator", len(t.start)),
		3*p.symbolic.Bytes(), "take a coarser grid")
}

// logLik returns log p(y | x) and writes its slopes, for x in the order of the lattice.
func (m *model) logLik(x, slope []float64) float64 {
	if m.through == nil {
		return m.terms.LogLikSlope(x, m.obs, slope)
	}
	gradient := make([]float64, len(x))
	v := m.through.forward.LogLikSlope(m.lattice.restore(x), m.obs, gradient)
	for k, j := range m.lattice.order {
		slope[k] = gradient[j]
	}
	return v
}

// look sets the sites at the present point. It writes Jᵀ W J 1 into c.w, which is what
// Direction needs of the information for the level.
func (c *climb) look() error {
	m := c.model
	c.sites.rows, c.sites.w = m.through.forward.Precision(m.lattice.restore(c.x), m.obs)
	clear(c.w)
	for k, w := range c.sites.w {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("gmrf: datum %d: information %g; check the link there", k, w)
		}
		if w == 0 {
			if m.obs[k] != (expfam.Term{}) {
				c.notConcave++
			}
			continue
		}
		var sum float64
		c.sites.rows(k, func(_ int, v float64) { sum += v })
		c.sites.rows(k, func(j int, v float64) { c.w[m.through.place[j]] += w * v * sum })
	}
	for i, s := range c.slope {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("gmrf: cell %d: slope %g at x₀ = %g; check the link there", m.lattice.order[i], s, c.x[i])
		}
	}
	return nil
}

// entries lists the cells of datum k with their weights, in the order of their places on the
// lattice, in the memory of row.
func (t *through) entries(s sites, k int, row []entry) []entry {
	row = row[:0]
	s.rows(k, func(j int, v float64) { row = append(row, entry{t.place[j], v}) })
	slices.SortFunc(row, func(a, b entry) int { return a.at - b.at })
	return row
}

// add adds Jᵀ W J to the values of a pattern.
func (t *through) add(p *precision, s sites, value []float64) {
	var row []entry
	for k, w := range s.w {
		if w == 0 {
			continue
		}
		row = t.entries(s, k, row)
		for n, a := range row {
			f := w * a.value
			for _, b := range row[n:] {
				value[p.Index(b.at, a.at)] += f * b.value
			}
		}
	}
}
