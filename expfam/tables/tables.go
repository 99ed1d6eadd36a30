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
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// File says how a table is written. The zero value finds it out.
type File struct {
	// Comma parts the cells; ' ' stands for any white space, where cells in quotes are text and a quote in them follows
	// a \, as write.table writes it. Default: a line sep=; or else the one of , ; | and the tab with which the table
	// has a header, or white space if it has none of them, or if tabs do not part all lines like the first one.
	Comma rune
	// Decimal is the decimal mark of numbers, '.' or ','. Default: the numbers tell.
	Decimal rune
	// Totals keeps numbers of rows that are sums of other rows.
	Totals bool
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
		if separator == 0 || o.Comma == ' ' {
			return t, err
		}
		if err := rewind(); err != nil {
			return nil, err
		}
		o.Comma = '\t'
		tabs, other := o.parted(r)
		// Where tabs part the lines into as many cells as the first one, spaces belong to names, as of North Kivu.
		whole := other == nil && tabs.Rows == nil
		if err != nil || whole && !(slices.Equal(t.Columns, tabs.Columns) && slices.EqualFunc(t.Cells, tabs.Cells,
			slices.Equal)) {
			return tabs, other
		}
		return t, nil
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
	number, empty := 0, 0 // the line, and empty lines above it
	for in.Scan() {
		number++
		cells, quoted, err := split(strings.TrimPrefix(in.Text(), "\ufeff"))
		if empty++; err == nil && len(cells) > 0 {
			for empty--; empty > 0 && len(t.Columns) == 1 && len(cells) == 1 && err == nil; empty-- {
				err = t.add(number-empty, []string{""}, nil) // an empty line is an empty cell of the only column
			}
			if empty = 0; err == nil {
				err = t.add(number, cells, quoted)
			}
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
