package mesh

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/store"
)

// Lattice is the cells of a grid. Those outside of its domain, such as land, are cells too. The equation is solved by
// finite volumes: the flow between neighbours has the harmonic mean of their weights, so that a wall of one cell is a
// wall.
type Lattice struct {
	Grid grid.Grid
	// Margin is the number of rows and columns that are added around the grid, because the variance grows near the
	// edges. Default: a quarter of the longer side. Negative: none.
	Margin int
}

// Check refuses an impossible grid, and more nodes than a factor is computed of.
func (l Lattice) Check() error {
	if err := l.Grid.Check(); err != nil {
		return fmt.Errorf("mesh: %w", err)
	}
	if nodes := (l.Grid.Rows + 2*l.margin()) * (l.Grid.Cols + 2*l.margin()); nodes > mostNodes {
		return fmt.Errorf("mesh: a lattice of %d×%d cells has %d nodes with its margin of %d; take larger cells or a "+
			"smaller Margin for at most %d", l.Grid.Rows, l.Grid.Cols, nodes, l.margin(), mostNodes)
	}
	return nil
}

func (l Lattice) String() string {
	across, down := l.Grid.Spacing()
	return fmt.Sprintf("lattice of %d×%d cells of %g×%g, margin %d, %.12s", l.Grid.Rows, l.Grid.Cols, across, down,
		l.margin(), store.Key(l.Grid.Outside))
}

// Dim returns the number of cells of the grid.
func (l Lattice) Dim() int { return l.Grid.Len() }

// Lattice returns the sides of the grid.
func (l Lattice) Lattice() (rows, cols int) { return l.Grid.Rows, l.Grid.Cols }

func (l Lattice) margin() int {
	if l.Margin == 0 {
		return (max(l.Grid.Rows, l.Grid.Cols) + 3) / 4
	}
	return max(0, l.Margin)
}

func (l Lattice) size() (edge, diagonal float64) {
	across, down := l.Grid.Spacing()
	return math.Sqrt(across * down), math.Hypot(across*float64(l.Grid.Cols), down*float64(l.Grid.Rows))
}

// node returns the number of the node in row r and column c, which are counted from the grid's own.
func (l Lattice) node(r, c int) int {
	m := l.margin()
	return (r+m)*(l.Grid.Cols+2*m) + c + m
}

func (l Lattice) elements(fraction float64) elements {
	m := l.margin()
	across, down := l.Grid.Spacing()
	e := newElements((l.Grid.Rows + 2*m) * (l.Grid.Cols + 2*m))
	weight := func(r, c int) float64 {
		// The margin continues the cells of the edge.
		r, c = min(max(r, 0), l.Grid.Rows-1), min(max(c, 0), l.Grid.Cols-1)
		if l.Grid.Inside(l.Grid.Index(r, c)) {
			return 1
		}
		return fraction * fraction
	}
	flow := func(i, j int, v float64) {
		e.pull(i, i, v)
		e.pull(j, j, v)
		e.pull(i, j, -v)
	}
	for r := -m; r < l.Grid.Rows+m; r++ {
		for c := -m; c < l.Grid.Cols+m; c++ {
			w := weight(r, c)
			e.element(l.node(r, c), across*down, w)
			if c > -m {
				v := weight(r, c-1)
				flow(l.node(r, c), l.node(r, c-1), 2*w*v/(w+v)*down/across)
			}
			if r > -m {
				v := weight(r-1, c)
				flow(l.node(r, c), l.node(r-1, c), 2*w*v/(w+v)*across/down)
			}
		}
	}
	return e
}

func (l Lattice) rows() (rows [][]latent.Entry) {
	for j := range l.Dim() {
		r, c := l.Grid.Cell(j)
		rows = append(rows, []latent.Entry{{Node: l.node(r, c), Weight: 1}})
	}
	return rows
}
