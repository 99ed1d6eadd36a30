package grid

import "fmt"

// Point is an event at (X, Y) that counts Weight times.
type Point struct {
	X, Y, Weight float64
}

// Counts are the counts of points in the cells of a grid.
type Counts struct {
	// Values has, for every cell, the sum of the weights of its points.
	Values []float64
	// Counted is the number of points in cells of the domain, Beyond the number beyond
	// the edges of the grid, and Masked the number in cells outside of the domain.
	Counted, Beyond, Masked int
}

// String says where the points went.
func (c Counts) String() string {
	return fmt.Sprintf("%d points on the grid, %d beyond its edges, %d in cells outside of the domain", c.Counted,
		c.Beyond, c.Masked)
}

// Count counts the points in every cell.
func (g Grid) Count(points []Point) (Counts, error) {
	if err := g.Check(); err != nil {
		return Counts{}, err
	}
	n := Counts{Values: make([]float64, g.Len())}
	for _, p := range points {
		switch j, on := g.Locate(p.X, p.Y); {
		case !on:
			n.Beyond++
		case !g.Inside(j):
			n.Masked++
		default:
			n.Counted++
			n.Values[j] += p.Weight
		}
	}
	return n, nil
}
