package mesh_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/mesh"
	"github.com/expfam/lab/internal/must"
)

// domains are a mesh of about 200 nodes with an island, and a lattice of 12×14 cells with a wall.
func domains(t testing.TB) map[string]mesh.Domain {
	m := must.Get(mesh.Outline{Rings: island(), Edge: 1.25, Margin: 1.5}.Mesh())(t)
	g := grid.Grid{Rows: 12, Cols: 14, Outside: make([]bool, 12*14)}
	for r := range 9 {
		g.Outside[g.Index(r, 6)] = true
	}
	return map[string]mesh.Domain{"mesh": m, "lattice": mesh.Lattice{Grid: g, Margin: -1}}
}

// dense returns 2/(π r² sd²) A D⁻¹ A with A = C + r²/8 G by matrices of its own: gradients of the corners' functions by
// the inverse of a 3×3 matrix, and flows between cells of a lattice by resistances in a row.
func dense(t testing.TB, d mesh.Domain, share, length, sd float64) *mat.SymDense {
	n := d.Dim()
	a, weighted := mat.NewSymDense(n, nil), make([]float64, n)
	add := func(i, j int, v float64) { a.SetSym(i, j, a.At(i, j)+v) }
	switch d := d.(type) {
	case *mesh.Mesh:
		for k, tri := range d.Triangles {
			w := 1.0
			if d.Outside[k] {
				w = share * share
			}
			corners := mat.NewDense(3, 3, nil)
			for c, i := range tri {
				corners.SetRow(c, []float64{1, d.Nodes[i][0], d.Nodes[i][1]})
			}
			var inverse mat.Dense // column c has the coefficients of the function of corner c
			must.Do(t, inverse.Inverse(corners))
			size := math.Abs(mat.Det(corners)) / 2
			for c, i := range tri {
				add(i, i, size/3)
				weighted[i] += w * size / 3
				for e, j := range tri[:c+1] {
					add(i, j, w*length*length/8*size*(inverse.At(1, c)*inverse.At(1, e)+
						inverse.At(2, c)*inverse.At(2, e)))
				}
			}
		}
	case mesh.Lattice:
		w := func(i int) float64 {
			if d.Grid.Outside[i] {
				return share * share
			}
			return 1
		}
		for i := range n {
			r, c := d.Grid.Cell(i)
			add(i, i, 1)
			weighted[i] = w(i)
			for _, j := range []int{d.Grid.Index(r-1, c), i - 1} {
				if j < 0 || j == i-1 && c == 0 {
					continue
				}
				v := length * length / 8 / (0.5/w(i) + 0.5/w(j))
				add(i, i, v)
				add(j, j, v)
				add(i, j, -v)
			}
		}
	}
	var half, full mat.Dense
	half.CloneFrom(a)
	for i := range n {
		for j := range n {
			half.Set(i, j, half.At(i, j)/weighted[i])
		}
	}
	full.Mul(a, &half)
	q := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			q.SetSym(i, j, 2/(math.Pi*length*length*sd*sd)*full.At(i, j))
		}
	}
	return q
}

// TestPrecision: the sparse precision, its log determinant and the covariance of Given are those of dense matrices.
func TestPrecision(t *testing.T) {
	for name, d := range domains(t) {
		p := mesh.Matern{On: d, Barrier: true, Fraction: 0.2, Level: 2}
		f := must.Get(p.Sparse())(t)
		var first float64
		for k, at := range [][2]float64{{3, 0.7}, {8, 1.5}} {
			q := dense(t, d, 0.2, at[0], at[1])
			value := make([]float64, len(f.Pattern.Row))
			logDet := must.Get(f.Fill(at[:], value, nil))(t)
			var chol mat.Cholesky
			must.Be(t, chol.Factorize(q), "%s: the dense precision is singular", name)
			if d := logDet - chol.LogDet(); k == 0 {
				first = d
			} else {
				must.Absolute(t, name+": log determinant", d, first, 1e-7)
			}
			for j := range f.Pattern.N {
				for e := f.Pattern.Start[j]; e < f.Pattern.Start[j+1]; e++ {
					i := f.Pattern.Row[e]
					must.Absolute(t, fmt.Sprintf("%s: precision (%d, %d)", name, i, j), value[e], q.At(i, j),
						1e-10*q.At(j, j))
				}
			}
			var inverse mat.SymDense
			must.Do(t, chol.InverseTo(&inverse))
			mean, cov, err := p.Given(at[:])
			must.Do(t, err)
			for i := range mean {
				for j := range i + 1 {
					must.Absolute(t, fmt.Sprintf("%s: covariance (%d, %d)", name, i, j), cov.At(i, j),
						inverse.At(i, j), 1e-8*at[1]*at[1])
				}
			}
			must.Be(t, mean[3] == 2, "the mean is %g", mean[3])
		}
	}
}

// TestMatern: without a barrier the field is the Matérn field of smoothness 1 in the plane, whose range is twice the
// length of gp.Matern. With edges of the length h the error of the variance is of order h² log(1/h).
func TestMatern(t *testing.T) {
	const length = 4.2
	errors := map[string][]float64{}
	for _, edge := range []float64{1, 0.5} {
		m := must.Get(mesh.Outline{Places: [][2]float64{{0, 0}, {5, 5}}, Edge: edge, Margin: 4}.Mesh())(t)
		side := int(5 / edge)
		axis := grid.Axis{Step: edge}
		l := mesh.Lattice{Grid: grid.Grid{Rows: side, Cols: side, X: axis, Y: axis}, Margin: int(4 / edge)}
		for name, c := range map[string]struct {
			on mesh.Domain
			at func(i int) (x, y float64)
		}{
			"mesh":    {m, func(i int) (x, y float64) { return m.Nodes[i][0], m.Nodes[i][1] }},
			"lattice": {l, l.Grid.Centre},
		} {
			_, cov := must.Get2(mesh.Matern{On: c.on, Range: length, SD: 2}.Given(nil))(t)
			near := func(i int) float64 { x, y := c.at(i); return math.Hypot(x-2.5, y-2.5) }
			centre := 0
			for i := range c.on.Dim() {
				if near(i) < near(centre) {
					centre = i
				}
			}
			off := func(i int) float64 {
				x, y := c.at(i)
				u, v := c.at(centre)
				return cov.At(i, centre) - 4*gp.Matern{Smoothness: 1}.At(math.Hypot(x-u, y-v), length/2)
			}
			errors[name] = append(errors[name], off(centre)/4)
			for i := range c.on.Dim() {
				if near(i) < length && near(i) > edge {
					must.Absolute(t, fmt.Sprintf("%s: covariance of cell %d", name, i), off(i), 0, 0.04*4)
				}
			}
		}
	}
	for name, e := range errors {
		t.Logf("%s: the variance is off by %.3f with edges of a quarter of the range, and %.3f of an eighth", name,
			e[0], e[1])
		must.Be(t, e[0]/e[1] > 2 && e[0]/e[1] < 4.5 && e[1] < 0.07, "%s: errors of the variance %v", name, e)
	}
}

// TestBarrier: correlation across a wall is near 0, along it it is that of the field without the wall, and the standard
// deviation by the wall lies between SD and √2 SD.
func TestBarrier(t *testing.T) {
	// A strait of land from the bottom to near the top, 1 wide. Sea on both sides.
	sea := [][][2]float64{{{0, 0}, {5, 0}, {5, 9}, {6, 9}, {6, 0}, {11, 0}, {11, 12}, {0, 12}}}
	m := must.Get(mesh.Outline{Rings: sea, Edge: 0.5, Margin: 3}.Mesh())(t)
	node := func(x, y float64) (best int) {
		d := func(i int) float64 { return math.Hypot(m.Nodes[i][0]-x, m.Nodes[i][1]-y) }
		for i := range m.Nodes {
			if d(i) < d(best) {
				best = i
			}
		}
		return best
	}
	g := grid.Grid{Rows: 24, Cols: 22, X: grid.Axis{First: 0.25, Step: 0.5}, Y: grid.Axis{First: 0.25, Step: 0.5},
		Outside: make([]bool, 24*22)}
	for j := range g.Outside {
		x, y := g.Centre(j)
		g.Outside[j] = x > 5 && x < 6 && y < 9
	}
	cell := func(x, y float64) int { j, _ := g.Locate(x, y); return j }
	for name, c := range map[string]struct {
		on mesh.Domain
		at func(x, y float64) int
	}{"mesh": {m, node}, "lattice": {mesh.Lattice{Grid: g}, cell}} {
		_, with := must.Get2(mesh.Matern{On: c.on, Barrier: true, Range: 4, SD: 1}.Given(nil))(t)
		_, without := must.Get2(mesh.Matern{On: c.on, Range: 4, SD: 1}.Given(nil))(t)
		correlation := func(k *mat.SymDense, i, j int) float64 { return k.At(i, j) / math.Sqrt(k.At(i, i)*k.At(j, j)) }
		across, beyond := c.at(4.3, 3), c.at(6.7, 3)
		along, far := c.at(2.5, 4), c.at(2.5, 7)
		t.Logf("%s: across %.3f and %.3f without a wall; along %.3f and %.3f; sd by the wall %.3f", name,
			correlation(with, across, beyond), correlation(without, across, beyond), correlation(with, along, far),
			correlation(without, along, far), math.Sqrt(with.At(across, across)))
		must.Be(t, correlation(without, across, beyond) > 0.3 && math.Abs(correlation(with, across, beyond)) < 0.02,
			"%s: the correlation across the wall is %.3f, and %.3f without the wall", name,
			correlation(with, across, beyond), correlation(without, across, beyond))
		must.Absolute(t, name+": along the coast", correlation(with, along, far), correlation(without, along, far),
			0.05)
		// By a wall that reflects, the standard deviation is √2 SD.
		must.Absolute(t, name+": sd by the wall", math.Sqrt(with.At(across, across)), 1.2, 0.2)
	}
}
