package graph

import (
	"math"
	"slices"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
)

// whole reports whether the nodes of the interaction are sums of it, of the walk of times, and of the main effects of
// areas, of type IV and areas that are all connected.
func (p SpaceTime) whole() bool {
	n := neighboursOf(p.Area)
	_, walk := p.Time.(Walk)
	return p.Interaction == TypeIV && walk && n != nil && len(n.Components()) == 1
}

func neighboursOf(area gp.Family) *Neighbours {
	switch area := area.(type) {
	case ICAR:
		return area.Neighbours
	case BYM2:
		return area.Neighbours
	}
	return nil
}

// interaction returns the effect of the interaction. Cell t·areas + i is node t·areas + i. With the precisions R of
// times and areas, or I where the type has none, it is N(0, sd²(R ⊗ R)⁻), on the cells whose sums over the areas and
// over the times are 0, and whose sums with other null vectors of R are.
//
// If the field is whole, nodes are w = interaction + walk + main effect of the area, and cells look at no others of
// these. R maps to 0 what is the same in all areas or at all times, so the precision of w given the main effects is
//
//	R_time ⊗ (R_area/sd² + 11ᵀ/(areas · time sd)²)
//
// on the w whose means over the times are the main effects, and whose sums with other null vectors of R_time are 0.
func (p SpaceTime) interaction(main []latent.Column) (latent.Effect, error) {
	times, areas, before := p.Time.Dim(), p.Area.Dim(), len(p.Time.Unknown())+len(p.Area.Unknown())
	var scale float64 // of the precision of the walk
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
		if along, null, scale, err = walk.precision(); err != nil {
			return latent.Effect{}, err
		}
	}
	if p.Interaction == TypeIII || p.Interaction == TypeIV {
		n := neighboursOf(p.Area)
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
	p.constrain(&e, null, groups, main)
	own, hardWide, hardNarrow, walk := p.effect(), len(e.Wide), len(e.Narrow), effect{}
	if p.whole() {
		walk = p.Time.(Walk).effect()
		p.walk(&e)
	}
	soft := len(e.Wide) + len(e.Narrow) - hardWide - hardNarrow
	e.At = func(values []float64) ([]float64, float64, error) {
		v, precision := own.all(values[before:])[0], 0.
		logDet := -2 * float64(e.Nodes-soft) * math.Log(v)
		if soft > 0 {
			sd := walk.all(values)[0]
			precision = scale / (sd * sd)
			logDet -= 2 * float64(soft) * math.Log(sd)
		}
		c := weighted(1/(v*v), hardWide)
		c = append(c, slices.Repeat([]float64{precision}, len(e.Wide)-hardWide)...)
		c = append(c, slices.Repeat([]float64{narrow / (v * v)}, hardNarrow)...)
		return append(c, slices.Repeat([]float64{precision}, len(e.Narrow)-hardNarrow)...), logDet, nil
	}
	return e, nil
}

// walk adds the walk of times to an interaction whose nodes are whole: each of its differences is one of means over the
// areas.
func (p SpaceTime) walk(e *latent.Effect) {
	areas := p.Area.Dim()
	for t, differences := range p.Time.(Walk).differences() {
		var column latent.Column
		for k, v := range differences {
			for i := range areas {
				column = append(column, latent.Entry{Node: (t+k)*areas + i, Weight: v / float64(areas)})
			}
		}
		add(e, column, inMatrix(areas, p.Time.Dim()))
	}
}

// add adds a column to an effect.
func add(e *latent.Effect, column latent.Column, inMatrix bool) {
	if inMatrix {
		e.Narrow = append(e.Narrow, column)
	} else {
		e.Wide = append(e.Wide, column)
	}
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
// groups of areas at every time if it is not whole. Of the sums at the first and the last time, as many follow from the others as there
// are null vectors. Nodes are held where the matrix is singular.
func (p SpaceTime) constrain(e *latent.Effect, null [][]float64, groups [][]int, main []latent.Column) {
	times, areas := p.Time.Dim(), p.Area.Dim()
	for i := range areas {
		for k, v := range null {
			var column latent.Column
			for t, x := range v {
				column = append(column, latent.Entry{Node: t*areas + i, Weight: x})
			}
			for _, m := range main[i] {
				if k == 0 && p.whole() {
					column = append(column, latent.Entry{Node: m.Node, Weight: -m.Weight * math.Sqrt(float64(times))})
				}
			}
			add(e, column, inMatrix(times, areas))
		}
	}
	for t := range times {
		if t == 0 || t == times-1 && len(null) == 2 || p.whole() {
			continue
		}
		for _, of := range groups {
			column := mean(of)
			for k := range column {
				column[k].Node += t * areas
			}
			add(e, column, inMatrix(len(of), times))
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
