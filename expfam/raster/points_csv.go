package raster

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// PointsCSV reads points: columns x and y and, if there is one, weight. The first line
// names the columns, or the last line above the numbers that begins with #, as numpy.savetxt writes it. If there are
// only numbers, two or three columns are taken in this order, and more are refused.
type PointsCSV struct {
	// X, Y and Weight name the columns, in upper or lower case. Default "x", "y" and
	// "weight". The default column of weights may be missing; every point then counts once.
	X, Y, Weight string
	// Comma separates the columns, and Decimal is the decimal mark. Default: as in [CSV].
	Comma, Decimal rune
}

// Read reads the points in a file. It is an error if there are none.
func (o PointsCSV) Read(path string) ([]grid.Point, error) { return open(path, o.decode) }

func (o PointsCSV) decode(r io.Reader) ([]grid.Point, error) {
	var points []grid.Point
	var columns []int // the indices of x, y and, if there is one, weight
	wide := 0         // cells of the first line
	err := records(r, o.Comma, o.Decimal, func(line int, record []string, t *tabular.Reader) error {
		if columns == nil {
			wide = len(record)
			var header bool
			var err error
			if columns, header, err = o.columns(record, line, t); err != nil || header {
				return err
			}
		}
		if n := len(record); n < wide || slices.ContainsFunc(record[wide:],
			func(s string) bool { return strings.TrimSpace(s) != "" }) {
			return fmt.Errorf("csv: line %d has %d columns, the first line %d; give every line as many, and a "+
				"column of row names a name", line, n, wide)
		}
		values := [3]float64{2: 1}
		for k, c := range columns {
			if c >= len(record) {
				return fmt.Errorf("csv: line %d has %d columns; column %d is needed", line, len(record), c+1)
			}
			v, ok := t.Numbers.Cell(record[c], line, c+1)
			if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("csv: line %d, column %d: %q is no finite number; leave out points without a place",
					line, c+1, record[c])
			}
			values[k] = v
		}
		if values[2] < 0 {
			return fmt.Errorf("csv: line %d: the weight is %g; it must not be negative", line, values[2])
		}
		points = append(points, grid.Point{X: values[0], Y: values[1], Weight: values[2]})
		return nil
	})
	if err == nil && len(points) == 0 {
		err = errors.New("csv: there are no points; a file that was cut would be a map of zeros")
	}
	return points, err
}

// columns returns the indices of x, y and weight, and reports whether the first record is a header.
func (o PointsCSV) columns(first []string, line int, t *tabular.Reader) (columns []int, header bool, err error) {
	named := o.X != "" || o.Y != "" || o.Weight != ""
	numbers := t.Plain(first) && !slices.ContainsFunc(first, func(s string) bool { return strings.TrimSpace(s) == "" })
	if numbers && !named && t.Above == nil && len(first) > 3 {
		return nil, false, fmt.Errorf("csv: line %d has %d numbers, and no line above names them; name the columns in "+
			"the first line, or leave only x, y and the weight", line, len(first))
	}
	if numbers && !named && t.Above == nil {
		return []int{0, 1, 2}[:max(2, min(3, len(first)))], false, nil
	}
	names := first
	if header = !numbers || t.Above == nil; !header {
		names, line = t.Above, t.AboveLine
	}
	for _, c := range []struct {
		name, fallback string
		optional       bool
	}{{o.X, "x", false}, {o.Y, "y", false}, {o.Weight, "weight", o.Weight == ""}} {
		name := cmp.Or(c.name, c.fallback)
		at, err := columnOf(names, name)
		if err != nil {
			return nil, false, err
		}
		if at < 0 && !c.optional {
			return nil, false, fmt.Errorf("csv: line %d has no column %q but %q; name the columns in PointsCSV", line,
				name, names)
		}
		if at >= 0 {
			columns = append(columns, at)
		}
	}
	return columns, header, nil
}
