package joint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// depth is how far the log evidence of a node may lie below that of the mode. Nodes beyond have less than e⁻⁸ of
	// its density.
	depth = 8
	// mostNodes bounds the number of nodes.
	mostNodes = 4000
)

// lattice has the nodes of the parameters: scores t = centre + basis z for whole numbers z, with the logarithm of the
// Laplace evidence times the prior of t at each of them.
type lattice struct {
	centre []float64
	basis  *mat.Dense // columns: the principal axes, a node long
	logs   map[[8]int]float64
	order  [][8]int // the nodes in the order in which they were found
	// split has the standard deviations of the density on both sides of each axis, in nodes, where a design of few
	// points takes the place of the nodes; else it is nil.
	split [][2]float64
}

// design finds the standard deviations on both sides of the axes, by the evidence at points on them.
func (l *lattice) design(top float64, evaluate func([][]float64) []float64) error {
	const off = 1.5 / spacing // nodes
	var points [][]float64
	for k := range l.centre {
		for _, by := range []float64{-off, off} {
			z := make([]float64, len(l.centre))
			z[k] = by
			points = append(points, l.at(z))
		}
	}
	l.logs[[8]int{}], l.order = top, [][8]int{{}}
	values := evaluate(points)
	for k := range l.centre {
		var sides [2]float64
		for s := range sides {
			drop := math.Max(top-values[2*k+s], 0.2)
			sides[s] = math.Min(math.Max(off/math.Sqrt(2*drop), 0.3/spacing), 3/spacing)
		}
		l.split = append(l.split, sides)
	}
	return nil
}

// at returns the scores at a point of the lattice.
func (l *lattice) at(z []float64) []float64 {
	t := append([]float64(nil), l.centre...)
	for k, v := range z {
		floats.AddScaled(t, v, mat.Col(nil, k, l.basis))
	}
	return t
}

// node returns the scores of a node.
func (l *lattice) node(z [8]int) []float64 {
	v := make([]float64, len(l.centre))
	for k := range v {
		v[k] = float64(z[k])
	}
	return l.at(v)
}

// nearest returns the node nearest to scores.
func (l *lattice) nearest(t []float64) (z [8]int) {
	diff := make([]float64, len(t))
	floats.SubTo(diff, t, l.centre)
	for k := range t {
		axis := mat.Col(nil, k, l.basis)
		z[k] = int(math.Round(floats.Dot(axis, diff) / floats.Dot(axis, axis)))
	}
	return z
}

// flood computes the evidence at the starts and at the neighbours of every node whose evidence is within depth of the
// best, a ring at a time.
func (l *lattice) flood(starts [][8]int, top float64, evaluate func([][]float64) []float64) error {
	for ring := starts; len(ring) > 0; {
		var fresh [][8]int
		var points [][]float64
		for _, z := range ring {
			if _, found := l.logs[z]; !found {
				l.logs[z] = math.Inf(-1)
				fresh, points = append(fresh, z), append(points, l.node(z))
			}
		}
		ring = nil
		for i, v := range evaluate(points) {
			if v < top-depth {
				continue // its logarithm stays −∞: it is known to be out
			}
			l.logs[fresh[i]] = v
			l.order = append(l.order, fresh[i])
			for k := range l.centre {
				for _, s := range []int{-1, 1} {
					z := fresh[i]
					z[k] += s
					ring = append(ring, z)
				}
			}
		}
		if len(l.order) > mostNodes {
			return fmt.Errorf("joint: the evidence of the parameters is spread over more than %d nodes; give some of "+
				"the parameters, or laws that say more", mostNodes)
		}
	}
	return nil
}
