package rtable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

func table(t *testing.T, text string) (*Table, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.txt")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return Read(path)
}

// TestRead: tables with and without names of rows, by spaces and by tabs. Codes are text and NA is NaN.
func TestRead(t *testing.T) {
	named := must.Get(table(t, "\"01001\" \"01002\"\n\"1\" 0 3\n\"2\" NA 1e2\n"))(t)
	columns, m := must.Get2(named.Matrix())(t)
	must.Be(t, slices.Equal(columns, []string{"01001", "01002"}) && slices.Equal(named.Rows, []string{"1", "2"}),
		"columns %q, rows %q", columns, named.Rows)
	v := m.At(1, 0)
	must.Be(t, v != v && m.At(1, 1) == 100 && mat.Sum(m.RowView(0)) == 3, "matrix %v", mat.Formatted(m))
	tabs := must.Get(table(t, "week\tobserved state\r\n199001\t1\t  0\r\n199002\t5\t  0\r\n"))(t)
	got := must.Get(tabs.Numbers("observed"))(t)
	must.Be(t, slices.Equal(got, []float64{1, 5}) && tabs.Rows == nil, "observed %v, rows %q", got, tabs.Rows)
	text := must.Get(table(t, `"name" "id"`+"\n"+`"LK \"A\" 'B'" 8336`+"\n"))(t)
	if got := must.Get(text.Column("name"))(t); got[0] != `LK "A" 'B'` {
		t.Errorf("name %q", got)
	}
}

// TestRefused: every wrong table is one sentence with the line.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "there are no rows",
		"a b\n":                  "there are no rows",
		"a b\n1\n":               "line 2 has 1 cells, and the first line names 2 columns",
		"a b\n1 2\n1 2 3\n":      "line 3 has 3 cells, and the lines before have 2",
		"a a\n1 2\n":             `columns 0 and 1 both have the name "a"`,
		"a\n\"x\" 1\n\"x\" 2\n":  `rows 0 and 1 both have the name "x"`,
		"a\n\"x\n":               "has no end",
		"\"a\",\"b\"\n\"x\",1\n": "follows a quote without a space",
	} {
		must.Refuse(table(t, text))(t, want)
	}
	ok := must.Get(table(t, "count week\n1 x\n"))(t)
	must.Refuse(ok.Column("counts"))(t, `the nearest names are "count"`)
	must.Refuse(ok.Numbers("week"))(t, `row 0 of column "week" is "x"`)
	_, _, err := ok.Matrix()
	must.Refuse(0, err)(t, "which is no number")
}

// FuzzRead: no text makes the reader panic, and all rows of a table that is read have a cell for each column.
func FuzzRead(f *testing.F) {
	f.Add("\"a\" \"b\"\n\"1\" 0 3\n")
	f.Add("a\tb\n1\t2\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decode(text)
		if err != nil {
			return
		}
		for _, row := range got.Cells {
			must.Be(t, len(row) == len(got.Columns), "%d cells of %d columns", len(row), len(got.Columns))
		}
		got.Matrix()
	})
}
