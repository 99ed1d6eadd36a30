package grid

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

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

// CheckObservations refuses observations that do not fit the grid: another number of cells, terms that
// [expfam.Observations.Check] refuses, or data outside of the domain. It also refuses an impossible grid.
func (g Grid) CheckObservations(obs expfam.Observations) error {
	if err := g.Check(); err != nil {
		return err
	}
	if len(obs) != g.Len() {
		return fmt.Errorf("%d observed cells on a grid of %d by %d; give one term for each cell", len(obs), g.Rows,
			g.Cols)
	}
	if err := obs.Check(); err != nil {
		return err
	}
	for j, t := range obs {
		if !g.Inside(j) && t != (expfam.Term{}) {
			return fmt.Errorf("cell %d lies outside of the domain and has data; leave its term zero", j)
		}
	}
	return nil
}

// Areas returns |Sⱼ|, the area of every cell, which is its exposure. The unit is the square of the unit of the axes, or
// of Radius. The area is 0 outside of the domain. On a plane it is the product of the spacings. On a sphere of radius
// R, with longitude λ and latitude φ, it is R² Δλ (sin φ₂ − sin φ₁), where cells end at the poles.
func (g Grid) Areas() []float64 {
	x, y := g.Axes()
	area := make([]float64, g.Len())
	for j := range area {
		r, _ := g.Cell(j)
		switch {
		case !g.Inside(j):
		case g.Area != nil:
			area[j] = g.Area[j]
		case g.Radius != 0:
			south, north := y.At(r)-y.Step/2, y.At(r)+y.Step/2
			area[j] = g.Radius * g.Radius * radians(math.Abs(x.Step)) * math.Abs(sine(north)-sine(south))
		default:
			area[j] = math.Abs(x.Step * y.Step)
		}
	}
	return area
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// sine returns the sine of a latitude. Latitudes beyond a pole, such as the edge of a cell
// that is centred on a pole, are moved to the pole.
func sine(degrees float64) float64 { return math.Sin(radians(min(90, max(-90, degrees)))) }

func (g Grid) checkArea() error {
	if g.Area != nil && len(g.Area) != g.Len() {
		return fmt.Errorf("grid: Area has %d cells, the grid %d", len(g.Area), g.Len())
	}
	for j, a := range g.Area {
		if g.Inside(j) && (!(a > 0) || math.IsInf(a, 0)) {
			return fmt.Errorf("grid: cell %d: the area is %g; it must be positive, or the cell be Outside", j, a)
		}
	}
	if g.Radius < 0 || math.IsNaN(g.Radius) || math.IsInf(g.Radius, 0) {
		return fmt.Errorf("grid: the radius is %g; give the sphere's, or 0 for a plane", g.Radius)
	}
	if g.Radius == 0 {
		return nil
	}
	x, y := g.Axes()
	for _, r := range []int{0, g.Rows - 1} {
		if math.Abs(y.At(r)) > 90+1e-6 {
			return fmt.Errorf("grid: row %d is at latitude %g; with a Radius the Y axis is latitude in degrees", r,
				y.At(r))
		}
	}
	if turn := math.Abs(x.Step) * float64(g.Cols-1); turn > 360+1e-6 {
		return fmt.Errorf("grid: the columns span %g degrees of longitude; with a Radius the X axis is longitude "+
			"in degrees", turn)
	}
	return nil
}
