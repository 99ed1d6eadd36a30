package raster

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// table is what is known of a table while its records are read.
type table struct {
	numbers tabular.Numbers
	// above has the cells of the last line above the table that begins with #, if they are as many as those of the
	// first record. NumPy and others write the names of columns there. line is its number.
	above []string
	line  int
}

// number returns the number in a cell, NaN if the cell says that it has no value.
func (t *table) number(text string, line, column int) (v float64, ok bool) {
	if tabular.Missing(text) {
		return math.NaN(), true
	}
	return t.numbers.Read(text, line, column)
}

// plain reports whether all cells are numbers or say that they have no value.
func (t *table) plain(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool {
		_, _, ok := tabular.Number(cell, t.numbers.Separator, t.numbers.Decimal)
		return !ok && !tabular.Missing(cell)
	})
}

// hxlTag is a tag of the Humanitarian Exchange Language, such as #adm1+name.
var hxlTag = regexp.MustCompile(`^#[a-z][a-z0-9_]*(\s*\+\s*[a-z][a-z0-9_]*)*$`)

// tags reports whether all cells of a record that are not empty are such tags.
func tags(record []string) bool {
	some := false
	for _, cell := range record {
		if cell = strings.TrimSpace(cell); cell != "" {
			if some = true; !hxlTag.MatchString(cell) {
				return false
			}
		}
	}
	return some
}

// records calls f with every record of a table and the number of its line, from 1. Lines above the first row of numbers
// that begin with # are comments, unless they are rows of numbers otherwise. A second record of tags is left out.
// Further down a # is a character like others, because it may begin the number of a case. In a table of one column an
// empty line between two others is an empty cell. At the end records refuses numbers that can be read in two ways.
func records(r io.Reader, comma, decimal rune, f func(line int, record []string, t *table) error) error {
	if decimal != 0 && decimal != '.' && decimal != ',' {
		return fmt.Errorf("csv: Decimal is %q; it is '.' or ',', or 0 if the table tells", decimal)
	}
	text := bufio.NewReaderSize(r, 1<<16)
	head, err := text.Peek(1 << 16)
	if err != nil && err != io.EOF {
		return fmt.Errorf("csv: %w", err)
	}
	if err := tabular.Check(head); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	source := &lines{from: text}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		text.Discard(3) // a byte order mark is no part of the first cell
		head = head[3:]
	}
	separator := comma
	if given, size := tabular.Sep(head); size > 0 {
		text.Discard(size)
		head, source.line = head[size:], 1
		if comma == 0 {
			separator = given
		}
	}
	source.pad = separator == ' '
	at, comments, err := source.comments()
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	above := max(0, source.line-1) // lines above the table
	in := csv.NewReader(source)
	in.FieldsPerRecord, in.ReuseRecord = -1, true
	if in.Comma = separator; separator == 0 {
		in.Comma = tabular.Comma(head)
	}
	t := &table{numbers: tabular.Numbers{Separator: in.Comma, Decimal: decimal}}
	wide, rows, data := 0, 0, false // cells of the first record, records so far, whether one is no header
	last := 0                       // the last line of the record before
	give := func(line int, record []string) error {
		err := f(line, record, t)
		if err != nil && strings.HasPrefix(record[0], "#") && !errorValue.MatchString(record[0]) {
			err = fmt.Errorf("%w; a line that begins with # is a comment only above the first row: remove it if it "+
				"is one", err)
		}
		return err
	}
	for ; ; rows++ {
		record, err := in.Read()
		if err == io.EOF {
			if err := t.numbers.Check(); err != nil {
				return fmt.Errorf("csv: %w", err)
			}
			return nil
		}
		if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
			return fmt.Errorf("csv: %w; double the quotes within quoted cells, or set Comma if another character "+
				"parts the columns", err)
		}
		if err != nil {
			return fmt.Errorf("csv: %w", err)
		}
		line, _ := in.FieldPos(0)
		line += above
		if rows == 0 {
			if wide = len(record); wide == 1 && separator == 0 {
				t.numbers.Separator = 0
			}
			if err := t.comments(at, comments, in.Comma, wide); err != nil {
				return err
			}
			data = t.plain(record)
		}
		if empty := source.take(last, line); wide == 1 && rows > 0 {
			for _, k := range empty {
				if err := give(k, []string{""}); err != nil {
					return err
				}
			}
		}
		last = line
		for _, cell := range record {
			last += strings.Count(cell, "\n")
		}
		if !data && rows > 0 {
			remark := strings.HasPrefix(record[0], "#") && !errorValue.MatchString(record[0]) &&
				(len(record) != wide || wide == 1 && !t.plain([]string{record[0][1:]}))
			if remark || rows == 1 && tags(record) {
				continue
			}
			data = true
		}
		if err := give(line, record); err != nil {
			return err
		}
	}
}

// comments looks at the lines above a table that begin with #.
func (t *table) comments(at []int, text []string, comma rune, wide int) error {
	for i, line := range text {
		in := csv.NewReader(strings.NewReader(strings.TrimLeft(line, "# ")))
		in.Comma, in.LazyQuotes = comma, true
		cells, err := in.Read()
		if err != nil || len(cells) != wide {
			t.above = nil
			continue
		}
		if t.plain(cells) && slices.ContainsFunc(cells, func(c string) bool { return !tabular.Missing(c) }) {
			return fmt.Errorf("csv: line %d begins with # and is a row of numbers otherwise: %.40q; remove the # if "+
				"it is a row, or the line if it is a comment", at[i], line)
		}
		t.above, t.line = cells, at[i]
	}
	return nil
}
