package graph

import (
	"errors"
	"math"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
)

// errDense says that an interaction has no sparse precision.
var errDense = errors.New("graph: only interactions of intrinsic priors have sparse precisions: Walk, and ICAR and " +
	"BYM2 without islands")

// Sparse returns the prior by its precision; see gp.Unknown. Main effects enter as they are: that their means are taken
// out is a matter of the level
//
//	x₀ = Level′ + time + area + interaction,  Level′ + means of the effects ~ N(Level, LevelSD²).
func (p SpaceTime) Sparse() (*latent.Field, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	times, areas := p.Time.Dim(), p.Area.Dim()
	cells, t, a := times*areas, len(p.Time.Unknown()), len(p.Area.Unknown())
	var all []latent.Effect
	var level latent.Column
	nodes := 0
	for k, f := range []gp.Family{p.Time, p.Area} {
		s, ok := f.(sparsePrior)
		if !ok {
			return nil, errDense
		}
		parts, err := s.effects()
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			rows, at, first, last := part.Rows, part.At, 0, t
			if k == 1 {
				first, last = t, t+a
			}
			part.At = func(values []float64) ([]float64, float64, error) { return at(values[first:last]) }
			part.Rows = make([][]latent.Entry, cells)
			for c := range cells {
				if k == 0 {
					part.Rows[c] = rows[c/areas]
				} else {
					part.Rows[c] = rows[c%areas]
				}
			}
			if !part.centred {
				for _, row := range rows {
					for _, e := range row {
						level = append(level, latent.Entry{Node: nodes + e.Node, Weight: e.Weight / float64(len(rows))})
					}
				}
			}
			nodes += part.Nodes
			all = append(all, part.Effect)
		}
	}
	if p.Interaction != NoInteraction {
		interaction, err := p.interaction(t + a)
		if err != nil {
			return nil, err
		}
		all = append(all, interaction)
		nodes += interaction.Nodes
	}
	mean := make([]float64, cells)
	for i := range mean {
		mean[i] = p.Level
	}
	if p.LevelSD == 0 && level == nil {
		return latent.Sum(mean, latent.Shared{}, all...), nil
	}
	if level == nil {
		return latent.Sum(mean, latent.Shared{}, append(all, common(cells, p.LevelSD))...), nil
	}
	free := common(cells, 1)
	free.Terms, free.Ground = []latent.Term{{{Value: 0}}}, []int{0}
	precision := hard
	if p.LevelSD > 0 {
		precision = 1 / (p.LevelSD * p.LevelSD)
	}
	shared := latent.Shared{Columns: []latent.Column{append(level, latent.Entry{Node: nodes, Weight: 1})},
		Weights: []float64{precision}}
	return latent.Sum(mean, shared, append(all, free)...), nil
}

// interaction returns the effect of the interaction, whose unknown numbers come after so many others. Cell t·areas + i
// is node t·areas + i. With the precisions R of times and areas, or I where the type has none, it is N(0, sd²(R ⊗ R)⁻),
// on the cells whose sums over the areas and over the times are 0, and whose sums with other null vectors of R are.
func (p SpaceTime) interaction(before int) (latent.Effect, error) {
	times, areas := p.Time.Dim(), p.Area.Dim()
	along, cross := identity(times), identity(areas)
	one := make([]float64, times)
	for i := range one {
		one[i] = 1 / math.Sqrt(float64(times))
	}
	null, groups := [][]float64{one}, [][]int{make([]int, areas)}
	for i := range areas {
		groups[0][i] = i
	}
	if p.Interaction == TypeII || p.Interaction == TypeIV {
		walk, ok := p.Time.(Walk)
		if !ok {
			return latent.Effect{}, errDense
		}
		var err error
		if along, null, err = walk.precision(); err != nil {
			return latent.Effect{}, err
		}
	}
	if p.Interaction == TypeIII || p.Interaction == TypeIV {
		var n *Neighbours
		switch area := p.Area.(type) {
		case ICAR:
			n = area.Neighbours
		case BYM2:
			n = area.Neighbours
		}
		if n == nil || len(n.Islands()) > 0 {
			return latent.Effect{}, errDense
		}
		s, err := n.sparseStructure()
		if err != nil {
			return latent.Effect{}, err
		}
		cross = nil
		n.laplacian(s, func(i, j int, v float64) { cross = append(cross, latent.Value{Row: i, Col: j, Value: v}) })
		groups = n.Components()
	}
	e := latent.Effect{Nodes: times * areas, Rows: cellwise(times * areas),
		Terms: []latent.Term{kronecker(along, cross, areas)}}
	p.constrain(&e, null, groups)
	own := p.effect()
	wide := len(e.Wide)
	e.At = func(values []float64) ([]float64, float64, error) {
		v := own.all(values[before:])[0]
		return weighted(1/(v*v), wide), -2 * float64(e.Nodes) * math.Log(v), nil
	}
	return e, nil
}

// kronecker returns the product of a matrix of times and one of areas.
func kronecker(along, cross latent.Term, areas int) (t latent.Term) {
	for _, a := range along {
		for _, c := range cross {
			v := a.Value * c.Value
			t = append(t, latent.Value{Row: a.Row*areas + c.Row, Col: a.Col*areas + c.Col, Value: v})
			if a.Row != a.Col && c.Row != c.Col {
				t = append(t, latent.Value{Row: a.Row*areas + c.Col, Col: a.Col*areas + c.Row, Value: v})
			}
		}
	}
	return t
}

// inMatrix reports whether constraints of so many nodes, one in each of others places, are part of the matrix. There
// they cost at most others·nodes³ multiplications, and as columns others³·nodes.
func inMatrix(nodes, others int) bool { return nodes <= mostNarrow || nodes < others }

// constrain adds the constraints of an interaction: the null vectors of the times in every area, and the sums over the
// groups of areas at every time. Of the sums at the first and the last time, as many follow from the others as there
// are null vectors. Nodes are held where the matrix is singular.
func (p SpaceTime) constrain(e *latent.Effect, null [][]float64, groups [][]int) {
	times, areas := p.Time.Dim(), p.Area.Dim()
	add := func(column latent.Column, others int) {
		if !inMatrix(len(column), others) {
			e.Wide = append(e.Wide, column)
			return
		}
		for k, a := range column {
			for _, b := range column[:k+1] {
				e.Terms[0] = append(e.Terms[0], latent.Value{Row: a.Node, Col: b.Node,
					Value: narrow * a.Weight * b.Weight})
			}
		}
	}
	for i := range areas {
		for _, v := range null {
			var column latent.Column
			for t, x := range v {
				column = append(column, latent.Entry{Node: t*areas + i, Weight: x})
			}
			add(column, areas)
		}
	}
	for t := range times {
		if t == 0 || t == times-1 && len(null) == 2 {
			continue
		}
		for _, of := range groups {
			column := mean(of)
			for k := range column {
				column[k].Node += t * areas
			}
			add(column, times)
		}
	}
	ofTimes, ofAreas := p.Interaction == TypeII || p.Interaction == TypeIV, p.Interaction >= TypeIII
	if ofTimes = ofTimes && !inMatrix(times, areas); ofTimes {
		for i := range areas {
			for k := range null {
				e.Spare = append(e.Spare, k*(times-1)*areas+i)
			}
		}
	}
	for t := range times {
		for _, of := range groups {
			held := ofTimes && (t == 0 || t == times-1 && len(null) == 2)
			if ofAreas && !inMatrix(len(of), times) && !held {
				e.Spare = append(e.Spare, t*areas+of[0])
			}
		}
	}
}
