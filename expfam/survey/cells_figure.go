package survey

import (
	"math"

	"github.com/expfam/lab/expfam/grid"
)

// Dims, X, Y and Z make the cells a view of the empirical prevalence on the map, as [Cells.Rate] is, for figures. Z is
// NaN where there is no survey.
func (c *Cells) Dims() (cols, rows int) { return c.places().Dims() }

// X returns the coordinate of a column of cells.
func (c *Cells) X(col int) float64 { return c.places().X(col) }

// Y returns the coordinate of a row of cells, counted from below.
func (c *Cells) Y(row int) float64 { return c.places().Y(row) }

// Index returns the position in Examined of the cell at (X(col), Y(row)).
func (c *Cells) Index(col, row int) int { return c.places().Index(col, row) }

// places is the grid of the map, as a field without values.
func (c *Cells) places() grid.Field { return grid.Field{Grid: c.Map.Grid} }

// Z returns the positives over the number examined at (X(col), Y(row)).
func (c *Cells) Z(col, row int) float64 {
	j := c.Index(col, row)
	if c.Examined[j] == 0 {
		return math.NaN()
	}
	return c.Positive[j] / c.Examined[j]
}

// NotMapped reports for each cell whether it is outside of the map, such as the sea.
func (c *Cells) NotMapped() []bool {
	out := make([]bool, len(c.Examined))
	for j := range out {
		out[j] = !c.Map.Grid.Inside(j)
	}
	return out
}

// Quantity names what Z returns.
func (c *Cells) Quantity() string { return "Prevalence" }

// Unseen is the word for a cell without a survey.
func (c *Cells) Unseen() string { return "no survey" }
