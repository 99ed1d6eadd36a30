package tabular

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Options say how a table is written, and what its reader allows.
type Options struct {
	// Comma parts the cells; ' ' stands for any number of spaces. Default: the one in a first line such as sep=; or
	// else that of the most columns. Decimal is the decimal mark, '.' or ','. Default: the numbers tell.
	Comma, Decimal rune
	// LazyQuotes reads quotes within a cell as text, as in encoding/csv.
	LazyQuotes bool
	// Fit tells how well a header fits, if the separator is to be found by that.
	Fit func(header []string) int
	// Record is the largest number of bytes of a record. Default 64 MB.
	Record int
}

// Reader cuts a table of text into records, one after the other, in memory that does not grow with the table. It knows
// what programs write around a table: a byte order mark, a line sep=;, comments above the first row, tags of HXL below
// it. Its users decide what a wrong record is: a reason to refuse a row, or the file.
type Reader struct {
	// Numbers reads the cells that are numbers.
	Numbers Numbers
	// Above has the cells of the last line above the table that begins with #, if they are as many as those of the
	// first record. NumPy and others write the names of columns there. AboveLine is its number.
	Above     []string
	AboveLine int

	lines          *lines
	in             *csv.Reader
	comments       []string
	commentLines   []int
	above, wide    int  // lines above the first record, and its cells
	rows, last     int  // records so far, and the last line of the last one
	data, detected bool // a record is no header, and the separator was found
	queue          []Record
}

// Record is a record of a table, and the line on which it begins, from 1.
type Record struct {
	Line  int
	Cells []string
}

// Broken is a record that cannot be cut into cells because of its quotes. The next one can be read.
type Broken struct {
	From, To int // lines
	Open     bool
	err      error
}

func (b *Broken) Error() string {
	return fmt.Sprintf("%v; double the quotes within quoted cells, or set Comma if another character parts the columns",
		b.err)
}

// NewReader looks at the beginning of a table.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	if o.Decimal != 0 && o.Decimal != '.' && o.Decimal != ',' {
		return nil, fmt.Errorf("the Decimal is %q; it is '.' or ',', or 0 if the table tells", o.Decimal)
	}
	if o.Record == 0 {
		o.Record = 1 << 26
	}
	text := bufio.NewReaderSize(r, beginning)
	head, err := text.Peek(beginning)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := Check(head); err != nil {
		return nil, err
	}
	whole := len(head) < beginning
	t := &Reader{lines: &lines{from: text, most: o.Record}}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		head = head[3:] // a byte order mark is no part of the first cell
		text.Discard(3)
	}
	comma := o.Comma
	if given, size := Sep(head); size > 0 {
		if comma != 0 && comma != given {
			return nil, fmt.Errorf("the first line says that %q parts the cells, and Comma is %q; leave Comma out, or "+
				"correct that line", given, comma)
		}
		comma, t.lines.line, head = given, 1, head[size:]
		text.Discard(size)
	}
	if t.detected = comma == 0; t.detected && o.Fit != nil {
		if comma, err = fit(head, whole, o.Fit); err != nil {
			return nil, err
		}
	} else if t.detected {
		comma = Comma(head)
	}
	t.lines.pad = comma == ' '
	if t.commentLines, t.comments, err = t.lines.comments(); err != nil {
		return nil, err
	}
	t.above = max(0, t.lines.line-1)
	t.in = csv.NewReader(t.lines)
	t.in.Comma, t.in.LazyQuotes, t.in.FieldsPerRecord, t.in.ReuseRecord = comma, o.LazyQuotes, -1, true
	t.Numbers = Numbers{Separator: comma, Decimal: o.Decimal}
	return t, nil
}

// Comma returns the separator of the cells.
func (t *Reader) Comma() rune { return t.in.Comma }

// Next returns the next record, whose cells are valid until the next call. At the end the error is io.EOF. After an
// error of the kind [Broken] the next record can be read. In a table of one column an empty line between two others is
// a record of an empty cell. Remarks between the header and the first row, and a second record of tags of HXL, are left
// out.
func (t *Reader) Next() (Record, error) {
	for {
		if len(t.queue) > 0 {
			r := t.queue[0]
			t.queue = t.queue[1:]
			if r.Cells != nil {
				t.rows++
			}
			return r, nil
		}
		t.lines.left = t.lines.most
		cells, err := t.in.Read()
		var broken *csv.ParseError
		switch {
		case errors.As(err, &broken) && (errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote)):
			// The numbers of lines are those of the file.
			of := *broken
			of.StartLine, of.Line = of.StartLine+t.above, of.Line+t.above
			t.last = of.Line
			return Record{}, &Broken{of.StartLine, of.Line, t.lines.done && of.Line > of.StartLine &&
				errors.Is(err, csv.ErrQuote), &of}
		case err != nil:
			return Record{}, err
		}
		line, _ := t.in.FieldPos(0)
		r := Record{line + t.above, cells}
		if t.rows == 0 {
			if t.wide = len(cells); t.wide == 1 && t.detected {
				t.Numbers.Separator = 0
			}
			if err := t.read(t.comments); err != nil {
				return Record{}, err
			}
			t.data = t.Plain(cells)
		}
		if empty := t.lines.take(t.last, r.Line); t.wide == 1 && t.rows > 0 && len(empty) > 0 {
			for _, k := range empty {
				t.queue = append(t.queue, Record{k, []string{""}})
			}
		}
		t.last = r.Line
		for _, cell := range cells {
			t.last += strings.Count(cell, "\n")
		}
		if !t.data && t.rows > 0 {
			remark := t.IsRemark(cells) && (len(cells) != t.wide || t.wide == 1 && !t.Plain([]string{cells[0][1:]}))
			if remark || t.rows == 1 && tags(cells) {
				t.rows++
				continue
			}
			t.data = true
		}
		if len(t.queue) > 0 {
			t.queue = append(t.queue, Record{r.Line, slices.Clone(cells)})
			continue
		}
		t.rows++
		return r, nil
	}
}

// IsRemark reports whether a record begins with # and no error value of a spreadsheet.
func (t *Reader) IsRemark(cells []string) bool {
	return strings.HasPrefix(cells[0], "#") && !errorValue.MatchString(cells[0])
}

// Plain reports whether all cells are numbers or say that they have no value.
func (t *Reader) Plain(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool {
		_, _, ok := Number(cell, t.Numbers.Separator, t.Numbers.Decimal)
		return !ok && !Missing(cell)
	})
}

// read looks at the lines above a table that begin with #.
func (t *Reader) read(comments []string) error {
	for i, line := range comments {
		in := csv.NewReader(strings.NewReader(strings.TrimLeft(line, "# ")))
		in.Comma, in.LazyQuotes = t.in.Comma, true
		cells, err := in.Read()
		if err != nil || len(cells) != t.wide {
			t.Above = nil
			continue
		}
		if t.Plain(cells) && slices.ContainsFunc(cells, func(c string) bool { return !Missing(c) }) {
			return fmt.Errorf("line %d begins with # and is a row of numbers otherwise: %.40q; remove the # if "+
				"it is a row, or the line if it is a comment", t.commentLines[i], line)
		}
		t.Above, t.AboveLine = cells, t.commentLines[i]
	}
	return nil
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
