package grid

import (
	"fmt"
	"math"
	"regexp"
)

// total is a cell that names the sum of the rows above.
var total = regexp.MustCompile(`(?i)^\s*(?:(?:grand |sub)?totals?|sum|overall|all|gesamt|insgesamt|summe|ensemble|totaux|` +
	`totale|suma|soma)\s*:?\s*$`)

// checkTotal refuses a column whose last value is in a row that is named as the sum of the others, and is their sum.
// line is the number of that row, and name its name.
func checkTotal(values []float64, line int, name string) error {
	n, sum := 0, 0.0
	for _, v := range values[:max(0, len(values)-1)] {
		if !math.IsNaN(v) {
			n, sum = n+1, sum+v
		}
	}
	if name == "" || n < 2 || math.Abs(sum-values[len(values)-1]) > 1e-6*math.Abs(sum) {
		return nil
	}
	return fmt.Errorf("csv: line %d, %q, is the sum of the lines above, %g; remove it, because a column has a value for "+
		"each line", line, name, sum)
}
