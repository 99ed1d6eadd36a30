package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestDecimals(t *testing.T) {
	for name, c := range map[string]struct {
		values []any
		want   string
	}{
		"whole numbers":          {[]any{1, 20, 300}, "1 20 300"},
		"whole floats":           {[]any{1.0, 20.0, -3.0}, "1 20 −3"},
		"four digits in between": {[]any{1.23456, 12.3456, 123.456}, "1.23 12.35 123.46"},
		"two of the smallest":    {[]any{0.012345, 12.3456, 123.456}, "0.012 12.346 123.456"},
		"no needless zeros":      {[]any{0.5, 0.25, 2.0}, "0.50 0.25 2.00"},
		"one decimal":            {[]any{0.5, 10.5}, "0.5 10.5"},
		"very different sizes":   {[]any{0.00012345, 1234.5}, "0.0001234 1234"},
		"very small":             {[]any{1.5e-9, 1.0}, "1.5e−09 1"},
		"gaps and what is none":  {[]any{1.25, nil, math.NaN(), math.Inf(1), "text"}, "1.25 – NaN +Inf text"},
		"zeros":                  {[]any{0.0, 0.125}, "0.000 0.125"},
		"every kind of number":   {[]any{int32(1), uint8(20), float32(0.5), true}, "1.0 20.0 0.5 true"},
		"a duration":             {[]any{1500 * time.Millisecond}, "1.5s"},
		"large":                  {[]any{12345.6, 54321.2}, "12346 54321"},
	} {
		t.Run(name, func(t *testing.T) {
			table := Table{Columns: []Column{{Name: "a"}}}
			for _, v := range c.values {
				table.Rows = append(table.Rows, []any{v})
			}
			cells := must.Get(table.cells())(t)
			var got []string
			for _, row := range cells {
				got = append(got, row[0].text)
			}
			must.Equal(t, strings.Join(got, " "), c.want, got)
		})
	}
}

// Whole numbers are printed in full if their format asks for it.
func TestWholeFormat(t *testing.T) {
	text, err := Table{Columns: []Column{{Name: "people", Format: "%d"}},
		Rows: [][]any{{12345678}, {5}, {2.5}, {math.Inf(1)}, {uint64(math.MaxUint64)}, {-1<<53 - 1}}}.Encode(Text)
	want := "people\n12345678\n5\n2.5\n+Inf\n18446744073709551615\n−9007199254740993"
	must.Be(t, err == nil && strings.ReplaceAll(strings.TrimSpace(string(text)), " ", "") == want,
		"%s, %v; want %s", text, err, want)
}

// Long tables show their ends; CSV and the button have all rows.
func TestLongTable(t *testing.T) {
	table := Table{Title: "Many", Columns: []Column{{Name: "n"}}}
	for i := range 100 {
		table.Rows = append(table.Rows, []any{i})
	}
	page := must.Get(table.Encode(HTML))(t)
	for want, n := range map[string]int{"<tr><td": 21, "… 80 more rows": 1, ">9</td>": 1, ">10</td>": 0, ">89</td>": 0,
		">90</td>": 1, ">99</td>": 1, `\n50\n`: 1} {
		must.Equal(t, strings.Count(string(page), want), n, want, "times on the page")
	}
	text, _ := table.Encode(Text)
	got := strings.Count(string(text), "\n")
	must.Be(t, got == 1+1+10+1+10 && strings.Contains(string(text), "\n… 80 more rows\n"),
		"%d lines of text:\n%s", got, text)
	csv, _ := table.Encode(CSV)
	must.Equal(t, strings.Count(string(csv), "\n"), 101, "lines of CSV")
	for ends, want := range map[int]int{0: 21, 2: 5, 49: 99, 50: 100, 1000: 100} {
		table.Ends = ends
		page, _ := table.Encode(HTML)
		must.Equal(t, strings.Count(string(page), "<tr><td"), want, "Ends", ends, "rows")
	}
	table.Ends = -1
	must.Refuse(table.Encode(HTML))(t)
}

// What is too large for a button is left to Save.
func TestHugeTable(t *testing.T) {
	table := Table{Columns: []Column{{Name: "n"}}}
	for i := range 20_000 {
		table.Rows = append(table.Rows, []any{fmt.Sprint("row ", i)})
	}
	page, err := table.Encode(HTML)
	must.Be(t, err == nil && len(page) <= 10_000 && strings.Contains(string(page), "viz.Save") &&
		!strings.Contains(string(page), "<script>"),
		"%d bytes, %v", len(page), err)
}

// TestTableForSpreadsheets: a name that a spreadsheet would compute is text in CSV, and only there.
func TestTableForSpreadsheets(t *testing.T) {
	of := Table{Columns: []Column{{Name: "=A1"}, {Name: "cases"}}, Rows: [][]any{{"=1+1", -3}, {"-B", 4.5}}}
	must.Equal(t, string(must.Get(of.Encode(CSV))(t)), "'=A1,cases\n'=1+1,-3\n'-B,4.5\n", "CSV")
	must.Be(t, strings.Contains(string(must.Get(of.Encode(Text))(t)), "\n=1+1 "), "text")
}
