package mesh

import (
	"maps"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/latent"
)

// Domain is where a [Matern] field lives: a [Mesh] or a [Lattice].
type Domain interface {
	String() string
	Check() error
	Dim() int // number of cells of the field
	// size returns the distance of neighbours and the diagonal of the domain.
	size() (edge, diagonal float64)
	// elements returns the matrices of the field's equation. Weights are 1 in the domain and fraction² outside of it.
	elements(fraction float64) elements
	// rows returns the nodes of each cell.
	rows() [][]latent.Entry
}

// elements are the matrices of a stochastic partial differential equation on nodes, with weights w of the elements:
//
//	C = diag(Σ_k ∫_k φᵢ),  D = diag(Σ_k w_k ∫_k φᵢ),  G = (Σ_k w_k ∫_k ∇φᵢ·∇φⱼ).
type elements struct {
	mass, weighted []float64         // the diagonals of C and D
	stiff          []map[int]float64 // the rows of G
}

func newElements(nodes int) elements {
	e := elements{make([]float64, nodes), make([]float64, nodes), make([]map[int]float64, nodes)}
	for i := range e.stiff {
		e.stiff[i] = map[int]float64{}
	}
	return e
}

// element adds the mass of an element of weight w to node i.
func (e elements) element(i int, mass, w float64) {
	e.mass[i] += mass
	e.weighted[i] += w * mass
}

// pull adds v to the entries (i, j) and (j, i) of G.
func (e elements) pull(i, j int, v float64) {
	if e.stiff[i][j] += v; i != j {
		e.stiff[j][i] += v
	}
}

// terms returns C D⁻¹C, C D⁻¹G + G D⁻¹C, G D⁻¹G, C and G.
func (e elements) terms() (constant, cross, square, mass, stiff latent.Term) {
	for i, row := range e.stiff {
		d := e.mass[i] / e.weighted[i]
		constant = append(constant, latent.Value{Row: i, Col: i, Value: e.mass[i] * d})
		mass = append(mass, latent.Value{Row: i, Col: i, Value: e.mass[i]})
		columns := slices.Sorted(maps.Keys(row))
		for _, j := range columns {
			if j > i {
				break
			}
			stiff = append(stiff, latent.Value{Row: i, Col: j, Value: row[j]})
			cross = append(cross, latent.Value{Row: i, Col: j, Value: (d + e.mass[j]/e.weighted[j]) * row[j]})
		}
		for a, j := range columns { // row i of G is also its column
			for _, k := range columns[:a+1] {
				square = append(square, latent.Value{Row: j, Col: k, Value: row[j] * row[k] / e.weighted[i]})
			}
		}
	}
	return constant, cross, square, mass, stiff
}

// elements implements [Domain] by linear functions φ on triangles.
func (m *Mesh) elements(fraction float64) elements {
	e := newElements(m.Dim())
	for k, t := range m.Triangles {
		w := 1.0
		if !m.inside(k) {
			w = fraction * fraction
		}
		var side [3][2]float64 // opposite to each corner
		for c := range 3 {
			p, q := m.Nodes[t[(c+1)%3]], m.Nodes[t[(c+2)%3]]
			side[c] = [2]float64{q[0] - p[0], q[1] - p[1]}
		}
		area := math.Abs(side[0][0]*side[1][1]-side[0][1]*side[1][0]) / 2
		for a := range 3 {
			e.element(t[a], area/3, w)
			for b := range a + 1 {
				e.pull(t[a], t[b], w*(side[a][0]*side[b][0]+side[a][1]*side[b][1])/(4*area))
			}
		}
	}
	return e
}

// rows implements [Domain]: the cells are the nodes.
func (m *Mesh) rows() [][]latent.Entry {
	rows := make([][]latent.Entry, m.Dim())
	for i := range rows {
		rows[i] = []latent.Entry{{Node: i, Weight: 1}}
	}
	return rows
}
