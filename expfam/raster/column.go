package raster

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// Column reads one column of a table as a series: a field of one row, whose cells are
// the lines of the table in their order. Cells that are empty, NA or NaN have no value: they are outside, and NaN in
// the Values of the field. In a table of one column an empty line is an empty cell; empty lines at the end are left
// out. A line that is the sum of others is refused: one that is named so, such as Total, and the first or the last one
// by any name, if it is the sum of at least three others; and so is a mean of the others that is named so.
type Column struct {
	// Name is the name of the column in the first line, in upper or lower case. Default:
	// the column called count, counts, value, values or y, or the only column. Without a
	// Name the table may be one column without a header. The names may be in the last line above the numbers that
	// begins with #, as numpy.savetxt writes them. A line of HXL tags below the names is left out.
	Name string
	// Comma separates the columns, and Decimal is the decimal mark. Default: as in [CSV].
	Comma, Decimal rune
	// Totals keeps lines that are sums of others.
	Totals bool
}

// usual are the names that a column of values may have if no Name is given.
var usual = []string{"count", "counts", "value", "values", "y"}

// Read reads a file.
func (o Column) Read(path string) (grid.Field, error) { return open(path, o.decode) }

func (o Column) decode(r io.Reader) (grid.Field, error) {
	var values []float64
	at, columns := -1, 0
	sums := tabular.Totals{}
	err := records(r, o.Comma, o.Decimal, func(line int, record []string, t *tabular.Reader) error {
		if at < 0 {
			columns = len(record)
			at = 0
			if !t.Plain(record) || columns > 1 || o.Name != "" {
				var headed bool
				var err error
				if at, headed, err = o.header(record, t); err != nil || headed {
					return err
				}
			}
		}
		if len(record) != columns {
			return fmt.Errorf("csv: line %d has %d columns, the header has %d", line, len(record), columns)
		}
		v, err := number(t, record[at], line, at+1)
		if err != nil {
			return fmt.Errorf("csv: line %d, column %d: %q is no finite number; %w", line, at+1, record[at], err)
		}
		values = append(values, v)
		sums.Add(line, record, at, v)
		return nil
	})
	if err != nil {
		return grid.Field{}, err
	}
	if len(values) == 0 {
		return grid.Field{}, errors.New("csv: there are no values below the header")
	}
	if !slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) }) {
		return grid.Field{}, fmt.Errorf("csv: all %d cells of the column are empty", len(values))
	}
	if err := sums.Check(); err != nil && !o.Totals {
		return grid.Field{}, fmt.Errorf("csv: %w", err)
	}
	f, err := grid.Grid{Rows: 1, Cols: len(values)}.Field(values)
	if err != nil {
		return grid.Field{}, fmt.Errorf("csv: %w", err)
	}
	return f, nil
}

// columnOf returns the index of the column with a name, in upper or lower case and with accents as letters or as marks,
// or −1 if there is none. Two such
// columns are an error.
func columnOf(header []string, name string) (int, error) {
	at := -1
	for i, h := range header {
		switch {
		case !strings.EqualFold(tabular.Fold(h), tabular.Fold(name)):
		case at >= 0:
			return -1, fmt.Errorf("csv: columns %d and %d are both called %q; rename one of them", at+1, i+1,
				strings.TrimSpace(h))
		default:
			at = i
		}
	}
	return at, nil
}

// header returns the index of the column, and whether the first record has the names of columns. It has no names if
// those are in a line above that begins with #.
func (o Column) header(first []string, t *tabular.Reader) (at int, headed bool, err error) {
	at, err = o.find(first)
	if t.Above == nil || err == nil && !t.Plain(first) {
		return at, true, err
	}
	if other, inAbove := o.find(t.Above); inAbove == nil || err != nil && t.Plain(first) {
		return other, false, inAbove
	}
	return at, true, err
}

// find returns the index of the column in the header.
func (o Column) find(header []string) (int, error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.TrimSpace(h)
	}
	wanted := usual
	if o.Name != "" {
		wanted = []string{o.Name}
	}
	for _, name := range wanted {
		at, err := columnOf(names, name)
		if at >= 0 || err != nil {
			return at, err
		}
	}
	if len(names) == 1 && o.Name == "" {
		return 0, nil
	}
	if len(names) == 1 {
		return 0, fmt.Errorf("csv: no column is called %s; the first line is one cell, %q: remove it if it is a "+
			"title, set Comma if another character parts its columns, or set Name to it", strings.Join(wanted, " or "),
			names[0])
	}
	return 0, fmt.Errorf("csv: no column is called %s; the columns are %s: set Name to the one with the values",
		strings.Join(wanted, " or "), strings.Join(names, ", "))
}
