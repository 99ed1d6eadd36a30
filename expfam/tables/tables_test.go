package tables

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/calendar"
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
	accents := must.Get(table(t, "a,re\u0301gion\nx,1\ny,5\n"))(t)
	for _, name := range []string{"r\u00e9gion", "re\u0301gion"} {
		must.Equal(t, must.Get(accents.Numbers(name))(t), []float64{1, 5}, name)
	}
	text := must.Get(table(t, `"name" "id"`+"\n"+`"LK \"A\" 'B'" 8336`+"\n"))(t)
	if got := must.Get(text.Column("name"))(t); got[0] != `LK "A" 'B'` {
		t.Errorf("name %q", got)
	}
}

// TestRefused: every wrong table is one sentence with the line.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "the file is empty",
		"a b\n":                 "there are no rows",
		"a b\n1\n":              "line 2: there are 1 cells, and the first line names 2 columns",
		"a b\n1 2\n1 2 3\n":     "line 3: there are 3 cells, and the lines before have 2",
		"a a\n1 2\n":            `columns 0 and 1 both have the name "a"`,
		"a\n\"x\" 1\n\"x\" 2\n": `rows 0 and 1 both have the name "x"`,
		"a\n\"x\n":              "has no end",
		"\"a\" \"b\"\n\"x\"1\n": "follows a quote without a space",
		"a;b\nS\xe3o;1\n":       "is no UTF-8; save the table as UTF-8",
		"a b\nS\xe3o 1\n":       "is no UTF-8",
		"a,b\n1,2,3\n1,2\n":     "line 3: there are 2 cells, and the lines before have 3",
		"a,b\n\"1,2\n":          "double the quotes",
		"a,b\nx,2,\ny,3,\n":     `remove it, or name the column that begins with "x"`,
		"PK\x03\x04":            "this is a spreadsheet",
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
		got, err := File{}.decode(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, row := range got.Cells {
			must.Be(t, len(row) == len(got.Columns), "%d cells of %d columns", len(row), len(got.Columns))
		}
		got.Matrix()
	})
}

// TestSeparators: tables of spreadsheets and of other programs have the same columns.
func TestSeparators(t *testing.T) {
	for name, text := range map[string]string{
		"commas": "district,cases\nNew York,1.5\nÅ,NA\n", "semicolons": "district;cases\nNew York;1,5\nÅ;\n",
		"tabs": "district\tcases\nNew York\t1.5\nÅ\tNA\n", "sep=": "sep=|\ndistrict|cases\nNew York|1.5\nÅ|\n",
		"a mark and a comment": "\ufeff# made by hand\ndistrict,cases\n\"New York\",1.5\nÅ,NA\n",
		"white space": "district cases\n\"New York\" 1.5\nÅ " +
			"NA\n", "write.csv": "\"\",district,cases\n1,New York,1.5\n2,Å,NA\n",
		"numbers of rows": "district,cases\n1,New York,1.5\n2,Å,NA\n", "HXL": "district,cases\n#adm1,#affected\nNew " +
			"York,1.5\nÅ,\n",
	} {
		got := must.Get(table(t, text))(t, name)
		names := must.Get(got.Column("district"))(t, name)
		cases := must.Get(got.Numbers("cases"))(t, name)
		must.Be(t, slices.Equal(names, []string{"New York", "Å"}) && cases[0] == 1.5 && cases[1] != cases[1],
			"%s: %q %v", name, names, cases)
	}
	for _, tabs := range []string{"district\tcases\nNorth Kivu\t5\nSouth Kivu\t7\n",
		"district\tcases\tdeaths\nNorth Kivu\t5\t\nSouth Kivu\t7\t\n"} {
		got := must.Get(table(t, tabs))(t)
		names, cases := must.Get(got.Column("district"))(t), must.Get(got.Numbers("cases"))(t)
		must.Be(t, slices.Equal(names, []string{"North Kivu", "South Kivu"}) && slices.Equal(cases, []float64{5, 7}),
			"%q: %q %v", tabs, names, cases)
	}
	for _, one := range []string{"cases\n5\n\n7\n\n", "\n\ncases\r\n5\r\n\r\n7", "\"cases\"\n5\n\"\"\n7\n"} {
		got := must.Get(must.Get(table(t, one))(t).Numbers("cases"))(t, one)
		must.Be(t, len(got) == 3 && got[0] == 5 && got[1] != got[1] && got[2] == 7, "%q: %v", one, got)
	}
	total := must.Get(table(t, "district,cases\nA,31\nB,57\nC,12\nIalu,100\n"))(t)
	must.Refuse(total.Numbers("cases"))(t, `column "cases": line 5, "Ialu", is the sum of other lines, 100`)
	dash := must.Get(table(t, "district,cases\nA,-\n"))(t)
	must.Refuse(dash.Numbers("cases"))(t, "it may stand for 0 or for no value")
	either := must.Get(table(t, "district;cases\nA;1.234\n"))(t)
	must.Refuse(either.Numbers("cases"))(t, "may be thousands or a fraction; set Decimal")
}

// TestEndless: a file of one line is refused before it fills the memory.
func TestEndless(t *testing.T) {
	for _, part := range []string{"12345678 ", "1234567,"} {
		must.Refuse(table(t, strings.Repeat(part, mostRow/8+1)))(t, "more than 16777216 bytes")
	}
}

// TestPanel: a file in long form is in the cells of a field of areas and times.
func TestPanel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	of := Panel{Area: "district", Date: "week", Value: "cases"}
	for text, want := range map[string]string{
		"B,2021-W01,1\nA,2021-W01,2\nA,2021-W02,3\n": "2 areas in 2 cells of a week, 2021-W01 to " +
			"2021-W02, 1 of 4 without a value: B in 2021-W02",
		"B,2021-W01,1\nA,2021-W01,2\nA,2021-W02,3\nB,2021-W02,4\n": "2 areas in 2 cells of a week, 2021-W01 to " +
			"2021-W02, all with a value",
	} {
		must.Do(t, os.WriteFile(path, []byte("district,week,cases\n"+text), 0o600))
		cells := must.Get(of.Read(path))(t)
		must.Be(t, cells.String() == want && cells.Values[0] == 2 && cells.Values[1] == 1, "%v: "+
			"%v", cells, cells.Values)
	}
	for text, want := range map[string]string{
		"B,2021-W01,1\nB,2021-W01,1\n":     "rows 0 and 1 are both of B",
		"A,2021-01,2\nA,2021-02,2\n":       `the column "week" has months, such as "2021-01"; write weeks as`,
		"A,2021-W01,2\nTotal,2021-W01,2\n": `row 1: "Total" names a sum`,
		"A,2021,2\nB,2021,3\nC,2021,5\nIalu,2021,10\nA,2022,4\nB,2022,3\nC,2022,5\nIalu,2022,12\n": `"Ialu" is the sum of all other areas`,
	} {
		must.Do(t, os.WriteFile(path, []byte("district,week,cases\n"+text), 0o600))
		must.Refuse(of.Read(path))(t, want)
	}
	must.Do(t, os.WriteFile(path, []byte("district,week,cases\nA,2021-01,2\n"), 0o600))
	of.Calendar.Unit = calendar.Month
	must.Get(of.Read(path))(t)
}
