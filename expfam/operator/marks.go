package operator

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/nodata"
)

// unmarked refuses a number that files use for missing values, and that lies far from all others. place names the place
// of values[k].
func unmarked(values []float64, place func(k int) string) error {
	mark, found := nodata.Among(values)
	if !found {
		return nil
	}
	return fmt.Errorf("operator: %s is %g, far from all others: files use it for missing values; leave its "+
		"datum or cell out, or give it a value; if it was measured, rescale all of these numbers",
		place(slices.Index(values, mark)), mark)
}

// weightOf names the weight of a cell.
func weightOf(cell int) string { return fmt.Sprintf("the weight of cell %d", cell) }

// used returns the weights of the cells that are in areas, and NaN for all others.
func used(weights []float64, areas [][]weight) []float64 {
	own := make([]float64, len(weights))
	for j := range own {
		own[j] = math.NaN()
	}
	for _, cells := range areas {
		for _, w := range cells {
			own[w.cell] = weights[w.cell]
		}
	}
	return own
}
