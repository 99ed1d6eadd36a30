package survey

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/expfam/lab/expfam/internal/tabular"
)

const (
	maxHeader = 64 << 10 // bytes
	maxRow    = 1 << 20  // bytes
)

// meter is a reader that fails when a row has more than maxRow bytes, as after a quote that is never closed.
type meter struct {
	r    io.Reader
	left int   // bytes that the row may still take
	err  error // the last error of r, io.EOF included
}

var errEndless = fmt.Errorf("goes on for more than %d bytes", maxRow)

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errEndless
	}
	n, err := m.r.Read(p[:min(len(p), m.left)])
	m.left -= n
	if err != nil {
		m.err = err
	}
	return n, err
}

// dialect has the separator, the header and the columns of a table.
type dialect struct {
	comma  rune
	line   int // lines before the header
	header []string
	at     places
	err    error // of finding the columns
}

// cell returns the cell of a row with a role, "" if there is no column with it.
func (d dialect) cell(record []string, role int) string {
	if d.at[role] < 0 {
		return ""
	}
	return record[d.at[role]]
}

// sniff finds the dialect of a table from its beginning, and leaves the reader at the header.
func (t Table) sniff(in *bufio.Reader) (dialect, error) {
	head, err := in.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return dialect{}, err
	}
	if err := tabular.Check(head); err != nil {
		return dialect{}, err
	}
	whole := len(head) < maxHeader
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		in.Discard(3)
		head = head[3:]
	}
	commas, before := tabular.Commas, 0
	if separator, size := tabular.Sep(head); size > 0 {
		commas, before = []rune{separator}, 1
		in.Discard(size)
		head = head[size:]
	}
	if t.Comma != 0 {
		commas = []rune{t.Comma}
	}
	must := t.must()
	var best dialect
	score := -1
	for _, comma := range commas {
		r := csv.NewReader(bytes.NewReader(head))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
		header, err := r.Read()
		if err == io.EOF {
			return dialect{}, tabular.ErrEmpty
		}
		if err != nil {
			return dialect{}, fmt.Errorf("line 1: %w", err)
		}
		if int(r.InputOffset()) == len(head) && !whole {
			return dialect{}, fmt.Errorf("line 1 is longer than %d bytes; a table begins with a line that names "+
				"its columns", maxHeader)
		}
		d := dialect{comma: comma, line: before, header: header}
		d.at, d.err = t.Columns.find(header, must)
		points := min(len(header), 999)
		for _, i := range d.at[:needed] {
			if i >= 0 {
				points += 1000
			}
		}
		if points > score {
			best, score = d, points
		}
	}
	return best, nil
}

// clean makes a name from the text of a cell: one line of valid UTF-8 of bounded length, in memory of its own.
func clean(cell string) string {
	const most = 120
	s := strings.Join(strings.Fields(strings.ToValidUTF8(cell[:min(len(cell), 4*most)], "�")), " ")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most])
	}
	return strings.Clone(s)
}
