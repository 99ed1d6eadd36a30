package survey

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// maxRow is the largest number of bytes of a row.
const maxRow = 1 << 20

// dialect has the separator, the decimal mark, the header and the columns of a table.
type dialect struct {
	comma, decimal rune
	header         []string
	at             places
}

// cell returns the cell of a row with a role, "" if there is no column with it.
func (d dialect) cell(record []string, role int) string {
	if d.at[role] < 0 {
		return ""
	}
	return record[d.at[role]]
}

// dialect finds the columns of a table: in its first record, or in the last comment above it.
func (t Table) dialect(in *tabular.Reader) (d dialect, first *tabular.Record, err error) {
	record, err := in.Next()
	if err != nil {
		return d, nil, err
	}
	d = dialect{comma: in.Comma(), decimal: t.Decimal}
	d.header = append(d.header, record.Cells...)
	if d.at, err = t.Columns.find(d.header, t.must()); err == nil || in.Above == nil {
		return d, nil, err
	}
	if at, inAbove := t.Columns.find(in.Above, t.must()); inAbove == nil {
		d.header, d.at = in.Above, at
		record.Cells = append([]string(nil), record.Cells...)
		return d, &record, nil
	}
	return d, nil, err
}

// open returns a reader of a table.
func (t Table) open(r io.Reader) (*tabular.Reader, error) {
	must := t.must()
	in, err := tabular.NewReader(r, tabular.Options{Comma: t.Comma, Decimal: t.Decimal, LazyQuotes: t.LazyQuotes,
		Record: maxRow, Fit: func(header []string) int {
			points := min(len(header), 999)
			at, _ := t.Columns.find(header, must)
			for _, i := range at[:needed] {
				if i >= 0 {
					points += 1000
				}
			}
			return points
		}})
	if errors.As(err, new(tabular.ErrEndless)) {
		err = errors.New("line 1 is longer than 64 kB; a table begins with a line that names its columns")
	}
	return in, err
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
