package viz_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// hill is a field of 6 by 8 cells, and draws around it that scatter more on the right.
func hill() (viz.Rows, *mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(2, 3))
	field, draws, sd := make(viz.Rows, 6), mat.NewDense(64, 48, nil), make([]float64, 48)
	for r := range field {
		field[r] = make([]float64, 8)
		for c := range field[r] {
			field[r][c] = math.Exp(-(math.Pow(float64(r)-2.5, 2) + math.Pow(float64(c)-3, 2)) / 8)
			j := 8*r + c
			sd[j] = 0.01 + 0.04*float64(c)
			for i := range 64 {
				draws.Set(i, j, field[r][c]+sd[j]*rng.NormFloat64())
			}
		}
	}
	return field, draws, sd
}

// effects of 3 data: that of datum c on cell j is c−1 times j over 100.
type effects struct{}

func (effects) Dims() (data, cells int) { return 3, 48 }

func (effects) Datum(c, j int) (number int, effect, noise float64) {
	return 10 + c, float64(c-1) * float64(j) / 100, 0.01
}

// bins and a curve for the figures of calibration.
type bins struct{}

func (bins) Len() int { return 12 }

func (bins) Bin(i int) (from, to, observed, expected, low, high float64) {
	e := 40 * math.Exp(-float64((i-4)*(i-4))/8)
	o := math.Round(e)
	if i == 0 {
		o = 25
	}
	return float64(i), float64(i + 1), o, e, max(0, e-2*math.Sqrt(e)), e + 2*math.Sqrt(e)
}

type sCurve struct{}

func (sCurve) Curve() (x, y, low, high []float64) {
	for k := range 20 {
		p := (float64(k) + 0.5) / 20
		x, y = append(x, p), append(y, p*p*(3-2*p))
		low, high = append(low, max(0, p-0.08)), append(high, min(1, p+0.08))
	}
	return x, y, low, high
}

// decisions are the figures of this file by name.
func decisions() map[string]viz.Figure {
	field, draws, sd := hill()
	rate := &viz.Scale{Label: "rate", Min: -0.2, Max: 1.2}
	return map[string]viz.Figure{
		"reliability": viz.Reliability{Of: []viz.Calibrated{sCurve{}}, Title: "Predicted and observed"},
		"rootogram":   viz.Rootogram{Of: bins{}, Title: "How often each count was observed"},
		"outcomes":    viz.Outcomes{Map: viz.Map{Field: field, Scale: rate, Title: "Draws of a map"}, Draws: draws},
		"pixelation": viz.Pixelation{Map: viz.Map{Field: field, Scale: rate, Title: "A pixel is a draw"},
			Draws: draws},
		"glyphs": viz.Glyphs{Map: viz.Map{Field: field, Scale: rate, Title: "Small discs are uncertain"},
			Uncertainty: sd,
			Label:       "sd"},
		"influence": viz.Influence{Map: viz.Map{Field: field, Scale: rate, Title: "Why is it red here?"}, Of: effects{},
			Name: func(d int) string { return "<b>village</b> " + string(rune('A'+d-10)) }},
	}
}

// Each figure has its static twin: a picture in every format, and HTML with the picture inside that is the same twice.
func TestDecisionFigures(t *testing.T) {
	for name, fig := range decisions() {
		t.Run(name, func(t *testing.T) {
			wellFormed(t, encode(t, fig, viz.SVG))
			n := len(encode(t, fig, viz.PNG))
			must.Be(t, n >= 2000 && n <= 200<<10, "a PNG of %d bytes", n)
			encode(t, fig, viz.PDF)
			html := encode(t, fig, viz.HTML)
			must.Be(t, bytes.Contains(html, []byte("data:image/svg+xml;base64,")) &&
				bytes.Contains(html, []byte("<script>")),
				"the HTML is not a picture with a program")
			m := foreign.Find(html)
			must.Be(t, m == nil, "has an address of another host: %s", m)
			must.Be(t, bytes.Equal(html, encode(t, fig, viz.HTML)), "two renderings differ")
			must.Be(t, !bytes.Contains(html, []byte("<b>village")), "a name of the data is markup")
			must.Do(t, viz.Save(fig, filepath.Join(t.TempDir(), name+".html")))
		})
	}
}

// The list of a cell has the largest effects first, with their noise.
func TestInfluenceList(t *testing.T) {
	v := decisions()["influence"].(viz.Influence)
	v.Cell, v.Top = 20, 2
	text := string(encode(t, v, viz.Text))
	a, c := strings.Index(text, "A −0.2 [0.01]"), strings.Index(text, "C +0.2 [0.01]")
	must.Be(t, a >= 0 && c >= 0, "no list in %q", text)
	html := string(encode(t, v, viz.HTML))
	for _, want := range []string{"&lt;b&gt;village&lt;/b&gt; A", "± 0.01 noise"} {
		must.Be(t, strings.Contains(html, want), "the HTML has no %q", want)
	}
}

// lots are two regions in a row, 0 to 1 and 1 to 2 degrees east.
type lots int

func (l lots) String() string { return "lot" }

func (l lots) Outline() [][][2]float64 {
	x := float64(l)
	return [][][2]float64{{{x, 50}, {x + 1, 50}, {x + 1, 51}, {x, 51}, {x, 50}}}
}

// two are the effects 1 and 2 of one datum on two cells.
type two struct{}

func (two) Dims() (data, cells int)                { return 1, 2 }
func (two) Datum(_, j int) (int, float64, float64) { return 0, float64(j + 1), 0 }

// The lists of a part of a map are those of its cells, and the frame of a region is its outline.
func TestInfluenceParts(t *testing.T) {
	field := viz.Rows{{1, 2}}
	part := viz.Influence{Of: two{}, Map: viz.Map{Field: field, Window: viz.Window{XMin: 0.5, XMax: 1.5, YMin: -1,
		YMax: 1}}}
	html := string(encode(t, part, viz.HTML))
	must.Be(t, strings.Contains(html, `"effects":[[0,2,0]]`), "%s", html)
	regions := viz.Influence{Of: two{}, Map: viz.Choropleth([]lots{0, 1}, []float64{1, 2})}
	framed := regexp.MustCompile(`<path d="M[^"]+"[^>]*#D55E00`)
	must.Be(t, framed.Match(encode(t, regions, viz.SVG)), "no region is framed")
}

// A pixel of a cell is one of its draws, and a certain value has a full disc.
func TestFinerMaps(t *testing.T) {
	field, draws, sd := hill()
	few := mat.NewDense(9, 48, nil)
	must.Refuse(viz.Pixelation{Map: viz.Map{Field: field}, Draws: few}.Encode(viz.SVG))(t, "at least 16 draws")
	must.Refuse(viz.Pixelation{Map: viz.Map{Field: field}}.Encode(viz.SVG))(t, "no draws")
	must.Refuse(viz.Glyphs{Map: viz.Map{Field: field}, Uncertainty: sd[1:]}.Encode(viz.SVG))(t, "47 uncertainties")
	must.Refuse(viz.Glyphs{Map: viz.Map{Field: field}, Uncertainty: make([]float64, 48)}.Encode(viz.SVG))(t,
		"must be positive")
	must.Refuse(viz.Outcomes{Map: viz.Map{Field: field}}.Encode(viz.SVG))(t, "Draws")
	must.Refuse(viz.Outcomes{Map: viz.Map{Field: field, Scale: &viz.Scale{Log: true}}, Draws: draws}.Encode(viz.SVG))(t,
		"logarithmic")
	must.Refuse(viz.Reliability{Of: []viz.Calibrated{sCurve{}, sCurve{}}}.Encode(viz.SVG))(t, "0 names for 2 curves")
	must.Refuse(viz.Rootogram{}.Encode(viz.SVG))(t, "no bins")
	must.Refuse(viz.Influence{Map: viz.Map{Field: field}}.Encode(viz.SVG))(t, "needs a Field")
	must.Refuse(viz.Page{}.Encode(viz.HTML))(t, "no sections")
	must.Refuse(viz.Page{Sections: []viz.Section{{Figures: []any{3}}}}.Encode(viz.HTML))(t, "section 1, figure 1")
	must.Refuse(viz.Page{Sections: []viz.Section{{Figures: []any{(*viz.Chart)(nil)}}}}.Encode(viz.HTML))(t,
		"section 1, figure 1: viz: there is no figure, but a nil *viz.Chart")
}

// Draws without a colour bar, and draws that are all equal, are outcomes like others. Colours are those of the Window.
func TestPlainOutcomes(t *testing.T) {
	field, draws, _ := hill()
	equal := mat.NewDense(4, 48, nil)
	equal.Apply(func(int, int, float64) float64 { return 3 }, equal)
	for _, v := range []viz.Outcomes{{Map: viz.Map{Field: field, Scale: &viz.Scale{NoBar: true}}, Draws: draws},
		{Map: viz.Map{Field: field}, Draws: equal}} {
		for _, format := range []viz.Format{viz.SVG, viz.HTML} {
			must.Get(v.Encode(format))(t)
		}
	}
	equal.Apply(func(_, j int, _ float64) float64 { return float64(j % 8) }, equal) // the column
	html := string(must.Get(viz.Outcomes{Draws: equal, Map: viz.Map{Field: field,
		Window: viz.Window{XMin: 1.5, XMax: 4.5, YMin: 0, YMax: 5}}}.Encode(viz.HTML))(t))
	must.Be(t, strings.Contains(html, `"low":2,"high":4`), "the colours are not those of the Window: %s", html)
}

// A page has all its parts in order, and texts of the data are no markup.
func TestPage(t *testing.T) {
	p := viz.Page{Title: "One & two", Lead: "a < b\n\nsecond", Sections: []viz.Section{{Title: "<i>", Text: "words",
		Figures: []any{decisions()["rootogram"], viz.Table{Columns: []viz.Column{{Name: "x"}}, Rows: [][]any{{1}}}}}}}
	html := string(encode(t, p, viz.HTML))
	for _, want := range []string{"One &amp; two", "a &lt; b", "&lt;i&gt;", "each count was observed", "<table"} {
		must.Be(t, strings.Contains(html, want), "no %q", want)
	}
	must.Be(t, strings.Contains(string(encode(t, p, viz.Text)), "a < b"), "the text has no lead")
}
