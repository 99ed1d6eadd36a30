package viz_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// speckle is n by n exponential numbers, a fifth of them held out.
func speckle(n int) viz.Map {
	r := rand.New(rand.NewPCG(1, 4))
	m, held := make(viz.Rows, n), make([]bool, n*n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j], held[i*n+j] = r.ExpFloat64(), r.Float64() < 0.2
		}
	}
	return viz.Map{Field: m, Held: held}
}

func TestMapHTML(t *testing.T) {
	// Half of the script of a file, 10 KiB, is in each.
	for n, most := range map[int]int{64: 62 << 10, 256: 600 << 10} {
		v := viz.Maps{Maps: []viz.Map{speckle(n), speckle(n)}}
		html := encode(t, v, viz.HTML)
		must.Be(t, len(html) <= 2*most, "%d cells a side: %d bytes a map, want at most %d", n, len(html)/2, most)
		m := foreign.Find(html)
		must.Be(t, m == nil, "has an address of another host: %s", m)
		must.Be(t, !bytes.Contains(html, []byte("data-uses")), "asks for a library that it does not use")
		svg := must.Get(base64.StdEncoding.DecodeString(string(dataURI.FindSubmatch(html)[1])))(t)
		wellFormed(t, svg)
		must.Be(t, bytes.Equal(html, encode(t, v, viz.HTML)),
			"two renderings differ; a cell that runs again would change the notebook")
		encode(t, v, viz.PDF)
	}
}

func TestMapEscape(t *testing.T) {
	const hostile = `</script><img src=x onerror="alert(1)"> & xlink:href="data:image/jpg;base64,` + "\x00"
	m := viz.Map{Field: viz.Rows{{1, 2}, {3, 4}}, Title: hostile, XLabel: hostile, YLabel: hostile,
		Scale: &viz.Scale{Label: hostile}}
	v := viz.Maps{Maps: []viz.Map{m, m}, Title: hostile, Note: hostile, RowLabels: []string{hostile},
		ColumnLabels: []string{hostile, hostile}, Width: 4000}
	text := wellFormed(t, encode(t, v, viz.SVG))
	must.Be(t, strings.Count(text, "</script><img src=x") >= 8, "the SVG does not show the texts as they are")
	html := string(encode(t, v, viz.HTML))
	if strings.Contains(html, "<img src=x") || strings.Count(html, "</script") != 1 || strings.Contains(html, "\x00") {
		t.Error("the HTML has unescaped text")
	}
	encode(t, v, viz.PNG)
	encode(t, v, viz.PDF)
}

func TestMapErrors(t *testing.T) {
	nan := math.NaN()
	good := viz.Rows{{1, 2}, {3, 4}}
	one := viz.Map{Field: good}
	for _, c := range []struct {
		name string
		fig  viz.Figure
		want string
	}{
		{"no field", viz.Map{}, "map: no field; give Field"},
		{"no cells", viz.Map{Field: viz.Rows{}}, "map: 0 columns and 0 rows; need 1 to 8192 of each"},
		{"ragged", viz.Map{Field: viz.Rows{{1, 2}, {3}}}, "map: row 1 has 1 values, row 0 has 2"},
		{"all missing", viz.Map{Field: viz.Rows{{nan, nan}}}, "map: all 2 cells are NaN; there is nothing to draw"},
		{"infinite", viz.Map{Field: viz.Rows{{1, math.Inf(1)}}},
			"map: column 1, row 0 is +Inf; values must be finite, or NaN where there is none"},
		{"held", viz.Map{Field: good, Held: make([]bool, 3)}, "map: 3 cells of Held for 2 columns and 2 rows"},
		{"aspect", viz.Map{Field: good, Aspect: -1}, "map: aspect -1; it must be positive"},
		{"min and max", viz.Map{Field: good, Scale: &viz.Scale{Min: 2, Max: 1}},
			"map: scale from Min 2 to Max 1; both must be finite and Min below Max"},
		{"log", viz.Map{Field: viz.Rows{{0, -1}}, Scale: &viz.Scale{Log: true}},
			"map: no value is above 0, and a logarithmic scale shows no other; leave Log out"},
		{"log min", viz.Map{Field: good, Scale: &viz.Scale{Log: true, Max: 1}},
			"map: logarithmic scale from Min 0; it must be positive"},
		{"log diverging", viz.Map{Field: good, Scale: &viz.Scale{Log: true, Diverging: true}},
			"map: a scale cannot be logarithmic and diverging; map the logarithms of ratios"},
		{"width", viz.Map{Field: good, Width: 5000}, "map: width 5000 px; must be in 200 to 4000"},
		{"maps/narrow", viz.Maps{Maps: []viz.Map{one, one, one, one}, Columns: 4, Width: 200,
			Scale: &viz.Scale{NoBar: true}}, ""},
		{"maps/too narrow", viz.Maps{Maps: slices.Repeat([]viz.Map{one}, 10), Columns: 10, Width: 200},
			"maps: 10 columns in 200 px leave each map 10 px; use fewer columns or a greater Width"},
		{"format", nil, `map: no format ".csv"; use one of .svg .png .pdf .html .txt`},
		{"high", viz.Map{Field: slices.Repeat(good, 50)},
			"map: a map is 50 times as high as wide; give it an Aspect below 1"},
		{"higher", viz.Map{Field: slices.Repeat(good, 50), Width: 800},
			"map: 1 rows are 36574 px high; show fewer at a time, or give high maps an Aspect below 1"},
		{"flattened", viz.Map{Field: slices.Repeat(good, 50), Aspect: 0.04}, ""},
		{"maps/none", viz.Maps{}, "maps: no maps; give at least one"},
		{"maps/empty", viz.Maps{Maps: []viz.Map{{}}}, "maps: no map has a field; give at least one"},
		{"maps/columns", viz.Maps{Maps: []viz.Map{one}, Columns: 2}, "maps: 2 columns for 1 maps; use 1 to 1"},
		{"maps/column labels", viz.Maps{Maps: []viz.Map{one, one}, Columns: 2, ColumnLabels: []string{"a"}},
			"maps: 1 column labels for 2 columns"},
		{"maps/row labels", viz.Maps{Maps: []viz.Map{one, one}, Columns: 1, RowLabels: []string{"a"}},
			"maps: 1 row labels for 2 rows"},
		{"maps/which", viz.Maps{Columns: 2, Maps: []viz.Map{one, one, {Field: viz.Rows{{nan}}}}},
			"maps: map 3 (row 2, column 1): all 1 cells are NaN; there is nothing to draw"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			if c.fig == nil {
				_, err = one.Encode(viz.CSV)
			} else {
				_, err = c.fig.Encode(viz.HTML)
			}
			must.Be(t, (err != nil || c.want == "") && (err == nil || err.Error() == c.want),
				"got  %v\nwant %s", err, c.want)
		})
	}
	t.Run("unequal spacing", func(t *testing.T) {
		_, err := viz.Map{Field: bent{good}}.Encode(viz.SVG)
		want := "map: x 1 is 1, equal spacing has 2; resample to equally spaced centres"
		must.Be(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
	})
}

// bent has x = 0, 1, 4.
type bent struct{ viz.Rows }

func (b bent) Dims() (c, r int)   { return 3, 1 }
func (b bent) Z(c, r int) float64 { return 1 }
func (b bent) X(c int) float64    { return float64(c * c) }
