package mesh

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/expfam/lab/expfam/store"
)

// Mesh is a triangulation of a part of the plane. [Outline] makes meshes of a coast or of places; those of other
// programs, such as fmesher and Gmsh, are given by their nodes and triangles. Do not change a Mesh after the first use.
type Mesh struct {
	Nodes     [][2]float64
	Triangles [][3]int // nodes of each triangle, counted from 0, in either orientation
	// Outside marks triangles that don't belong to the domain, such as land in a study of fish. Default none.
	Outside []bool
	// Parts is the number of parts that share no node, which are independent. Default 1.
	Parts int

	once, sized    sync.Once
	err            error
	edge, diagonal float64 // see size
}

// leastAngle is the least angle of a triangle in degrees. The error of linear elements grows as the inverse of it.
const leastAngle = 5

// Check refuses triangles of impossible nodes, slivers, nodes that stand twice or in no triangle, edges of more than
// two triangles, and more separate parts than Parts.
func (m *Mesh) Check() error {
	if m == nil {
		return errors.New("mesh: there is no mesh; Outline makes one")
	}
	m.once.Do(func() { m.err = m.check() })
	return m.err
}

func (m *Mesh) check() error {
	if len(m.Triangles) == 0 {
		return fmt.Errorf("mesh: %d nodes and no triangles; Outline makes triangles", len(m.Nodes))
	}
	if len(m.Nodes) > mostNodes {
		return fmt.Errorf("mesh: %d nodes; take longer edges for at most %d", len(m.Nodes), mostNodes)
	}
	if m.Outside != nil && len(m.Outside) != len(m.Triangles) {
		return fmt.Errorf("mesh: Outside has %d values for %d triangles; give one for each", len(m.Outside),
			len(m.Triangles))
	}
	first := map[[2]float64]int{}
	for i, p := range m.Nodes {
		if s := p[0] + p[1]; math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("mesh: node %d is at %v; coordinates must be finite", i, p)
		}
		if j, twice := first[p]; twice {
			return fmt.Errorf("mesh: nodes %d and %d are both at (%g, %g); join them, or the mesh is cut there", j, i,
				p[0], p[1])
		}
		first[p] = i
	}
	edges, root := map[[2]int]int{}, make([]int, len(m.Nodes))
	for i := range root {
		root[i] = -1 // in no triangle
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for k, t := range m.Triangles {
		for _, i := range t {
			if i < 0 || i >= len(m.Nodes) {
				return fmt.Errorf("mesh: triangle %d has the node %d of %d; count nodes from 0", k, i, len(m.Nodes))
			}
			if root[i] < 0 {
				root[i] = i
			}
		}
		angle, corner := m.angle(t)
		if !(angle >= leastAngle) {
			return fmt.Errorf("mesh: triangle %d has an angle of %.2g degrees at node %d; join nodes that are too "+
				"near to each other, so that no angle is below %d degrees", k, angle, t[corner], leastAngle)
		}
		for c := range 3 {
			a, b := t[c], t[(c+1)%3]
			root[find(a)] = find(b)
			e := [2]int{min(a, b), max(a, b)}
			if edges[e]++; edges[e] > 2 {
				return fmt.Errorf("mesh: triangle %d is the third at the edge of nodes %d and %d; leave one out", k, a,
					b)
			}
		}
	}
	if i := slices.Index(root, -1); i >= 0 {
		return fmt.Errorf("mesh: node %d is in no triangle; leave it out", i)
	}
	var parts []int
	for i := range root {
		if r := find(i); !slices.Contains(parts, r) {
			parts = append(parts, r)
		}
	}
	if want := max(1, m.Parts); len(parts) != want {
		return fmt.Errorf("mesh: the triangles fall into %d parts that share no node, such as those of nodes %v; give "+
			"Parts: %d if they are to be independent, or else join them", len(parts), parts[:min(3, len(parts))],
			len(parts))
	}
	return nil
}

// angle returns the smallest angle of a triangle in degrees, and its corner.
func (m *Mesh) angle(t [3]int) (least float64, corner int) {
	least = math.Inf(1)
	for c := range 3 {
		p, q, r := m.Nodes[t[c]], m.Nodes[t[(c+1)%3]], m.Nodes[t[(c+2)%3]]
		ax, ay, bx, by := q[0]-p[0], q[1]-p[1], r[0]-p[0], r[1]-p[1]
		if a := math.Atan2(math.Abs(ax*by-ay*bx), ax*bx+ay*by) * 180 / math.Pi; a < least {
			least, corner = a, c
		}
	}
	return least, corner
}

// inside reports whether a triangle belongs to the domain.
func (m *Mesh) inside(k int) bool { return m.Outside == nil || !m.Outside[k] }

// Dim returns the number of nodes.
func (m *Mesh) Dim() int { return len(m.Nodes) }

// String names the mesh with a hash of all of it.
func (m *Mesh) String() string {
	return fmt.Sprintf("mesh of %d nodes and %d triangles %.12s", len(m.Nodes), len(m.Triangles),
		store.Key(m.Nodes, m.Triangles, m.Outside))
}

// size returns the median length of edges, and the diagonal of the box around the nodes.
func (m *Mesh) size() (edge, diagonal float64) {
	m.sized.Do(m.measure)
	return m.edge, m.diagonal
}

func (m *Mesh) measure() {
	var lengths []float64
	low, high := m.Nodes[0], m.Nodes[0]
	for _, t := range m.Triangles {
		p, q := m.Nodes[t[0]], m.Nodes[t[1]]
		lengths = append(lengths, math.Hypot(q[0]-p[0], q[1]-p[1]))
	}
	for _, p := range m.Nodes {
		for c := range 2 {
			low[c], high[c] = math.Min(low[c], p[c]), math.Max(high[c], p[c])
		}
	}
	slices.Sort(lengths)
	m.edge, m.diagonal = lengths[len(lengths)/2], math.Hypot(high[0]-low[0], high[1]-low[1])
}
