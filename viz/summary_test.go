package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// drawn is a posterior by hand.
type drawn struct {
	*mat.Dense
	rows, cols int
}

func (d drawn) String() string               { return "three draws\nby hand" }
func (d drawn) Describe() (what, how string) { return "3 draws <of θ>", "by hand" }
func (d drawn) Shape() (rows, cols int)      { return d.rows, d.cols }

// threeDraws are j + 0, 1 and 2 in cell j.
func threeDraws(cells int) *mat.Dense {
	x := mat.NewDense(3, cells, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(i + j) }, x)
	return x
}

// A line goes through the cells in the order of their positions, and so does the truth.
func TestPositionsInAnyOrder(t *testing.T) {
	x, truth := make([]float64, 20), make([]float64, 20)
	for j := range x {
		x[j] = float64(7 * j % 20)
		truth[j] = x[j] / 2
	}
	fig := must.Get(Comparison{Methods: []Method{{Name: "a", Draws: threeDraws(20)}}, X: x,
		Truth: truth}.picture([][]summary{must.Get(cellQuantiles("", threeDraws(20)))(t)}))(t)
	lines := fig.(Lines).Lines
	for p := range x { // the median of cell j is j + 1
		j := 3 * p % 20 // 7·3 = 1 modulo 20
		if l := lines[0]; l.X[p] != float64(p) || l.Y[p] != float64(j+1) || lines[1].Y[p] != float64(p)/2 {
			t.Errorf("position %g: median %g, truth %g; want those of cell %d", l.X[p], l.Y[p], lines[1].Y[p], j)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		name       string
		of         drawn
		kind, html string
		csv        int // lines
	}{
		{"one cell", drawn{Dense: threeDraws(1)}, "density", "<td", 1 + 1},
		{"one cell of equal draws", drawn{Dense: mat.NewDense(3, 1, []float64{3, 3, 3})}, "intervals", "<td", 1 + 1},
		{"few cells", drawn{Dense: threeDraws(4)}, "intervals", "average", 1 + 4 + 1},
		{"a line", drawn{Dense: threeDraws(40)}, "lines", "average", 1 + 40 + 1},
		{"a grid", drawn{threeDraws(6), 2, 3}, "maps", "highest mean: row 1, column 2", 1 + 6},
		{"sizes of something else", drawn{threeDraws(6), 3, 3}, "intervals", "average", 1 + 6 + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Summary{Of: c.of}
			cells := must.Get(cellQuantiles("summary", c.of))(t)
			fig := must.Get(v.picture(cells))(t)
			text, _ := fig.Encode(Text)
			must.Be(t, strings.HasPrefix(string(text), "["+c.kind+": "), "the figure is %s, want %s", text, c.kind)
			page := must.Get(v.Encode(HTML))(t)
			for _, want := range []string{"<b>3 draws &lt;of θ&gt;</b><div", "by hand", "data:image/svg+xml",
				">97.5%</th>", c.html} {
				must.Be(t, strings.Contains(string(page), want), "%q is not in the page", want)
			}
			must.Equal(t, string(must.Get(v.Encode(Text))(t)), "three draws\nby hand\n")
			must.Equal(t, strings.Count(string(must.Get(v.Encode(CSV))(t)), "\n"), c.csv, "lines of CSV")
			for _, f := range []Format{SVG, PNG, PDF} {
				must.Get(v.Encode(f))(t, f)
			}
		})
	}
}

// The numbers of a summary are those of the draws: in cell j they are j, j + 1 and j + 2.
func TestSummaryNumbers(t *testing.T) {
	csv := must.Get(Summary{Of: drawn{threeDraws(6), 2, 3}}.Encode(CSV))(t)
	want := "row,column,mean,sd,2.5%,median,97.5%\n"
	for j := range 6 {
		v := float64(j)
		want += fmt.Sprintf("%d,%d,%v,1,%v,%v,%v\n", j/3, j%3, v+1, v+0.05, v+1, v+1.95)
	}
	must.Equal(t, string(csv), want, "CSV")
	// The average over the cells that are not blank, 0 and 5, of draw i is 2.5 + i.
	blank := []bool{false, true, true, true, true, false}
	s := averageOf(threeDraws(6), blank)
	must.Be(t, s.mean == 3.5 && s.sd == 1 && s.q[2] == 3.5, "the average is %+v", s)
}

// Cells with names, such as districts, are intervals beside each other, and named in the table.
// A wrong number of blank cells, or a field of another size, is an error in every format. No average has blank cells.
func TestSummaryBlank(t *testing.T) {
	of, same := drawn{threeDraws(6), 2, 3}, Compare(drawn{Dense: threeDraws(6)}, drawn{Dense: threeDraws(6)})
	same.On = upward{}
	other := "draws of 6 cells on a field of 2 rows and 2 columns"
	for _, format := range []Format{CSV, SVG, HTML} {
		must.Refuse(Summary{Of: of, Blank: make([]bool, 5)}.Encode(format))(t, "summary: 5 cells of Blank for 6 cells")
		must.Refuse(Summary{Of: of, On: upward{}}.Encode(format))(t, "summary: "+other)
		must.Refuse(same.Encode(format))(t, "comparison: "+other)
	}
	must.Refuse(same.Encode(Text))(t, "comparison: "+other)
	csv := must.Get(Summary{Of: drawn{Dense: threeDraws(3)}, Blank: []bool{true, true, false}}.Encode(CSV))(t)
	must.Be(t, strings.HasSuffix(string(csv), "\naverage,3,1,2.05,3,3.95\n"), "%s", csv)
}

func TestSummaryNames(t *testing.T) {
	v := Summary{Of: drawn{Dense: threeDraws(20)}, Names: make([]string, 20)}
	v.Names[1] = "East"
	cells, _ := cellQuantiles("", v.Of)
	must.Equal(t, fmt.Sprintf("%T", must.Get(v.picture(cells))(t)), "viz.Intervals")
	csv, err := v.Encode(CSV)
	must.Be(t, err == nil && strings.Contains(string(csv), "\n1 East,2,1,"), "%s, %v", csv, err)
}

// One draw has a value, and no interval: the table has dashes, and the figure has no bars.
func TestSummaryOfOneDraw(t *testing.T) {
	for name, c := range map[string]struct {
		of         drawn
		kind, rows string
	}{
		"one cell": {drawn{Dense: mat.NewDense(1, 1, []float64{3})}, "lines", "0,3,,,3,\n"},
		"a few":    {drawn{Dense: mat.NewDense(1, 3, []float64{3, 4, 8})}, "lines", "2,8,,,8,\naverage,5,,,5,\n"},
		"a line":   {drawn{Dense: mat.NewDense(1, 20, nil)}, "lines", "19,0,,,0,\n"},
		"a grid":   {drawn{mat.NewDense(1, 6, nil), 2, 3}, "map", "1,2,0,,,0,\n"},
	} {
		v := Summary{Of: c.of}
		cells, _ := cellQuantiles("", c.of)
		fig := must.Get(v.picture(cells))(t)
		if text, _ := fig.Encode(Text); !strings.HasPrefix(string(text), "["+c.kind+": ") ||
			!strings.Contains(string(text), "One draw has no interval") {
			t.Errorf("%s: %s", name, text)
		}
		table, err := v.Encode(CSV)
		must.Be(t, err == nil && strings.Contains(string(table), c.rows), "%s: %v in\n%s", name, err, table)
		page, err := v.Encode(HTML)
		must.Be(t, err == nil && !strings.Contains(string(page), ">NaN<"), "%s: %v", name, err)
	}
}

// Intervals and comparisons of one draw have dots and dashes.
func TestOneDrawElsewhere(t *testing.T) {
	one := mat.NewDense(1, 2, []float64{3, 4})
	c, err := Intervals{Draws: one}.Chart()
	must.Be(t, err == nil && len(c.marks) == 1 && strings.Contains(c.Note, "One draw has no interval"),
		"%v, %+v", err, c)
	text, err := Comparison{Methods: []Method{{Draws: one}, {Draws: one}}}.Encode(CSV)
	must.Be(t, err == nil && strings.Contains(string(text), "\n0,3,,3,,0,\n"), "%v in\n%s", err, text)
}

// Maps take the order of the cells from the field under them.
func TestSummaryOnAField(t *testing.T) {
	v := Summary{Of: drawn{Dense: threeDraws(4)}, On: upward{}}
	cells, _ := cellQuantiles("", v.Of)
	fig := must.Get(v.maps(cells))(t)
	median := fig.(Maps).Maps[1].Field // row 0 of the draws is below
	got := [4]float64{median.Z(0, 0), median.Z(1, 0), median.Z(0, 1), median.Z(1, 1)}
	must.Be(t, got == [4]float64{3, 4, 1, 2}, "medians from the upper left are %v", got)
}

// upward is a lattice whose vectors begin at the lower left.
type upward struct{}

func (upward) Dims() (c, r int)   { return 2, 2 }
func (upward) X(c int) float64    { return float64(c) }
func (upward) Y(r int) float64    { return float64(r) }
func (upward) Z(c, r int) float64 { return math.NaN() }
func (upward) Index(c, r int) int { return 2*r + c }

// A long line of settings is folded behind its beginning.
func TestFolded(t *testing.T) {
	must.Equal(t, folded("by <hand>, in a minute"), "by &lt;hand&gt;, in a minute")
	long := "the method, " + strings.Repeat("a setting, ", 9) + "1.5 s"
	must.Equal(t, folded(long), `<details><summary style="cursor:pointer">the method, a setting, a setting, a setting, `+
		`a setting, a setting …</summary>a setting, a setting, a setting, a setting, 1.5 s</details>`)
}

func TestShowRefuses(t *testing.T) {
	var none *drawn
	holes := drawn{Dense: mat.NewDense(1, 2, []float64{1, math.NaN()})}
	for name, c := range map[string]struct {
		of   any
		says string
	}{
		"a number": {3, "a value of type int is not a figure, table, posterior, field or column; " +
			"fmt.Println prints it"},
		"nothing":            {nil, "there is no figure, but nil"},
		"a nil posterior":    {none, "the posterior is nil; look at the error"},
		"an empty summary":   {Summary{}, "there is no posterior; give Of"},
		"names too few":      {Summary{Of: drawn{Dense: threeDraws(2)}, Names: []string{"a"}}, "1 names for 2 cells"},
		"draws that are NaN": {Summary{Of: holes}, "draw 0 of cell 1 is NaN"},
		"on another field": {Summary{Of: drawn{Dense: threeDraws(6)}, On: upward{}},
			"draws of 6 cells on a field of 2 rows and 2 columns"},
		"blanks of other size": {Summary{Of: drawn{Dense: threeDraws(4)}, On: upward{}, Blank: []bool{true}},
			"1 cells of Blank for 4 cells"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Save(c.of, t.TempDir()+"/a.html")
			must.Be(t, err != nil && strings.Contains(err.Error(), c.says) && !strings.Contains(err.Error(), "\n"),
				"error %v, want one with %q", err, c.says)
		})
	}
}

// namedDraws are draws whose cells have names, as posteriors of districts.
type namedDraws struct{ drawn }

func (d namedDraws) CellNames() []string {
	_, n := d.Dims()
	names := make([]string, n)
	for j := range names {
		names[j] = fmt.Sprintf("district <%d>", j)
	}
	return names
}

// Sixty districts have their names in all rows of a table and in a figure of their intervals, without an option.
func TestNamesOfThePosterior(t *testing.T) {
	v := Summary{Of: namedDraws{drawn{threeDraws(60), 0, 0}}}
	page := must.Get(v.Encode(HTML))(t)
	n := strings.Count(string(page), "district &lt;")
	must.Be(t, n >= 60 && !strings.Contains(string(page), "more rows"), "%d names in the page", n)
	few := Intervals{Draws: threeDraws(3), Names: []string{"Lamu", "a name that is longer than an axis shows", ""}}
	for _, f := range []Format{SVG, HTML} { // the latter with the names for the live chart
		out, err := few.Encode(f)
		must.Be(t, err == nil && strings.Contains(string(out), "Lamu") &&
			strings.Contains(string(out), "a name that is long…"),
			"%s without names: %v", f, err)
	}
	if page, _ := few.Encode(HTML); !strings.Contains(string(page), `\"names\":[\"Lamu`) &&
		!strings.Contains(string(page), `"names":["Lamu`) {
		t.Error("the live chart has no names")
	}
	few.Names = few.Names[:2]
	must.Refuse(few.Encode(SVG))(t, "intervals: 2 names for 3 cells")
	table, err := v.Encode(CSV)
	must.Be(t, err == nil && strings.Contains(string(table), "59 district <59>,"), "%v in\n%s", err, table)
	compared, err := Compare(v.Of, v.Of).Encode(Text)
	must.Be(t, err == nil && strings.Contains(string(compared), "59 district <59>"), "%v in\n%s", err, compared)
}
