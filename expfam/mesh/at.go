package mesh

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/operator"
)

// At returns the values of a field at places between the nodes: a row for each place, with the barycentric weights of
// the corners of its triangle. Places within the distance shore of the domain that lie Outside of it, or off the mesh,
// take the value of the nearest node of the domain. Other such places are refused.
func (m *Mesh) At(x, y []float64, shore float64) (*operator.Sparse, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if len(x) != len(y) || len(x) == 0 {
		return nil, fmt.Errorf("mesh: places with %d x and %d y; give one of each for every place, and at least one "+
			"place", len(x), len(y))
	}
	o, refused, first := &operator.Sparse{Data: len(x), Cells: m.Dim()}, 0, ""
	edge, _ := m.size()
	over := m.index(edge)
	for k := range x {
		p := [2]float64{x[k], y[k]}
		t, weights, where := m.locate(over[cell(p, edge)], p)
		if where == inDomain {
			for c, i := range t {
				if weights[c] > 0 {
					o.Entries = append(o.Entries, operator.Entry{Datum: k, Cell: i, Weight: weights[c]})
				}
			}
			continue
		}
		if i, distance := m.nearest(p); distance <= shore {
			o.Entries = append(o.Entries, operator.Entry{Datum: k, Cell: i, Weight: 1})
			continue
		}
		if refused++; refused == 1 {
			first = fmt.Sprintf("place %d at (%g, %g) is %s; move it, or give a shore", k, p[0], p[1], where)
		}
	}
	if refused > 1 {
		first += fmt.Sprintf(" (and %d more places)", refused-1)
	}
	if refused > 0 {
		return nil, fmt.Errorf("mesh: %s", first)
	}
	return o, o.Check()
}

// Where a place lies.
const inDomain, outside, offMesh = "in the domain", "in a triangle Outside of the domain", "off the mesh"

// locate returns the triangle of some around a place, those of the domain first, with the weights of its corners.
func (m *Mesh) locate(some []int, p [2]float64) (t [3]int, weights [3]float64, where string) {
	where = offMesh
	for _, k := range some {
		w, holds := m.weights(m.Triangles[k], p)
		if holds && m.inside(k) {
			return m.Triangles[k], w, inDomain
		}
		if holds {
			where = outside
		}
	}
	return t, weights, where
}

// weights returns the barycentric weights of a place, and whether the triangle holds it, up to rounding.
func (m *Mesh) weights(t [3]int, p [2]float64) (w [3]float64, holds bool) {
	a, b, c := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]]
	det := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	w[1] = ((p[0]-a[0])*(c[1]-a[1]) - (p[1]-a[1])*(c[0]-a[0])) / det
	w[2] = ((b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0])) / det
	w[0] = 1 - w[1] - w[2]
	const rounding = 1e-9
	if !(w[0] >= -rounding && w[1] >= -rounding && w[2] >= -rounding) {
		return w, false
	}
	var sum float64
	for i, v := range w {
		if v < rounding {
			w[i] = 0
		}
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, true
}

// index returns the triangles over each square of a side.
func (m *Mesh) index(side float64) map[[2]int][]int {
	over := map[[2]int][]int{}
	for k, t := range m.Triangles {
		low, high := cell(m.Nodes[t[0]], side), cell(m.Nodes[t[0]], side)
		for _, i := range t[1:] {
			at := cell(m.Nodes[i], side)
			for c := range 2 {
				low[c], high[c] = min(low[c], at[c]), max(high[c], at[c])
			}
		}
		for r := low[0]; r <= high[0]; r++ {
			for c := low[1]; c <= high[1]; c++ {
				over[[2]int{r, c}] = append(over[[2]int{r, c}], k)
			}
		}
	}
	return over
}

// cell returns the square of a side that holds a place.
func cell(p [2]float64, side float64) [2]int {
	return [2]int{int(math.Floor(p[0] / side)), int(math.Floor(p[1] / side))}
}

// nearest returns the nearest node of a triangle of the domain.
func (m *Mesh) nearest(p [2]float64) (node int, distance float64) {
	distance = math.Inf(1)
	for k, t := range m.Triangles {
		if !m.inside(k) {
			continue
		}
		for _, i := range t {
			if d := math.Hypot(p[0]-m.Nodes[i][0], p[1]-m.Nodes[i][1]); d < distance {
				node, distance = i, d
			}
		}
	}
	return node, distance
}
