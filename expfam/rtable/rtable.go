// Package rtable reads tables that R's write.table has written, with white space between their cells:
//
//	t := expfam.Must(rtable.Read("counts.txt"))
//	names, counts, err := t.Matrix()
//
// Cells in quotes are text, so codes keep their zeros. The first line has the names of the columns. If it has one cell
// less than the other lines, these begin with the name of the row.
package rtable

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/internal/safefile"
)

// Table has the cells of a table as text, without their quotes.
type Table struct {
	Columns []string
	Rows    []string // names of the rows; nil if they have none
	Cells   [][]string

	missing [][]bool // cells that are NA without quotes
}

// most is the largest size of a file.
const most = 1 << 30

// Read reads a table. Lines with too many or too few cells, and columns or rows of the same name, are refused.
func Read(path string) (*Table, error) {
	text, err := safefile.Read(path, most)
	if err != nil {
		return nil, fmt.Errorf("rtable: %w", err)
	}
	t, err := decode(string(text))
	if err != nil {
		return nil, fmt.Errorf("rtable: %s: %w", path, err)
	}
	return t, nil
}

func decode(text string) (*Table, error) {
	t := &Table{}
	width, number := 0, 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		cells, na, err := split(strings.TrimRight(line, "\r\n"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", number, err)
		case len(cells) == 0:
			continue
		case t.Columns == nil:
			t.Columns = cells
			continue
		case width == 0:
			width = len(cells)
			if width != len(t.Columns) && width != len(t.Columns)+1 {
				return nil, fmt.Errorf("line %d has %d cells, and the first line names %d columns; give as many, or "+
					"one more for the names of the rows", number, width, len(t.Columns))
			}
		case len(cells) != width:
			return nil, fmt.Errorf("line %d has %d cells, and the lines before have %d; quote cells with spaces",
				number, len(cells), width)
		}
		if width == len(t.Columns)+1 {
			t.Rows, cells, na = append(t.Rows, cells[0]), cells[1:], na[1:]
		}
		t.Cells, t.missing = append(t.Cells, cells), append(t.missing, na)
	}
	if len(t.Cells) == 0 {
		return nil, errors.New("there are no rows; the first line names the columns, and each line after it is a row")
	}
	for what, names := range map[string][]string{"columns": t.Columns, "rows": t.Rows} {
		first := map[string]int{}
		for i, name := range names {
			if at, twice := first[name]; twice {
				return nil, fmt.Errorf("%s %d and %d both have the name %q; rename one of them", what, at, i, name)
			}
			first[name] = i
		}
	}
	return t, nil
}

// split returns the cells of a line, and which of them are NA without quotes. Inside of quotes \ goes before a quote,
// as write.table writes it.
func split(line string) (cells []string, na []bool, err error) {
	for rest := strings.TrimLeft(line, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		quote := rest[0]
		if quote != '"' && quote != '\'' {
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			cells, na = append(cells, rest[:end]), append(na, rest[:end] == "NA")
			rest = rest[end:]
			continue
		}
		var cell strings.Builder
		at := 1
		for ; at < len(rest) && rest[at] != quote; at++ {
			if rest[at] == '\\' && at+1 < len(rest) && (rest[at+1] == quote || rest[at+1] == '\\') {
				at++
			}
			cell.WriteByte(rest[at])
		}
		if at >= len(rest) {
			return nil, nil, fmt.Errorf("a quote after %.20q has no end; cells stand on one line", cell.String())
		}
		cells, na = append(cells, cell.String()), append(na, false)
		rest = rest[at+1:]
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return nil, nil, fmt.Errorf("%.20q follows a quote without a space; the cells of this table are parted by "+
				"spaces or tabs", rest)
		}
	}
	return cells, na, nil
}

// Column returns the cells of a column as text.
func (t *Table) Column(name string) ([]string, error) {
	for k, column := range t.Columns {
		if column == name {
			cells := make([]string, len(t.Cells))
			for i, row := range t.Cells {
				cells[i] = row[k]
			}
			return cells, nil
		}
	}
	return nil, fmt.Errorf("rtable: there is no column %q; the nearest names are %s", name, nearest.List(name,
		t.Columns, 3))
}

// Numbers returns the cells of a column as numbers. NA is NaN.
func (t *Table) Numbers(name string) ([]float64, error) {
	if _, err := t.Column(name); err != nil {
		return nil, err
	}
	for k, column := range t.Columns {
		if column == name {
			return t.numbers(k)
		}
	}
	return nil, nil
}

func (t *Table) numbers(k int) ([]float64, error) {
	values := make([]float64, len(t.Cells))
	for i, row := range t.Cells {
		if t.missing[i][k] {
			values[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(row[k], 64)
		if err != nil || strings.ContainsAny(row[k], "xX_pPiI") {
			return nil, fmt.Errorf("rtable: row %d of column %q is %.30q, which is no number; missing numbers are NA",
				i, t.Columns[k], row[k])
		}
		values[i] = v
	}
	return values, nil
}

// Matrix returns all columns as numbers, with their names.
func (t *Table) Matrix() (columns []string, m *mat.Dense, err error) {
	m = mat.NewDense(len(t.Cells), len(t.Columns), nil)
	for k := range t.Columns {
		values, err := t.numbers(k)
		if err != nil {
			return nil, nil, err
		}
		m.SetCol(k, values)
	}
	return t.Columns, m, nil
}
