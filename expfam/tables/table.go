package tables

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// Table has the cells of a table as text, without their quotes, and with composed letters (NFC).
type Table struct {
	Columns []string
	Rows    []string // names of the rows; nil if they have none
	Cells   [][]string

	file   File
	lines  []int    // of the rows
	quoted [][]bool // cells in quotes, of a table with white space
}

// add adds a line: the names of the columns, or a row.
func (t *Table) add(line int, cells []string, quoted []bool) error {
	for k, cell := range cells {
		cells[k] = norm.NFC.String(cell)
		if !utf8.ValidString(cell) {
			return fmt.Errorf("%.30q is no UTF-8; save the table as UTF-8, as by iconv -f WINDOWS-1252 -t UTF-8", cell)
		}
	}
	width := len(t.Columns)
	if t.Rows != nil {
		width++
	}
	switch {
	case t.Columns == nil:
		t.Columns = cells
		return nil
	case len(t.Cells) == 0 && len(cells) == len(t.Columns)+1:
		t.Rows = []string{}
	case len(t.Cells) == 0 && len(cells) != width:
		return fmt.Errorf("there are %d cells, and the first line names %d columns; give as many, or one more for the "+
			"names of the rows", len(cells), width)
	case len(cells) != width:
		return fmt.Errorf("there are %d cells, and the lines before have %d; quote cells with separators in them",
			len(cells), width)
	}
	if t.Rows != nil {
		t.Rows, cells = append(t.Rows, cells[0]), cells[1:]
		quoted = quoted[min(1, len(quoted)):]
	}
	t.Cells, t.lines, t.quoted = append(t.Cells, cells), append(t.lines, line), append(t.quoted, quoted)
	return nil
}

func (t *Table) check() error {
	if len(t.Cells) == 0 {
		return errors.New("there are no rows; the first line names the columns, and each line after it is a row")
	}
	if last := len(t.Columns) - 1; t.Rows != nil && t.quoted[0] == nil && last >= 0 &&
		!slices.ContainsFunc(t.Cells, func(row []string) bool { return row[last] != "" }) {
		return fmt.Errorf("the last cell of every row is empty, and the first line names one column less, as where "+
			"rows end with a separator: remove it, or name the column that begins with %.30q", t.Rows[0])
	}
	for what, names := range map[string][]string{"columns": t.Columns, "rows": t.Rows} {
		first := map[string]int{}
		for i, name := range names {
			if at, twice := first[name]; twice && (name != "" || what == "rows") {
				return fmt.Errorf("%s %d and %d both have the name %q; rename one of them", what, at, i, name)
			}
			first[name] = i
		}
	}
	return nil
}

// index returns the index of a column.
func (t *Table) index(name string) (int, error) {
	for k, column := range t.Columns {
		if column == norm.NFC.String(name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("tables: there is no column %q; the nearest names are "+
		"%s", name, nearest.List(name, t.Columns, 3))
}

// Column returns the cells of a column as text.
func (t *Table) Column(name string) ([]string, error) {
	k, err := t.index(name)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(t.Cells))
	for i, row := range t.Cells {
		cells[i] = row[k]
	}
	return cells, nil
}

// Numbers returns the cells of a column as numbers. Empty cells, NA and the like are NaN. A row that is named as the
// sum of others, and a first or last row that is the sum of at least three others, are refused, and so is a mean.
func (t *Table) Numbers(name string) ([]float64, error) {
	k, err := t.index(name)
	if err != nil {
		return nil, err
	}
	values, err := t.numbers(k)
	if err != nil || t.file.Totals {
		return values, err
	}
	sums := tabular.Totals{}
	for i, row := range t.Cells {
		cells, at := row, k
		if t.Rows != nil {
			cells, at = append([]string{t.Rows[i]}, row...), k+1
		}
		sums.Add(t.lines[i], cells, at, values[i])
	}
	if err := sums.Check(); err != nil {
		return nil, fmt.Errorf("tables: column %q: %w", name, err)
	}
	return values, nil
}

func (t *Table) numbers(k int) ([]float64, error) {
	values := make([]float64, len(t.Cells))
	read := tabular.Numbers{Separator: t.file.Comma, Decimal: t.file.Decimal}
	for i, row := range t.Cells {
		v, ok := read.Cell(row[k], t.lines[i], k+1)
		if t.quoted[i] != nil && t.quoted[i][k] && row[k] != "" && tabular.Missing(row[k]) {
			ok = false // a text
		}
		if !ok {
			hint := "missing numbers are NA, or empty"
			if tabular.Dash(row[k]) {
				hint = tabular.DashHint
			}
			return nil, fmt.Errorf("tables: row %d of column %q is %.30q in line %d, which is no number; "+
				"%s", i, t.Columns[k],
				row[k], t.lines[i], hint)
		}
		values[i] = v
	}
	if err := read.Check(); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
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
