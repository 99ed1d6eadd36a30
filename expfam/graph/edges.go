package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/nearest"
)

// Edges returns the graph of n areas with the given pairs of neighbours. A pair may stand in one direction or in both.
func Edges(n int, pairs [][2]int) (*Neighbours, error) {
	g := &Neighbours{Of: make([][]int, max(n, 0))}
	found := map[[2]int]bool{}
	for k, p := range pairs {
		a, b := min(p[0], p[1]), max(p[0], p[1])
		if a < 0 || b >= n {
			return nil, fmt.Errorf("graph: pair %d is %d and %d; areas have the numbers 0 to %d", k, p[0], p[1], n-1)
		}
		if a == b {
			return nil, fmt.Errorf("graph: pair %d joins area %d with itself; leave it out", k, a)
		}
		if !found[[2]int{a, b}] {
			found[[2]int{a, b}] = true
			g.Of[a], g.Of[b] = append(g.Of[a], b), append(g.Of[b], a)
		}
	}
	return g.checked()
}

// NamedEdges returns the graph of the named areas with the given pairs of names. Areas without pairs are islands.
func NamedEdges(names []string, pairs [][2]string) (*Neighbours, error) {
	if err := distinct("areas", names); err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, name := range names {
		place[name] = i
	}
	numbers := make([][2]int, len(pairs))
	for k, p := range pairs {
		for s, name := range p {
			i, found := place[name]
			if !found {
				return nil, fmt.Errorf("graph: pair %d has %q, which is no area; the nearest names are %s", k, name,
					nearest.List(name, names, 3))
			}
			numbers[k][s] = i
		}
	}
	n, err := Edges(len(names), numbers)
	if err != nil {
		return nil, err
	}
	n.Names = append([]string(nil), names...)
	return n, nil
}

// Adjacent returns the graph of a symmetric matrix in which neighbours have the entry 1, as surveillance and spdep
// write it. Other entries are no neighbours: 0, and orders of neighbourhood from 2 on.
func Adjacent(names []string, m mat.Matrix) (*Neighbours, error) {
	rows, cols := m.Dims()
	if rows != cols || names != nil && len(names) != rows {
		return nil, fmt.Errorf("graph: a matrix of %d×%d with %d names; give a row, a column and a name for each area",
			rows, cols, len(names))
	}
	n := &Neighbours{Names: append([]string(nil), names...), Of: make([][]int, rows)}
	for i := range rows {
		for j := range cols {
			switch v := m.At(i, j); {
			case v == 1:
				n.Of[i] = append(n.Of[i], j)
			case v != float64(int(v)) || v < 0:
				return nil, fmt.Errorf("graph: row %d of the matrix has the entry %g in column %d; entries are 1 for "+
					"neighbours and 0 or whole orders from 2 on for others", i, v, j)
			}
		}
	}
	return n.checked()
}
