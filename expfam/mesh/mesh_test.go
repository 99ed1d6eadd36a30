package mesh_test

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/mesh"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// island is a square sea of the side 10 with a square island in the middle, whose corners are x and y of 4 and 6.
func island() [][][2]float64 {
	return [][][2]float64{{{0, 0}, {10, 0}, {10, 10}, {0, 10}}, {{4, 4}, {6, 4}, {6, 6}, {4, 6}}}
}

// area returns the area of a triangle.
func area(m *mesh.Mesh, k int) float64 {
	t := m.Triangles[k]
	a, b, c := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]]
	return math.Abs((b[0]-a[0])*(c[1]-a[1])-(b[1]-a[1])*(c[0]-a[0])) / 2
}

// TestOutline: triangles of the domain fill it, all triangles together cover the box without gap or overlap, and no
// angle is small.
func TestOutline(t *testing.T) {
	m := must.Get(mesh.Outline{Rings: island(), Edge: 0.5, Margin: 1}.Mesh())(t)
	var inside, all float64
	for k := range m.Triangles {
		if all += area(m, k); !m.Outside[k] {
			inside += area(m, k)
		}
	}
	t.Logf("%v: inside %.3f, all %.3f", m, inside, all)
	must.Be(t, math.Abs(inside-96) < 1e-9, "the sea has the area %g, and not 96", inside)
	// Euler's formula: a triangulation with n nodes, of which b are on the hull, has 2n − 2 − b triangles.
	edges := map[[2]int]int{}
	for _, tri := range m.Triangles {
		for c := range 3 {
			a, b := tri[c], tri[(c+1)%3]
			edges[[2]int{min(a, b), max(a, b)}]++
		}
	}
	hull := 0
	for _, n := range edges {
		if n == 1 {
			hull++
		}
	}
	want := 2*len(m.Nodes) - 2 - hull
	must.Be(t, len(m.Triangles) == want, "%d triangles of %d nodes, %d on the hull; Euler's formula has %d",
		len(m.Triangles), len(m.Nodes), hull, want)
	// The circle around no triangle holds a node.
	for _, tri := range m.Triangles {
		x, y, r := circumcircle(m.Nodes[tri[0]], m.Nodes[tri[1]], m.Nodes[tri[2]])
		for i, p := range m.Nodes {
			if math.Hypot(p[0]-x, p[1]-y) < r*(1-1e-9) {
				t.Fatalf("node %d lies in the circle around triangle %v", i, tri)
			}
		}
	}
}

func circumcircle(a, b, c [2]float64) (x, y, r float64) {
	d := 2 * (a[0]*(b[1]-c[1]) + b[0]*(c[1]-a[1]) + c[0]*(a[1]-b[1]))
	sq := func(p [2]float64) float64 { return p[0]*p[0] + p[1]*p[1] }
	x = (sq(a)*(b[1]-c[1]) + sq(b)*(c[1]-a[1]) + sq(c)*(a[1]-b[1])) / d
	y = (sq(a)*(c[0]-b[0]) + sq(b)*(a[0]-c[0]) + sq(c)*(b[0]-a[0])) / d
	return x, y, math.Hypot(a[0]-x, a[1]-y)
}

// TestOutlines: meshes of random coasts pass Check, whatever corners the coast has.
func TestOutlines(t *testing.T) {
	for seed := range fulltest.N(8, 60) {
		ring := coast(seed)
		m := must.Get(mesh.Outline{Rings: [][][2]float64{ring}, Edge: 0.2 + 0.01*float64(seed%17)}.Mesh())(t)
		var inside, want float64
		for k := range m.Triangles {
			if !m.Outside[k] {
				inside += area(m, k)
			}
		}
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			want += (p[0]*q[1] - p[1]*q[0]) / 2
		}
		if math.Abs(inside-want) > 0.12*want { // corners of a coast are nearer than the nodes
			t.Errorf("coast %d: the area is %.3f, and not %.3f", seed, inside, want)
		}
	}
}

// TestAt: a linear function at the nodes has its values at places between them.
func TestAt(t *testing.T) {
	m := must.Get(mesh.Outline{Rings: island(), Edge: 0.5}.Mesh())(t)
	x, y := []float64{1, 3.3, 9.99, 4}, []float64{2, 7.7, 0.01, 5}
	at := must.Get(m.At(x, y, 0))(t)
	for k := range x {
		var v, sum float64
		at.Row(k, func(i int, w float64) { v, sum = v+w*(3*m.Nodes[i][0]-m.Nodes[i][1]), sum+w })
		must.Be(t, math.Abs(v-3*x[k]+y[k]) < 1e-9 && math.Abs(sum-1) < 1e-12, "place %d: %g, weights %g", k, v, sum)
	}
	_, err := m.At([]float64{5, 1, 40}, []float64{5, 1, 1}, 0)
	says(t, err, "place 0 at (5, 5) is in a triangle Outside of the domain")
	says(t, err, "(and 1 more places)")
	_, err = m.At([]float64{1, 40}, []float64{1, 1}, 0.5)
	says(t, err, "place 1 at (40, 1) is off the mesh")
	shore := must.Get(m.At([]float64{4.2}, []float64{5}, 0.5))(t)
	shore.Row(0, func(i int, w float64) {
		must.Be(t, w == 1 && math.Abs(m.Nodes[i][0]-4) < 1e-9, "the shore's node is at %v", m.Nodes[i])
	})
}

// says fails unless the error has a text.
func says(t *testing.T, err error, want string) {
	t.Helper()
	must.Be(t, err != nil && strings.Contains(err.Error(), want), "the error is %v, and not %q", err, want)
}

// TestRefuses: what is wrong with a mesh is said in one sentence.
func TestRefuses(t *testing.T) {
	square := [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	two := [][3]int{{0, 1, 2}, {0, 2, 3}}
	with := func(more ...[2]float64) [][2]float64 { return append(square[:4:4], more...) }
	and := func(more [3]int) [][3]int { return append(two[:2:2], more) }
	far, other := with([2]float64{5, 0}, [2]float64{6, 0}, [2]float64{5, 1}), and([3]int{4, 5, 6})
	for want, m := range map[string]*mesh.Mesh{
		"no triangles":                           {Nodes: square},
		"there is no mesh":                       nil,
		"coordinates must be finite":             {Nodes: with([2]float64{0, math.NaN()}), Triangles: two},
		"has the node 7 of 4":                    {Nodes: square, Triangles: [][3]int{{0, 1, 7}}},
		"triangle 0 has an angle of 0.57":        {Nodes: [][2]float64{{0, 0}, {1, 0}, {1, 0.01}}, Triangles: two[:1]},
		"triangle 1 has an angle of 0 degrees":   {Nodes: square, Triangles: [][3]int{{0, 1, 2}, {0, 2, 2}}},
		"nodes 0 and 4 are both at (0, 0)":       {Nodes: with([2]float64{0, 0}), Triangles: two},
		"node 4 is in no triangle":               {Nodes: with([2]float64{0, 9}), Triangles: two},
		"triangle 2 is the third at the edge of": {Nodes: with([2]float64{2, 1}), Triangles: and([3]int{0, 2, 4})},
		"Outside has 1 values for 2 triangles":   {Nodes: square, Triangles: two, Outside: []bool{true}},
		"fall into 2 parts":                      {Nodes: far, Triangles: other},
	} {
		err := m.Check()
		says(t, err, want)
	}
	apart := &mesh.Mesh{Nodes: far, Triangles: other, Parts: 2}
	must.Do(t, apart.Check())
	for want, o := range map[string]mesh.Outline{
		"has no extent":       {},
		"finite":              {Places: [][2]float64{{0, math.Inf(1)}}},
		"both are positive":   {Rings: island(), Edge: -1},
		"edges of 1e-06 make": {Rings: island(), Edge: 1e-6},
	} {
		_, err := o.Mesh()
		says(t, err, want)
	}
	good := must.Get(mesh.Outline{Rings: island(), Edge: 1}.Mesh())(t)
	for want, p := range map[string]mesh.Matern{
		"has no domain":      {},
		"has a Range of -1":  {On: good, Range: -1},
		"is a constant":      {On: good, Range: 1e6},
		"a Fraction of 2":    {On: good, Fraction: 2},
		"no mesh":            {On: (*mesh.Mesh)(nil)},
		"has 2250000 nodes":  {On: mesh.Lattice{Grid: grid.Grid{Rows: 1000, Cols: 1000}}},
		"mesh: grid: 0 rows": {On: mesh.Lattice{}},
	} {
		err := p.Check()
		says(t, err, want)
	}
}
