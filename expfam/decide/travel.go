package decide

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
)

// Travel says what it costs to add a survey in a cell to those that are chosen already.
type Travel interface {
	Cost(chosen []int, cell int) float64
}

// Trip is a [Travel] from a base: a survey costs Fixed, and PerUnit for each unit of the distance to the base or to the
// nearest cell that is chosen already. On a sphere the distance is that of the great circle in the unit of the radius.
type Trip struct {
	Grid           grid.Grid
	Base           int     // a cell
	Fixed, PerUnit float64 // costs
}

// Check refuses an impossible grid, and a base that is no cell of it.
func (t Trip) Check() error {
	if err := t.Grid.Check(); err != nil {
		return fmt.Errorf("decide: trip: %w", err)
	}
	if t.Base < 0 || t.Base >= t.Grid.Len() {
		return fmt.Errorf("decide: trip: the base is cell %d of a Grid of %d; give a cell, from 0 on", t.Base,
			t.Grid.Len())
	}
	return nil
}

// Cost implements [Travel]. It is NaN, which [Survey.Batch] refuses, if the grid has no such cell.
func (t Trip) Cost(chosen []int, cell int) float64 {
	if cell >= t.Grid.Len() {
		return math.NaN()
	}
	nearest := t.distance(t.Base, cell)
	for _, j := range chosen {
		nearest = min(nearest, t.distance(j, cell))
	}
	return t.Fixed + t.PerUnit*nearest
}

func (t Trip) distance(a, b int) float64 {
	x0, y0 := t.Grid.Centre(a)
	x1, y1 := t.Grid.Centre(b)
	if t.Grid.Radius == 0 {
		return math.Hypot(x1-x0, y1-y0)
	}
	const radian = math.Pi / 180
	north, east := math.Sin((y1-y0)*radian/2), math.Sin((x1-x0)*radian/2)
	h := north*north + math.Cos(y0*radian)*math.Cos(y1*radian)*east*east // the haversine of the angle
	return 2 * t.Grid.Radius * math.Asin(min(1, math.Sqrt(h)))
}
