package mesh

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
)

// Outline makes a mesh around a coast or places. Nodes stand at the distance Edge along the coast and in a lattice of
// equilateral triangles elsewhere, also in a band of the width Margin around all. The triangulation is Delaunay's.
type Outline struct {
	// Rings are closed rings around the domain and around its holes: a place lies in the domain if it is inside of an
	// odd number of rings. Triangles whose centre lies elsewhere are Outside. Default: the whole mesh is the domain.
	Rings [][][2]float64
	// Places must lie in the mesh, such as places of surveys. They need no node.
	Places [][2]float64
	Edge   float64 // default: a thirtieth of the longer side of the box around rings and places
	Margin float64 // default: a quarter of that side
}

// mostNodes is the largest number of nodes of a mesh.
const mostNodes = 200_000

// Mesh returns the mesh.
func (o Outline) Mesh() (*Mesh, error) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, ring := range append(slices.Clone(o.Rings), o.Places) {
		for _, p := range ring {
			for c, v := range p {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("mesh: the outline has a place at %v; coordinates must be finite", p)
				}
				low[c], high[c] = math.Min(low[c], v), math.Max(high[c], v)
			}
		}
	}
	side := max(high[0]-low[0], high[1]-low[1])
	if !(side > 0) {
		return nil, errors.New("mesh: the outline has no extent; give Rings, or Places that differ")
	}
	edge, margin := cmp.Or(o.Edge, side/30), cmp.Or(o.Margin, side/4)
	if !(edge > 0) || !(margin >= 0) || math.IsInf(edge+margin, 0) {
		return nil, fmt.Errorf("mesh: the outline has the Edge %g and the Margin %g; both are positive", edge, margin)
	}
	down := edge * math.Sqrt(3) / 2
	band := math.Ceil(margin/edge)*edge + edge
	across := func(c int, step float64) float64 { return math.Ceil((high[c]-low[c]+2*band)/step) + 1 }
	if n := across(0, edge) * across(1, down); n > mostNodes {
		return nil, fmt.Errorf("mesh: edges of %g make about %.3g nodes; take longer ones for at most %d", edge, n,
			mostNodes)
	}

	near := buckets{edge, map[[2]int][][2]float64{}}
	var nodes [][2]float64
	put := func(p [2]float64, distance float64) {
		if !near.within(p, distance) {
			near.put(p)
			nodes = append(nodes, p)
		}
	}
	for _, ring := range o.Rings {
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			pieces := math.Max(1, math.Round(math.Hypot(q[0]-p[0], q[1]-p[1])/edge))
			for u := range int(pieces) {
				s := float64(u) / pieces
				put([2]float64{p[0] + s*(q[0]-p[0]), p[1] + s*(q[1]-p[1])}, 0.5*edge)
			}
		}
	}
	rng := expfam.Stream(1, "mesh") // shaken by a hundredth, so that no four nodes lie on a circle
	for r := range int(across(1, down)) {
		for c := range int(across(0, edge)) {
			x := low[0] - band + edge*(float64(c)+0.5*float64(r%2)+0.02*(rng.Float64()-0.5))
			put([2]float64{x, low[1] - band + down*(float64(r)+0.02*(rng.Float64()-0.5))}, 0.6*edge)
		}
	}

	m := &Mesh{Nodes: nodes, Triangles: delaunay(nodes)}
	m.trim()
	if o.Rings != nil {
		for _, t := range m.Triangles {
			a, b, c := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]]
			m.Outside = append(m.Outside, !o.holds((a[0]+b[0]+c[0])/3, (a[1]+b[1]+c[1])/3))
		}
	}
	return m, m.Check()
}

// holds reports whether a place is inside of an odd number of rings.
func (o Outline) holds(x, y float64) (odd bool) {
	for _, ring := range o.Rings {
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			if p[1] > y != (q[1] > y) && x < p[0]+(y-p[1])/(q[1]-p[1])*(q[0]-p[0]) {
				odd = !odd
			}
		}
	}
	return odd
}

// trim takes flat triangles off the hull, and then nodes that are in no triangle.
func (m *Mesh) trim() {
	for trimmed := true; trimmed; {
		edges := map[[2]int]int{}
		each := func(t [3]int, visit func(e [2]int)) {
			for c := range 3 {
				a, b := t[c], t[(c+1)%3]
				visit([2]int{min(a, b), max(a, b)})
			}
		}
		for _, t := range m.Triangles {
			each(t, func(e [2]int) { edges[e]++ })
		}
		before := len(m.Triangles)
		m.Triangles = slices.DeleteFunc(m.Triangles, func(t [3]int) bool {
			hull := false
			each(t, func(e [2]int) { hull = hull || edges[e] == 1 })
			angle, _ := m.angle(t)
			return hull && angle < 2*leastAngle
		})
		trimmed = len(m.Triangles) < before
	}
	number := map[int]int{}
	var nodes [][2]float64
	for k, t := range m.Triangles {
		for c, i := range t {
			if _, known := number[i]; !known {
				number[i] = len(nodes)
				nodes = append(nodes, m.Nodes[i])
			}
			m.Triangles[k][c] = number[i]
		}
	}
	m.Nodes = nodes
}

// buckets finds places that are near to each other. Side is the side of a bucket.
type buckets struct {
	side float64
	of   map[[2]int][][2]float64
}

func (b buckets) put(p [2]float64) { b.of[cell(p, b.side)] = append(b.of[cell(p, b.side)], p) }

// within reports whether a place was put within a distance of at most side.
func (b buckets) within(p [2]float64, distance float64) bool {
	k := cell(p, b.side)
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, q := range b.of[[2]int{k[0] + dx, k[1] + dy}] {
				if math.Hypot(p[0]-q[0], p[1]-q[1]) < distance {
					return true
				}
			}
		}
	}
	return false
}
