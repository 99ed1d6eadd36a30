package raster

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// total is a cell that names a sum of other rows.
var total = regexp.MustCompile(`(?i)^\s*(?:(?:grand |sub|sub-)?totals?|sum|overall|all|gesamt|insgesamt|summe|ensemble|` +
	`totaux|totale|suma|soma)\s*:?\s*$`)

// totals are the rows of a column that are named as sums.
type totals map[int]struct {
	line int
	name string
}

// add looks at the record of the next value of a column.
func (t totals) add(record []string, value, line int) {
	if k := slices.IndexFunc(record, total.MatchString); k >= 0 {
		t[value] = struct {
			line int
			name string
		}{line, strings.TrimSpace(record[k])}
	}
}

// check refuses a column in which a row that is named as a sum is one: of all rows without such a name, of those above,
// or of those since the last sum.
func (t totals) check(values []float64) error {
	type sum struct {
		n int
		v float64
	}
	var all, above, since sum
	add := func(s *sum, v float64) {
		if !math.IsNaN(v) {
			s.n, s.v = s.n+1, s.v+v
		}
	}
	for i, v := range values {
		if _, named := t[i]; !named {
			add(&all, v)
		}
	}
	for i, v := range values {
		row, named := t[i]
		if !named {
			add(&above, v)
			add(&since, v)
			continue
		}
		for _, s := range []sum{all, above, since} {
			if s.n > 1 && math.Abs(s.v-v) <= 1e-6*math.Abs(s.v) {
				return fmt.Errorf("csv: line %d, %q, is the sum of other lines, %g; remove it, because a column has a "+
					"value for each line", row.line, row.name, v)
			}
		}
		since = sum{}
	}
	return nil
}
