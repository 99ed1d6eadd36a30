package gmrf

import (
	"math"

	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/sparse"
)

// Sparse returns the prior by the precision of its nodes: the field f at the places of the lattice, the effects e of
// the cells if there is a nugget, and last the level μ unless it is known.
func (p Prior) Sparse() (*latent.Field, error) {
	p, err := p.orDefault()
	if err != nil {
		return nil, err
	}
	if err := p.fits(); err != nil {
		return nil, err
	}
	l, n := p.lattice(), p.Grid.Len()
	f := &latent.Field{Rows: make([][]latent.Entry, n), Offset: make([]float64, n)}
	nodes, nugget, level := n, p.Nugget > 0 || p.FitNugget, -1
	if nugget {
		nodes += n
	}
	if !p.KnownLevel {
		level = nodes
		nodes++
		f.Named = map[string]int{"level": level}
	}
	unit := &spectrum{lattice: l, kappa2: 1, alpha: p.Alpha}
	var pairs [][2]int
	unit.visit(func(i, j int, _ float64) { pairs = append(pairs, [2]int{i, j}) })
	for k, j := range l.order {
		row := []latent.Entry{{Node: k, Weight: 1}}
		if nugget {
			row = append(row, latent.Entry{Node: n + k, Weight: 1})
		}
		if f.Offset[j] = p.Level; level >= 0 {
			row = append(row, latent.Entry{Node: level, Weight: 1})
		}
		f.Rows[j] = row
		for a, e := range row { // variances of cells take these entries of the inverse
			for _, o := range row[:a] {
				pairs = append(pairs, [2]int{e.Node, o.Node})
			}
		}
	}
	f.Pattern = sparse.New(nodes, pairs)
	var stencil []int32 // places of the products of entries of M, in the order in which visit finds them
	unit.visit(func(i, j int, _ float64) { stencil = append(stencil, int32(f.Pattern.Index(i, j))) })
	f.Fill = func(values, q, _ []float64) (float64, error) {
		p := p.with(values)
		s := l.spectrum(p.Alpha, p.Range)
		logDet, k := s.logDet-2*float64(n)*math.Log(p.SD), 0
		s.visit(func(_, _ int, v float64) {
			q[stencil[k]] += v
			k++
		})
		// D M^α D with the diagonal matrix D = scale/sd makes sd the standard deviation of every cell.
		for j := range n {
			logDet += 2 * math.Log(s.scale[j])
			for e := f.Pattern.Start[j]; e < f.Pattern.Start[j+1] && f.Pattern.Row[e] < n; e++ {
				q[e] *= s.scale[j] * s.scale[f.Pattern.Row[e]] / (p.SD * p.SD)
			}
			if nugget {
				q[f.Pattern.Start[n+j]] = 1 / (p.Nugget * p.Nugget)
			}
		}
		if nugget {
			logDet -= 2 * float64(n) * math.Log(p.Nugget)
		}
		if level >= 0 {
			q[f.Pattern.Start[level]] = 1 / (p.LevelSD * p.LevelSD)
			logDet -= 2 * math.Log(p.LevelSD)
		}
		return logDet, nil
	}
	return f, nil
}
