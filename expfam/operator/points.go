package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// Points are values of a field at places between the centres of cells, such as the places of surveys. A point lies
// between four centres. It is u cells from the column of centres before it, and v cells from the row of centres before
// it. The weights of the four centres are bilinear,
//
//	(1−u)(1−v), u(1−v), (1−u)v, uv.
//
// Within half a cell of the edge of the grid the weights go to the nearest centres. Do
// not change the fields after the first use.
type Points struct {
	Grid grid.Grid
	// X and Y are the places, one for each datum, in the coordinates of the grid's axes.
	X, Y []float64
	// Shore allows points near cells outside of the domain, such as the sea. The weights of the centres inside the
	// domain are then scaled to sum to 1. Default: such points are refused.
	Shore bool

	built
}

func (o *Points) String() string {
	return fmt.Sprintf("%d points on %s", len(o.X), size(o.Grid.Rows, o.Grid.Cols))
}

func (o *Points) build() (*sparse.Matrix, error) {
	if err := o.Grid.Check(); err != nil {
		return nil, fmt.Errorf("operator: points: %w", err)
	}
	if len(o.X) != len(o.Y) || len(o.X) == 0 {
		return nil, fmt.Errorf("operator: points with %d X and %d Y; give one of each for every point, and at "+
			"least one point", len(o.X), len(o.Y))
	}
	refused, first := 0, ""
	refuse := func(k int, why string) {
		if refused++; refused == 1 {
			first = fmt.Sprintf("point %d at (%g, %g) %s", k, o.X[k], o.Y[k], why)
		}
	}
	ax, ay := o.Grid.Axes()
	rows := make([][]weight, len(o.X))
	for k := range rows {
		if _, on := o.Grid.Locate(o.X[k], o.Y[k]); !on {
			refuse(k, "is outside of the grid, "+o.extent())
			continue
		}
		c, u := between((o.X[k]-ax.First)/ax.Step, o.Grid.Cols)
		r, v := between((o.Y[k]-ay.First)/ay.Step, o.Grid.Rows)
		var sum float64
		corners := 0
		for _, w := range []struct {
			r, c   int
			weight float64
		}{{r, c, (1 - u) * (1 - v)}, {r, c + 1, u * (1 - v)}, {r + 1, c, (1 - u) * v}, {r + 1, c + 1, u * v}} {
			if w.weight == 0 {
				continue
			}
			j := o.Grid.Index(w.r, w.c)
			if !o.Grid.Inside(j) && !o.Shore && w.weight < rounding {
				continue // the point lies on a centre of the domain, or on the line between two of them
			}
			corners++
			if o.Grid.Inside(j) {
				rows[k] = append(rows[k], weight{j, w.weight})
				sum += w.weight
			}
		}
		switch {
		case len(rows[k]) == 0:
			refuse(k, fmt.Sprintf("is outside of the domain, with all of the %d centres around it", corners))
		case len(rows[k]) < corners && !o.Shore:
			refuse(k, fmt.Sprintf("has %d of the %d centres around it outside of the domain; move it inland, or "+
				"set Shore", corners-len(rows[k]), corners))
		case len(rows[k]) < corners:
			for i := range rows[k] {
				rows[k][i].value /= sum
			}
		}
	}
	if refused > 1 {
		first += fmt.Sprintf(" (and %d more points)", refused-1)
	}
	if refused > 0 {
		return nil, fmt.Errorf("operator: %s", first)
	}
	return sparse.New(len(rows), o.Grid.Len(), each(rows)), nil
}

// rounding is the largest weight that a centre gets by rounding of coordinates alone.
const rounding = 1e-9

// between returns the last of n centres at or before a place, and the share of the way from it to
// the next centre. The share is 0 before the first and after the last centre.
func between(at float64, n int) (first int, share float64) {
	at = min(max(at, 0), float64(n-1))
	floor := math.Floor(at)
	return int(floor), at - floor
}

// extent says in words where the grid lies.
func (o *Points) extent() string {
	ax, ay := o.Grid.Axes()
	side := func(a grid.Axis, n int) (low, high float64) {
		first, last := a.First-a.Step/2, a.First+(float64(n)-0.5)*a.Step
		return min(first, last), max(first, last)
	}
	west, east := side(ax, o.Grid.Cols)
	south, north := side(ay, o.Grid.Rows)
	return fmt.Sprintf("which is %g ≤ x ≤ %g, %g ≤ y ≤ %g", west, east, south, north)
}

// Check refuses points outside of the grid or the domain.
func (o *Points) Check() error { return o.check(o, o.build) }

func (o *Points) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Points) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Points) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Points) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Points) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Points) Fingerprint() string { return fingerprint(o) }
