// Package tables reads tables of text whose columns are text and numbers, as spreadsheets, pandas and R's write.table
// write them:
//
//	t := expfam.Must(tables.Read("counts.csv"))
//	names, err := t.Column("district")
//	cases, err := t.Numbers("cases")
//	cells, err := tables.Panel{Area: "district", Date: "week", Value: "cases"}.Read("long.csv")
//
// The first line has the names of the columns. If it has one cell less than the other lines, these begin with the name
// of the row.
package tables

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// File says how a table is written. The zero value finds it out.
type File struct {
	// Comma parts the cells; ' ' stands for any white space, where cells in quotes are text and a quote in them follows
	// a \, as write.table writes it. Default: a line sep=; or else the one of , ; | and the tab with which the table
	// has a header, or white space if it has none of them.
	Comma rune
	// Decimal is the decimal mark of numbers, '.' or ','. Default: the numbers tell.
	Decimal rune
	// Totals keeps numbers of rows that are sums of other rows.
	Totals bool
}

// Table has the cells of a table as text, without their quotes, and with composed letters (NFC).
type Table struct {
	Columns []string
	Rows    []string // names of the rows; nil if they have none
	Cells   [][]string

	file   File
	lines  []int    // of the rows
	quoted [][]bool // cells in quotes, of a table with white space
}

const (
	most    = 1 << 30 // bytes of a file
	mostRow = 1 << 24 // bytes of a row
)

// Read reads a table as [File.Read] does.
func Read(path string) (*Table, error) { return File{}.Read(path) }

// Read reads a table in UTF-8. Lines with too many or too few cells, and columns or rows of the same name, are refused.
func (o File) Read(path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > most {
		return nil, fmt.Errorf("tables: %s has %d bytes, and at most %d are read; leave out "+
			"columns", path, info.Size(), most)
	}
	t, err := o.decode(file)
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", path, err)
	}
	return t, nil
}

func (o File) decode(r io.ReadSeeker) (*Table, error) {
	head, err := bufio.NewReaderSize(r, 1<<16).Peek(1 << 16)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := tabular.Check(head); err != nil {
		return nil, err
	}
	rewind := func() error { _, err := r.Seek(0, io.SeekStart); return err }
	separator := separatorOf(head)
	if o.Comma == 0 && (separator == 0 || separator == '\t') || o.Comma == ' ' {
		if err := rewind(); err != nil {
			return nil, err
		}
		t, err := o.white(r)
		if err == nil || separator == 0 || o.Comma == ' ' {
			return t, err
		}
	}
	if err := rewind(); err != nil {
		return nil, err
	}
	return o.parted(r)
}

// separatorOf returns the first separator in the first line that is no comment, outside of quotes, and 0 if white space
// parts the line.
func separatorOf(head []byte) rune {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	if separator, _ := tabular.Sep(head); separator != 0 {
		return separator
	}
	for line := range bytes.Lines(head) {
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			continue
		}
		quoted, tab := false, rune(0)
		for _, r := range string(line) {
			switch {
			case r == '"':
				quoted = !quoted
			case quoted:
			case strings.ContainsRune(",;|", r):
				return r
			case r == '\t':
				tab = r
			}
		}
		return tab
	}
	return 0
}

// white reads a table whose cells are parted by white space.
func (o File) white(r io.Reader) (*Table, error) {
	t := &Table{file: o}
	t.file.Comma = ' '
	in := bufio.NewScanner(r)
	in.Buffer(nil, mostRow)
	number := 0
	for in.Scan() {
		number++
		cells, quoted, err := split(strings.TrimPrefix(in.Text(), "\ufeff"))
		if err == nil && len(cells) > 0 {
			err = t.add(number, cells, quoted)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d has more than %d bytes; end its rows by line breaks", number+1, mostRow)
	}
	if in.Err() != nil {
		return nil, in.Err()
	}
	return t, t.check()
}

// parted reads a table whose cells are parted by a character.
func (o File) parted(r io.Reader) (*Table, error) {
	in, err := tabular.NewReader(r, tabular.Options{Comma: o.Comma, Decimal: o.Decimal, Record: mostRow})
	if err != nil {
		return nil, err
	}
	t := &Table{file: o}
	t.file.Comma = in.Comma()
	for {
		record, err := in.Next()
		if err == io.EOF {
			return t, t.check()
		}
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(record.Cells))
		for k, cell := range record.Cells {
			cells[k] = strings.Clone(strings.TrimSpace(cell))
		}
		if t.Columns == nil && in.Above != nil && in.Plain(cells) {
			t.Columns = in.Above
		}
		if err := t.add(record.Line, cells, nil); err != nil {
			return nil, fmt.Errorf("line %d: %w", record.Line, err)
		}
	}
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

// split returns the cells of a line, and which of them are in quotes. Inside of quotes \ goes before a quote, as
// write.table writes it.
func split(line string) (cells []string, quoted []bool, err error) {
	line = strings.TrimRight(line, "\r")
	for rest := strings.TrimLeft(line, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		quote := rest[0]
		if quote != '"' && quote != '\'' {
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			cells, quoted = append(cells, rest[:end]), append(quoted, false)
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
		cells, quoted = append(cells, cell.String()), append(quoted, true)
		rest = rest[at+1:]
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return nil, nil, fmt.Errorf("%.20q follows a quote without a space; the cells of this table are parted by "+
				"spaces or tabs", rest)
		}
	}
	return cells, quoted, nil
}

// index returns the index of a column.
func (t *Table) index(name string) (int, error) {
	for k, column := range t.Columns {
		if column == name {
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
		if t.quoted[i] != nil && t.quoted[i][k] && tabular.Missing(row[k]) {
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
