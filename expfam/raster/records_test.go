package raster

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Numbers whose meaning depends on the country are read if the table tells what they are, and refused otherwise. Rows
// that begin with # are rows, and names of columns may stand behind a #.
func TestDialectsOfTables(t *testing.T) {
	raster := func(o CSV) func(io.Reader) (any, error) {
		return func(r io.Reader) (any, error) { f, err := o.decode(r); return f.Values, err }
	}
	column := func(o Column) func(io.Reader) (any, error) {
		return func(r io.Reader) (any, error) { f, err := o.decode(r); return f.Values, err }
	}
	points := func(o PointsCSV) func(io.Reader) (any, error) {
		return func(r io.Reader) (any, error) { return o.decode(r) }
	}
	const either = "may be thousands or a fraction; set Decimal to"
	for name, c := range map[string]struct {
		read func(io.Reader) (any, error)
		text string
		want string // the values, or a part of the error
	}{
		"people of Germany": {raster(CSV{}), "1.234;2.500;12.000\n850;1.100;97\n",
			`line 1, column 1: "1.234" ` + either + " ',' if dots"},
		"the mark is given": {raster(CSV{Decimal: ','}), "1.234;2.500;12.000\n850;1.100;97\n",
			"[1234 2500 12000 850 1100 97]"},
		"three decimals, given": {raster(CSV{Decimal: '.'}), "1.234;2.500\n12.000;1.100\n", "[1.234 2.5 12 1.1]"},
		"the mark is none":      {raster(CSV{Decimal: ';'}), "1;2\n", "Decimal is ';'"},
		"thousands and decimals": {raster(CSV{}), "1.234,5;2.500,0;12.000,25\n850,0;1.100,0;97,5\n",
			"[1234.5 2500 12000.25 850 1100 97.5]"},
		"millions":                  {raster(CSV{}), "1.234.567;2\n", "[1.234567e+06 2]"},
		"three decimals beside one": {raster(CSV{}), "1.234;2.5\n", "[1.234 2.5]"},
		"three decimals of a share": {raster(CSV{}), "0.125;1.000\n", "[0.125 1]"},
		"cut by commas":             {raster(CSV{}), "1.234,2.500\n", "[1.234 2.5]"},
		"one column": {column(Column{}), "Einwohner\n1.234\n850\n", `line 2, column 1: "1.234" ` +
			either},
		"millions and thousands": {column(Column{}), "a;count\nx;1.234.567\ny;1.234\n",
			`line 3, column 2: "1.234" ` + either},
		"a column of Germany": {column(Column{Name: "Einwohner"}),
			"Kreis;Einwohner;Fälle\nA;1.234;3\nB;850;1\nC;12.000;7\n", `"1.234" ` + either},
		"the same, the mark is given": {column(Column{Name: "einwohner", Decimal: ','}),
			"Kreis;Einwohner\nA;1.234\nB;12,5\n", "[1234 12.5]"},
		"English thousands": {column(Column{}), "a;count\nx;1,234\ny;5\n", `"1,234" ` + either + " '.' if commas"},
		"quoted":            {column(Column{Decimal: '.'}), "a,count\nx,\"1,234\"\ny,5.5\n", "[1234 5.5]"},
		"quoted millions":   {column(Column{}), "a,count\nx,\"1,234,567\"\ny,\"5,000.5\"\n", "[1.234567e+06 5000.5]"},
		"apostrophes":       {column(Column{}), "a;count\nx;1'234\ny;1’234’567.5\n", "[1234 1.2345675e+06]"},
		"narrow spaces": {column(Column{}), "a;count\nx;1\u202f234\ny;1\u00a0234,5\nz;12\u2009345\n",
			"[1234 1234.5 12345]"},
		"spaces":               {column(Column{}), "a;count\nx;1 234\n", "[1234]"},
		"spaces in one column": {column(Column{}), "n\n1 234\n", `"1 234" is no finite number`},
		"lakhs":                {column(Column{}), "a;count\nx;12,34,567\n", "is no finite number"},
		"broken thousands":     {column(Column{}), "a;count\nx;1.2345.678\n", "is no finite number"},
		"two decimal marks": {raster(CSV{}), "1.5;2,5\n", `line 1, column 1: "1.5" and line 1, column 2: "2,5" ` +
			`have different decimal marks`},
		"thousands and a point": {raster(CSV{}), "1.234.567;2.5\n", "have different decimal marks, or one"},
		"hexadecimal":           {raster(CSV{}), "0x10;2\n", "is no finite number"},
		"underscores":           {raster(CSV{}), "1_234;2\n", "is no finite number"},
		"a typographic minus":   {raster(CSV{}), "−1.5;+2\n", "[-1.5 2]"},
		"points of Germany": {points(PointsCSV{}), "x;y;weight\n1,5;2,5;1.000\n2,5;3,5;12\n",
			`line 2, column 3: "1.000" ` + either},
		"the same, given": {points(PointsCSV{Decimal: ','}), "x;y;weight\n1,5;2,5;1.000\n", "[{1.5 2.5 1000}]"},
		"sep=;":           {raster(CSV{}), "sep=;\n1,5;2\n3;4\n", "[1.5 2 3 4]"},
		"quoted sep=|":    {column(Column{}), "\ufeff\"SEP=|\"\r\nid|count\r\n1,2|x\r\n", `line 3, column 2: "x"`},

		"pandas": {raster(CSV{}), ",0,1\n0,5.5,6\n1,7,8\n", "the first line and the first column seem to number the " +
			"columns and the rows, as pandas does; write the table without them"},
		"pandas, one column": {raster(CSV{}), ",0\n0,5\n1,7\n", "the first line and the first column seem to number"},
		"pandas, semicolons": {raster(CSV{}), ";0;1\n0;5,5;6\n", "seem to number the columns and the rows"},
		"pandas, header alone": {raster(CSV{}), "0,1,2\n5.0,6.5,\n8.0,9.0,1e3\n",
			"the first line, 0 to 2, seems to number"},
		"a row from 0":       {raster(CSV{}), "0,1,2\n3,4,5\n", "[0 1 2 3 4 5]"},
		"a row of fractions": {raster(CSV{}), "0.0,1.0,2.0\n3.5,4.5,5.5\n", "[0 1 2 3.5 4.5 5.5]"},
		"an empty corner":    {raster(CSV{}), ",0,1\n4,5,6\n7,8,9\n", "[NaN 0 1 4 5 6 7 8 9]"},
		"a small one":        {raster(CSV{}), ",0\n0,5\n", "[NaN 0 0 5]"},
		"a sum below": {column(Column{}), "district,count\nA,3\nB,4\nTotal,7\n",
			`line 4, "Total", is the sum of other lines, 7; remove it`},
		"a German sum":    {column(Column{}), "Kreis;count\nA;3,5\nB;\nC;4\nInsgesamt:;7,5\n", `"Insgesamt:", is`},
		"a French sum":    {column(Column{}), "x;count\nA;3,5\nB;NA\nC;4\nEnsemble;7,5\n", `"Ensemble", is the sum`},
		"totals, no sum":  {column(Column{Name: "y"}), "kind,y\nrain,3\nsnow,4\ntotal,9\n", "named as the sum of"},
		"totals, kept":    {column(Column{Name: "y", Totals: true}), "kind,y\nrain,3\nsnow,4\ntotal,9\n", "[3 4 9]"},
		"a sum, no total": {column(Column{}), "district,count\nA,3\nB,4\nC,7\n", "[3 4 7]"},
		"a total above":   {column(Column{}), "district,count\nTotal,7\nA,3\nB,4\n", `line 2, "Total", is the sum`},
		"subtotals": {column(Column{}), "district,count\nA,3\nB,4\nSubtotal,7\nC,2\nD,2\nTotal,11\n",
			`line 4, "Subtotal"`},
		"a later subtotal": {column(Column{}), "a,count\nA,3\nAll,3\nC,2\nD,2\nSum:,4\n", `line 6, "Sum:", is the sum`},
		"zeros":            {column(Column{}), "a,count\nA,0\nB,0\nTotal,0\n", `line 4, "Total"`},
		"nameless numbers": {points(PointsCSV{}), "35.5,1.5,2019,3\n",
			"line 1 has 4 numbers, and no line above names them"},
		"numbers first":       {points(PointsCSV{}), "1,35.5,1.5,3\n", "name the columns in the first line"},
		"named numbers":       {points(PointsCSV{}), "# id,x,y,weight\n1,35.5,1.5,3\n", "[{35.5 1.5 3}]"},
		"spaces part columns": {raster(CSV{Comma: ' '}), "# of numpy\n  1.0e+00  2 \n 3   4\n", "[1 2 3 4]"},
		"they are not named":  {raster(CSV{}), "1 2\n3 4\n", `"1 2" is no finite number; if spaces part`},
		"spaces, missing":     {column(Column{Comma: ' '}), "id  count\n a    3\n b   NA\n", "[3 NaN]"},

		"numbers of cases": {column(Column{Name: "count"}), "id,count\n#1,3\n#2,4\n3,5\n", "[3 4 5]"},
		"their numbers": {column(Column{Name: "id"}), "id,count\n#1,3\n",
			`line 2, column 1: "#1" is no finite number; leave it empty where there is no value; a line that begins with #`},
		"names of cases": {column(Column{}), "id,count\n1,2\n#A,3\n", "[2 3]"},
		"a row of a raster": {raster(CSV{}), "#1;2;3\n4;5;6\n",
			`line 1 begins with # and is a row of numbers otherwise: ` + `"#1;2;3"; remove the #`},
		"a later one": {raster(CSV{}), "1;2;3\n#4;5;6\n7;8;9\n", `line 2, column 1: "#4" is no finite number`},
		"a comment in a raster": {raster(CSV{}), "1;2;3\n# south\n7;8;9\n",
			"line 2 has 1 columns, the lines before have 3; every row"},
		"an only column":        {column(Column{}), "#3\n4\n5\n", "line 1 begins with # and is a row"},
		"a comment, then names": {column(Column{}), "# cases, weeks\nid,count\n# people of a week\n1,3\n", "[3]"},
		"numpy":                 {column(Column{Name: "cases"}), "# lon,lat,cases\n1,2,3\n4,5,6\n", "[3 6]"},
		"an accent as a mark":   {column(Column{Name: "r\u00e9gion"}), "a,re\u0301gion\nx,3\ny,6\n", "[3 6]"},
		"numpy, another name": {column(Column{Name: "count"}), "# lon,lat,cases\n1,2,3\n",
			"no column is called count; the columns are lon, lat, cases"},
		"numpy's raster": {raster(CSV{}), "# a,b,c\n1,2,3\n", "[1 2 3]"},
		"numpy's points": {points(PointsCSV{}), "# by numpy\n# y,x\n1,2\n", "[{2 1 1}]"},
		"other points": {points(PointsCSV{}), "# lat,lon\n1,2\n",
			`line 1 has no column "x" but ["lat" "lon"]; name`},
		"years as names":     {column(Column{Name: "2002"}), "# a, b\n2001,2002\n3,4\n", "[4]"},
		"names after a hash": {column(Column{}), "#name;count\na;3\nb;4\n", "[3 4]"},
		"HXL": {column(Column{Name: "affected"}), "district,affected\n#adm1+name,#affected +f\nA,3\n",
			"[3]"},
		"HXL, first cell empty": {column(Column{}), ",count\n,#affected\nA,3\n", "[3]"},
		"NV is no tag": {column(Column{}), "count\n#NV\n3\n",
			`"#NV" is no finite number; leave it empty where there is no value`},
		"slashes":      {column(Column{}), "id,count\n// a comment\n1,3\n", "line 2 has 1 columns, the header has 2"},
		"percent":      {raster(CSV{}), "% a comment\n1,2\n", `line 1, column 1: "% a comment"`},
		"semicolons":   {column(Column{}), "id,count\n; later\n1,3\n", "line 2 has 1 columns"},
		"behind a row": {raster(CSV{}), "1,2 # south\n3,4\n", `"2 # south" is no finite number`},
	} {
		got, err := c.read(strings.NewReader(c.text))
		if err != nil {
			must.Be(t, strings.Contains(err.Error(), c.want), "%s: %v; want %s", name, err, c.want)
		} else if text := fmt.Sprint(got); text != c.want {
			t.Errorf("%s: %s; want %s", name, text, c.want)
		}
	}
}
