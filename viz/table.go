package viz

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// Column is the head of a table's column.
type Column struct {
	Name string
	Unit string // printed in the head, in parentheses
	// of numbers, such as "%.3f", or "%d" for whole numbers in full; "" prints about four significant digits, and
	// equally many decimals in all rows
	Format string
}

// Table compares methods, one in each row. Numbers are aligned at their decimal points. A table of more than 60 rows
// shows its first and last rows. Where scripts run, a button saves all rows as CSV, in which a text that a spreadsheet
// would take for a formula, such as =1+1, stands behind an apostrophe.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any // strings, numbers, or nil for a dash
	Note    string
	// Ends is how many rows are shown at each end of a table that has more than 60. Default 10.
	Ends int

	whole  *Table // the table that CSV holds; nil: this table
	scroll bool   // HTML has all rows, in a window that scrolls
}

// cell is a printed value; number determines its alignment.
type cell struct {
	text   string
	number bool
}

// Encode implements Figure: html, txt and csv.
func (t Table) Encode(format Format) ([]byte, error) {
	cells, err := t.cells()
	if err != nil {
		return nil, err
	}
	switch format {
	case HTML:
		return t.html(cells)
	case Text:
		return t.text(cells), nil
	case CSV:
		if t.whole != nil {
			return t.whole.Encode(CSV)
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		head := t.head()
		for j := range head {
			head[j] = safefile.Cell(head[j])
		}
		w.Write(head)
		for _, row := range t.Rows {
			out := make([]string, len(row))
			for j, v := range row {
				if v != nil {
					out[j] = safefile.Cell(fmt.Sprint(v))
				}
			}
			w.Write(out)
		}
		w.Flush()
		return b.Bytes(), w.Error()
	}
	return nil, unsupported("table", format, HTML, Text, CSV)
}

func (t Table) head() []string {
	out := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		out[j] = clean(c.Name)
		if c.Unit != "" {
			out[j] += " (" + clean(c.Unit) + ")"
		}
	}
	return out
}

// cells prints the values.
func (t Table) cells() ([][]cell, error) {
	if len(t.Columns) == 0 || len(t.Rows) == 0 {
		return nil, fmt.Errorf("table: %d columns and %d rows; need at least one of each", len(t.Columns), len(t.Rows))
	}
	if t.Ends < 0 {
		return nil, fmt.Errorf("table: %d rows at each end; give at least 1", t.Ends)
	}
	out := make([][]cell, len(t.Rows))
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return nil, fmt.Errorf("table: row %d has %d values for %d columns", i, len(row), len(t.Columns))
		}
		out[i] = make([]cell, len(row))
	}
	for j, c := range t.Columns {
		format := cmp.Or(c.Format, t.decimals(j))
		for i, row := range t.Rows {
			out[i][j] = print(row[j], format)
		}
	}
	return out, nil
}

// print renders one value. It shows a number that is not finite as it is, because in a table, unlike in a picture, it
// hides nothing.
func print(v any, format string) cell {
	if v == nil {
		return cell{text: "–", number: true}
	}
	f, ok := float(v)
	if !ok {
		return cell{text: clean(fmt.Sprint(v))}
	}
	if format != "" && !strings.HasSuffix(format, "d") {
		return cell{text: minus(fmt.Sprintf(format, f)), number: true}
	}
	if n := reflect.ValueOf(v); format != "" && !n.CanFloat() { // a float64 would round a number of 17 digits
		return cell{text: minus(fmt.Sprint(v)), number: true}
	}
	if f == math.Trunc(f) && (math.Abs(f) < 1e7 || format != "" && finite(f)) {
		return cell{text: minus(fmt.Sprintf("%.0f", f)), number: true}
	}
	return cell{text: number(f), number: true}
}

func float(v any) (float64, bool) {
	if _, is := v.(fmt.Stringer); is || v == nil { // a duration is a text
		return 0, false
	}
	switch n := reflect.ValueOf(v); {
	case n.CanFloat():
		return n.Float(), true
	case n.CanInt():
		return float64(n.Int()), true
	case n.CanUint():
		return float64(n.Uint()), true
	}
	return 0, false
}

func align(c cell) string {
	if c.number {
		return "right"
	}
	return "left"
}

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
