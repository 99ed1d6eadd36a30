package viz

import (
	"fmt"
	"math"
	"slices"
)

// decimals returns the format of a column that has none. All rows get the same number of decimals, which shows four
// significant digits of the median number and at least two of the smallest. decimals returns "" for whole numbers and
// for numbers of very different sizes, which are formatted one by one.
func (t Table) decimals(column int) string {
	var sizes []float64
	fractions := false
	for _, row := range t.Rows {
		f, ok := float(row[column])
		if !ok || !finite(f) || f == 0 {
			continue
		}
		sizes = append(sizes, math.Abs(f))
		fractions = fractions || f != math.Trunc(f)
	}
	if !fractions {
		return ""
	}
	slices.Sort(sizes)
	smallest, middle, largest := sizes[0], sizes[len(sizes)/2], sizes[len(sizes)-1]
	if smallest < 1e-6 || largest >= 1e7 || largest/smallest > 1e5 {
		return ""
	}
	digits := max(3-exponent(middle), 1-exponent(smallest), 0)
	// Drop decimals that are zero in all rows.
	for ; digits > 0; digits-- {
		scale := math.Pow(10, float64(digits-1))
		if slices.ContainsFunc(sizes, func(v float64) bool {
			return math.Abs(
				math.Round(v*scale)/scale-v) > 0.05/scale
		}) {
			break
		}
	}
	return fmt.Sprintf("%%.%df", digits)
}

// exponent returns the decimal exponent of the first digit of v.
func exponent(v float64) int { return int(math.Floor(math.Log10(v) + 1e-12)) }
