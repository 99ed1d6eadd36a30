package raster

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// write puts text into a file of its own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// same reports whether two values are equal or both missing.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestCSVRaster(t *testing.T) {
	f := must.Get(CSV{}.Read(write(t, "a.csv", "\ufeff# height in m\n1, 2.5,NA\n-3e2,,nan\n")))(t)
	must.Be(t, f.Grid.Rows == 2 && f.Grid.Cols == 3 &&
		slices.EqualFunc(f.Values, []float64{1, 2.5, math.NaN(), -300, math.NaN(), math.NaN()}, same) &&
		slices.Equal(f.Grid.Outside, []bool{false, false, true, false, true, true}),
		"%+v", f)
	f, err := (CSV{Comma: '\t'}).Read(write(t, "a.tsv", "1\t2\r\n3\t4\r\n"))
	must.Be(t, err == nil && slices.Equal(f.Values, []float64{1, 2, 3, 4}), "tabs: %+v, %v", f, err)
	for name, c := range map[string]struct{ text, says string }{
		"empty":    {"", "the file is empty"},
		"comments": {"# cut\n\n", "no rows"},
		"header":   {"a,b\n1,2\n", `line 1, column 1: "a"`},
		"ragged":   {"1,2\n3\n", "line 2 has 1 columns|2"},
		"quotes":   {"\"1\"::\"2\"\n", "double the quotes within quoted cells, or set Comma"},
		"infinite": {"1,2\n3,Inf\n", `line 2, column 2: "Inf" is no finite number`},
		"an error value": {"1,2\n#N/A,3\n5,6\n",
			`line 2, column 1: "#N/A" is no finite number; take it out, or leave it empty`},
		"a German one": {"1;2\n#NV;3\n5;6\n", `line 2, column 1: "#NV"`},
		"a division":   {"1;2\n#DIV/0!;3\n5;6\n", `line 2, column 1: "#DIV/0!"`},
		"quote":        {"1,\"2\n", "csv: "},
	} {
		_, err := CSV{}.Read(write(t, "bad.csv", c.text))
		must.Says(t, name, err, c.says+"|bad.csv")
	}
}

// One column of a table is a series, found by its name or because it is the only one.
func TestColumn(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		of   Column
	}{
		"by the usual name":  {"day,Count\n1,3\n2,\n3,4.5\n", Column{}},
		"by its own":         {"cases,y\n3,0\nNA,0\n4.5,0\n", Column{Name: "cases"}},
		"the only one":       {"cases\n3\nNaN\n4.5\n", Column{}},
		"without a header":   {"3\nNA\n4.5\n", Column{}},
		"an empty line":      {"cases\n3\n\n4.5\n", Column{}},
		"the same, CRLF":     {"cases\r\n3\r\n\r\n4.5\r\n\r\n", Column{}},
		"empty, no header":   {"\n# no header\n3\n\n4.5\n\n", Column{}},
		"a header of lines":  {"# weeks\n\"cases\n\nper day\"\n# a comment\n3\n\n4.5\n", Column{}},
		"lines between rows": {"day,count\n\n1,3\n\n2,\n3,4.5\n", Column{}},
		"as spreadsheets do": {"\ufeffday;count\n1;3\n2;NA\n3;4,5\n", Column{}},
	} {
		f, err := c.of.Read(write(t, "c.csv", c.text))
		if err != nil || f.Grid.Rows != 1 || !slices.EqualFunc(f.Values, []float64{3, math.NaN(), 4.5}, same) ||
			!slices.Equal(f.Grid.Outside, []bool{false, true, false}) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	for name, c := range map[string]struct{ text, says string }{
		"two columns": {"day,Count, count\n1,3,4\n", `columns 2 and 3 are both called "count"; rename one of them`},
		"no such column": {"day,cases\n1,3\n",
			"no column is called count or counts|the columns are day, cases: set Name"},
		"text":           {"count\n3\nmany\n", `line 3, column 1: "many" is no finite number`},
		"an error value": {"count\n3\n#N/A\n4\n", `line 3, column 1: "#N/A" is no finite number; leave it empty`},
		"a French one":   {"jour;count\n#VALEUR!;3\n2;#N/A\n", `line 3, column 2: "#N/A"`},
		"infinite":       {"count\n3\n-inf\n", `line 3, column 1: "-inf"`},
		"thousands": {"day,count\n1,\"1,200\"\n", `line 2, column 2: "1,200" may be thousands or a fraction; set ` +
			`Decimal to '.' if commas separate thousands`},
		"ragged":      {"day,count\n1\n", "line 2 has 1 columns, the header has 2"},
		"nothing":     {"day,count\n", "no values below the header"},
		"all empty":   {"day,count\n1,\n2,NA\n", "all 2 cells of the column are empty"},
		"spreadsheet": {"PK\x03\x04", "save the sheet as CSV"},
		"UTF-16":      {"\xff\xfec\x00", "this is UTF-16; save it as UTF-8"},
	} {
		_, err := Column{}.Read(write(t, "bad.csv", c.text))
		must.Says(t, name, err, c.says+"|bad.csv")
	}
	_, err := Column{Name: "cases"}.Read(write(t, "title.csv", "Cases of 2020\nday,cases\n1,3\n"))
	must.Says(t, "a title", err, `the first line is one cell, "Cases of 2020": remove it if it is a title`)
}

func TestPointsToCounts(t *testing.T) {
	g := grid.Grid{Rows: 2, Cols: 2, Outside: []bool{false, false, false, true}} // centres 0 and 1, row 0 at y = 1
	for name, text := range map[string]string{
		"named":   "id,Y,X,weight\na,1,0,2\nb,1,1,1\nc,0.4,-0.5,1\nd,0,1,5\ne,9,9,1\n",
		"numbers": "0,1,2\n1,1,1\n-0.5,0.4,1\n1,0,5\n9,9,1\n",
	} {
		points := must.Get(PointsCSV{}.Read(write(t, "p.csv", text)))(t, name)
		n, err := g.Count(points)
		must.Be(t, err == nil && slices.Equal(n.Values, []float64{2, 1, 1, 0}) && n.Counted == 3 && n.Beyond == 1 &&
			n.Masked == 1,
			"%s: %+v, %v", name, n, err)
		must.Equal(t, n.String(), "3 points on the grid, 1 beyond its edges, 1 in cells outside of the domain", n)
	}
	for name, text := range map[string]string{"named": "x;y;weight\n-0,5;7;1,5\n", "numbers": "-0,5;7;1,5\n"} {
		// decimal commas
		points, err := PointsCSV{}.Read(write(t, "p.csv", text))
		must.Be(t, err == nil && slices.Equal(points, []grid.Point{{X: -0.5, Y: 7, Weight: 1.5}}),
			"decimal commas, %s: %v, %v", name, points, err)
	}
	points, err := PointsCSV{X: "lon", Y: "lat", Comma: ';'}.Read(write(t, "p.csv", "lat;lon\n5;7\n"))
	must.Be(t, err == nil && slices.Equal(points, []grid.Point{{X: 7, Y: 5, Weight: 1}}), "%v, %v", points, err)
	for name, c := range map[string]struct{ text, says string }{
		"no column": {"lon,lat\n1,2\n", `no column "x"|lon|PointsCSV`},
		"two of x":  {"x,y,X\n1,2,3\n", `columns 1 and 3 are both called "X"`},
		"text":      {"x,y\n1,2\n3,north\n", `line 3, column 2: "north"`},
		"NaN":       {"x,y\nNaN,2\n", "line 2, column 1"},
		"negative":  {"1,2,-3\n", "line 1: the weight is -3"},
		"short":     {"x,y\n1\n", "line 2 has 1 columns, the first line 2"},
		// R's write.table
		"row names": {"x,y\n1,3.5,4.5\n", "line 2 has 3 columns, the first line 2; give every line as many"},
		"one":       {"1\n2\n", "line 1 has 1 columns"},
		"empty":     {"", "the file is empty"},
		"header":    {"x,y,weight\n", "there are no points"},
		"comments":  {"# cut\n\n", "there are no points"},
	} {
		_, err := PointsCSV{}.Read(write(t, "bad.csv", c.text))
		must.Says(t, name, err, c.says+"|bad.csv")
	}
}

func TestASCIIGrid(t *testing.T) {
	f := must.Get(ReadASCIIGrid(write(t, "a.asc",
		"NCOLS 3\nnrows 2\nxllcorner 100\nyllcorner 50\ncellsize 10\nNODATA_value -1\n1 2 3\n4 -1\n6\n")))(t)
	must.Be(t, slices.EqualFunc(f.Values, []float64{1, 2, 3, 4, math.NaN(), 6}, same) &&
		slices.Equal(f.Grid.Outside, []bool{false, false, false, false, true, false}),
		"%+v", f)
	x, y := f.Grid.Centre(0)
	must.Be(t, x == 105 && y == 65, "the upper left centre is (%g, %g), want (105, 65)", x, y)
	x, y = f.Grid.Centre(5)
	must.Be(t, x == 125 && y == 55, "the lower right centre is (%g, %g), want (125, 55)", x, y)
	c, err := ReadASCIIGrid(write(t, "c.asc", "ncols 2 nrows 1 xllcenter 5 yllcenter 7 dx 2 dy 3\n-9999 3.4028234e+38"))
	x, y = c.Grid.Centre(1)
	must.Be(t, err == nil && x == 7 && y == 7 && !c.Grid.Inside(0) && c.Grid.Inside(1), "centres: %+v, %v", c, err)
	if f, err := ReadASCIIGrid(write(t, "b.asc",
		"\ufeffncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n")); err != nil ||
		!slices.Equal(f.Values, []float64{1, 2}) {
		t.Errorf("a byte order mark: %+v, %v", f, err)
	}
	single, err := ReadASCIIGrid(write(t, "s.asc",
		"ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nnodata_value -3.40282347e+38\n1 "+
			"-3.4028234663852886e+38\n"))
	must.Be(t, err == nil && !single.Grid.Inside(1), "single precision: %+v, %v", single, err)
	for name, text := range map[string]string{
		"NaN first":           "nodata_value nan\nnan 1\n",
		"rounded to a single": "nodata_value 1e20\n1.00000002004087734e+20 1\n",
		"a fraction":          "nodata_value -99.9\n-99.9000015258789 1\n",
		"all digits":          "nodata_value -99.9\n-99.9 1\n",
	} {
		f, err := ReadASCIIGrid(write(t, "n.asc", "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n"+text))
		must.Be(t, err == nil && slices.EqualFunc(f.Values, []float64{math.NaN(), 1}, same) && !f.Grid.Inside(0) &&
			f.Grid.Inside(1),
			"%s: %+v, %v", name, f, err)
	}
	head := "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
	for name, c := range map[string]struct{ text, says string }{
		"short":     {head + "1 2 3", "3 values for 2 rows of 2"},
		"long":      {head + "1 2 3 4 5", "more values than 2 rows of 2"},
		"text":      {head + "1 2 x 4", `row 1, column 0: "x"`},
		"no corner": {"ncols 2\nnrows 2\nxllcorner 0\ncellsize 1\n1 2 3 4", "yllcorner"},
		"two":       {head + "xllcenter 3\n1 2 3 4", "give one"},
		"no size":   {"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\n1 2 3 4", "cellsize"},
		"key":       {"columns 2\n", `"columns"`},
		"fraction":  {"ncols 2.5\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1", "ncols 2.5"},
		"empty":     {"", "nrows 0"},
		"twice":     {"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNROWS 4\n1 2 3 4", "nrows twice"},
		"no data":   {head + "nodata_value -1\nNODATA_VALUE 1\n1 2 3 4", "nodata_value twice"},
		"two sizes": {head + "dx 2\ndy 2\n1 2 3 4", "cellsize and dx; give one"},
	} {
		_, err := ReadASCIIGrid(write(t, "bad.asc", c.text))
		must.Says(t, name, err, c.says+"|bad.asc")
	}
}
