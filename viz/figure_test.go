package viz_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

func TestGolden(t *testing.T) {
	for name, fig := range figures() {
		t.Run(name, func(t *testing.T) {
			c := must.Get(fig.Chart())(t)
			viz.Golden(t, name, c)
		})
	}
}

// binned are counts as calibrate.Uniform has them.
type binned struct {
	counts              []int
	expected, low, high float64
}

func (b binned) Bins() (counts []int, expected, low, high float64, err error) {
	return b.counts, b.expected, b.low, b.high, nil
}

func encode(t *testing.T, fig viz.Figure, f viz.Format) []byte {
	t.Helper()
	return must.Get(fig.Encode(f))(t)
}

func TestPNG(t *testing.T) {
	for name, fig := range figures() {
		t.Run(name, func(t *testing.T) {
			data := encode(t, fig, viz.PNG)
			// With five to ten figures a lesson stays below 3 MB with room to spare.
			must.Be(t, len(data) <= 100<<10, "%d bytes; want at most 100 KiB", len(data))
			img := must.Get(png.Decode(bytes.NewReader(data)))(t)
			want, least := image.Point{X: 1200, Y: 630}, 100 // 800 by 420 px at 1.5
			switch name {
			case "agreement":
				want, least = image.Point{X: 840, Y: 840}, 0 // its dots are transparent
			case "predictive":
				want, least = image.Point{X: 840, Y: 630}, 20 // two dots
			}
			must.Equal(t, img.Bounds().Size(), want, "size")
			// The corner is the white card; the colour of the first method is there.
			r, g, b, _ := img.At(1, 1).RGBA()
			must.Be(t, r&g&b == 0xffff, "corner is not white")
			n := count(img, viz.OkabeIto[0])
			must.Be(t, n >= least, "%d pixels in the first method's colour, want at least %d", n, least)
		})
	}
}

// count is the number of pixels within 2/255 of a colour.
func count(img image.Image, c color.NRGBA) int {
	near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) <= 2 }
	n := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			p := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if near(p.R, c.R) && near(p.G, c.G) && near(p.B, c.B) {
				n++
			}
		}
	}
	return n
}

// foreign matches addresses with a host; ECharts' own "path://" has none.
var foreign = regexp.MustCompile(`(?i)(https?:|src=.?|url\()\s*//.{0,40}|https?:.{0,40}`)

var dataURI = regexp.MustCompile(`src="data:image/svg\+xml;base64,([^"]+)"`)

func TestHTML(t *testing.T) {
	for name, fig := range figures() {
		t.Run(name, func(t *testing.T) {
			html := encode(t, fig, viz.HTML)
			must.Be(t, len(html) <= 150<<10, "%d bytes; want at most 150 KiB", len(html))
			if m := foreign.Find(html); m != nil {
				t.Errorf("has an address of another host: %s", m)
			}
			m := dataURI.FindSubmatch(html)
			must.Need(t, m != nil, "no static image inside")
			svg := must.Get(base64.StdEncoding.DecodeString(string(m[1])))(t)
			wellFormed(t, svg)
			must.Be(t, bytes.Equal(html, encode(t, fig, viz.HTML)),
				"two renderings differ; a cell that runs again would change the notebook")
		})
	}
}

// TestPhone draws panels and maps for a phone: below each other, with all their titles, and no wider than its screen.
func TestPhone(t *testing.T) {
	chart := func(title string) viz.Figure { return viz.Curve{Train: losses(9), Title: title} }
	field := viz.Rows{{1, 2}, {3, 4}}
	for name, c := range map[string]struct {
		fig  viz.Figure
		want []string
	}{
		"panels": {viz.Panels{Figures: []viz.Figure{chart("one"), chart("two")}}, []string{"one", "two"}},
		"maps": {viz.Maps{Columns: 2, ColumnLabels: []string{"median", "range"}, RowLabels: []string{"a", "b"},
			Maps: []viz.Map{{Field: field, Title: "first"}, {Field: field}, {}, {Field: field}}},
			[]string{"median, a, first", "range, a", "range, b"}},
	} {
		svg := encode(t, c.fig, viz.Phone)
		text, last := wellFormed(t, svg), -1
		for _, title := range c.want {
			at := strings.Index(text, title)
			must.Be(t, at > last, "%s: %q is at %d after %d in %q", name, title, at, last, text)
			last = at
		}
		must.Be(t, bytes.Contains(svg, []byte(`width="360"`)), "%s: %.200s", name, svg)
	}
	for name, fig := range figures() {
		must.Be(t, bytes.Contains(encode(t, fig, viz.Phone), []byte(`width="360"`)), "%s is not 360 px wide", name)
	}
}

func wellFormed(t *testing.T, doc []byte) (text string) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var b strings.Builder
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		must.Need(t, err == nil, "not well-formed: %v", err)
		if s, ok := tok.(xml.CharData); ok {
			b.Write(s)
		}
	}
}

// TestEscape puts hostile and unusual text in every place that takes text.
func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, text, shown string }{
		{"script", `</script><script>alert(1)</script>`, `</script><script>alert(1)</script>`},
		{"image", `<img src=x onerror="alert(1)">`, `<img src=x onerror="alert(1)">`},
		{"quotes", `"a" 'b' & c`, `"a" 'b' & c`},
		{"entity", `&lt;b&gt; &amp;`, `&lt;b&gt; &amp;`},
		{"greek", `θ̂ ≥ 0, naïve Ωμέγα`, `θ̂ ≥ 0, naïve Ωμέγα`},
		{"chinese", `泊松`, `泊松`},
		{"control", "a\x00b\x1bc\x7f", "abc"},
		{"not UTF-8", "a\xffb", "a�b"},
		{"separators", "a\u2028b", "a\u2028b"},
		{"style", `style="font-family:Liberation Sans;font-variant:normal;`,
			`style="font-family:Liberation Sans;font-variant:normal;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fig := viz.Intervals{
				Methods: []viz.Method{{Name: c.text, Draws: posterior(1, 20)},
					{Name: "other", Draws: posterior(2, 20)}},
				Title: c.text, XLabel: c.text, YLabel: c.text, Note: c.text,
			}
			text := wellFormed(t, encode(t, fig, viz.SVG))
			must.Be(t, strings.Contains(text, c.shown), "SVG does not show %q", c.shown)
			if c.name != "chinese" { // TestLetters
				encode(t, fig, viz.PNG)
				encode(t, fig, viz.PDF)
			}
			path := filepath.Join(t.TempDir(), "page.html")
			t.Setenv("EXPFAM_ECHARTS", filepath.Join(t.TempDir(), "none"))
			must.Do(t, viz.Save(fig, path))
			page := must.Get(os.ReadFile(path))(t)
			table := encode(t, viz.Table{Title: c.text, Note: c.text,
				Columns: []viz.Column{{Name: c.text, Unit: c.text}}, Rows: [][]any{{c.text}}}, viz.HTML)
			for name, html := range map[string]string{"page": string(page), "table": string(table)} {
				for _, tag := range []string{"<script>alert", "<img src=x", "\x00", "\x1b"} {
					must.Be(t, !strings.Contains(html, tag), "%s contains %q unescaped", name, tag)
				}
			}
			// One element of the page's own, opened and closed once (two where the library is embedded).
			n, m := strings.Count(string(page), "<script"), strings.Count(string(page), "</script")
			must.Be(t, n == m && n <= 2, "%d <script and %d </script", n, m)
		})
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	own := func(add func(c *viz.Chart)) *viz.Chart { c := &viz.Chart{Kind: "mine"}; add(c); return c }
	three, two := []float64{1, 2, 3}, []float64{1, 2}
	with := func(v float64) *mat.Dense { m := posterior(1, 20); m.Set(3, 7, v); return m }
	for _, c := range []struct {
		name string
		fig  viz.Figure
		want string
	}{
		{"intervals/empty", viz.Intervals{}, "intervals: no draws; give Draws or Methods"},
		{"intervals/nil method", viz.Intervals{Methods: []viz.Method{{Name: "a"}}},
			`intervals: method 1 ("a") has no draws`},
		{"intervals/nil pointer", viz.Intervals{Draws: (*mat.Dense)(nil)}, `intervals: method 1 ("") has no draws`},
		{"intervals/no rows", viz.Intervals{Draws: &mat.Dense{}},
			`intervals: method 1 (""): 0 draws of 0 cells; need at least one of each`},
		{"intervals/nan", viz.Intervals{Draws: with(nan)}, "intervals: draws: draw 3 of cell 7 is NaN"},
		{"intervals/inf", viz.Intervals{Methods: []viz.Method{{Name: "DPS", Draws: with(inf)}}},
			"intervals: DPS: draw 3 of cell 7 is +Inf"},
		{"intervals/cells differ", viz.Intervals{Methods: []viz.Method{{Draws: posterior(1, 9)},
			{Name: "b", Draws: mat.NewDense(2, 3, nil)}}}, `intervals: method 2 ("b") has 3 cells, the first has 30`},
		{"intervals/truth length", viz.Intervals{Draws: posterior(1, 9), Truth: []float64{1}},
			"intervals: truth has 1 values for 30 cells"},
		{"intervals/truth inf", viz.Intervals{Draws: mat.NewDense(2, 1, nil), Truth: []float64{inf}},
			"intervals: truth: cell 0 is +Inf"},
		{"intervals/log", viz.Intervals{Draws: mat.NewDense(2, 1, nil), LogY: true},
			"intervals: nothing to draw: 1 value of 0 or less, which a logarithmic axis cannot show"},
		{"intervals/log range", viz.Intervals{Draws: mat.NewDense(2, 1, nil), LogY: true, YMin: 1, YMax: 2},
			"intervals: nothing to draw: 1 value of 0 or less, which a logarithmic axis cannot show"},
		{"intervals/size", viz.Intervals{Draws: posterior(1, 9), Width: -1},
			"intervals: size -1 by 420 px; width must be in 200 to 4000, height in 120 to 4000"},
		{"curve/empty", viz.Curve{}, `curve: "train" has no values`},
		{"curve/nan", viz.Curve{Train: []float64{nan, nan}}, `curve: "train" has nothing to draw: 2 missing values`},
		{"curve/nan step", viz.Curve{Train: []float64{1, 2}, Steps: []float64{1, nan}},
			"curve: step NaN at 1 follows 1; steps must increase"},
		{"curve/steps", viz.Curve{Train: []float64{1, 2}, Steps: []float64{2, 1}},
			"curve: step 1 at 1 follows 2; steps must increase"},
		{"lines/empty", viz.Lines{}, "lines: no lines; give at least one"},
		{"lines/length", viz.Lines{Lines: []viz.Line{{Name: "a", X: []float64{1}, Y: []float64{1, 2}}}},
			`lines: "a" has 1 values of x for 2 of y`},
		{"lines/half band", viz.Lines{Lines: []viz.Line{{Name: "a", Y: []float64{1}, Low: []float64{1}}}},
			`lines: "a" has one edge of a band; give both Low and High`},
		{"lines/nan", viz.Lines{Lines: []viz.Line{{Name: "a", Y: []float64{nan}}, {Name: "b", Y: []float64{1}}}},
			`lines: "a" has nothing to draw: 1 missing value`},
		{"lines/log", viz.Lines{LogY: true, Lines: []viz.Line{{Name: "a", Y: []float64{-1, 0, inf, nan}}}},
			`lines: "a" has nothing to draw: 1 missing value, 1 infinite value, 2 values of 0 or less, which a logarithmic axis cannot show`},
		{"lines/x inf", viz.Lines{Lines: []viz.Line{{Name: "a", X: []float64{1, inf}, Y: []float64{1, 2}}}},
			`lines: "a": x[1] is +Inf, which has no place; make it NaN to leave the point out`},
		{"lines/log arrow", viz.Lines{LogX: true, XMin: 1, XMax: 9, Lines: []viz.Line{{Y: []float64{1, 2}}},
			Arrows: []viz.Arrow{{X: 2, Y: 1, DX: -3}}},
			"lines: x axis: value -1 cannot be drawn on a logarithmic axis; leave LogX out"},
		{"lines/ends", viz.Lines{YMin: 5, YMax: 1, Lines: []viz.Line{{Y: []float64{1, 0}}}},
			"lines: y axis from 5 to 1; give the smaller end first"},
		{"lines/range", viz.Lines{Lines: []viz.Line{{Y: []float64{-1e308, 1e308}}}},
			"lines: y axis: range -1e+308 to 1e+308 is not finite"},
		{"models/none", viz.ModelRanking{}, "models: nothing to compare; give Of, such as calibrate.Compare's result"},
		{"models/not finite", viz.ModelRanking{Of: models{{"a", math.NaN(), 1, 0, 0}}},
			"models: a: elpd NaN ± 1, difference 0 ± 0; all must be finite"},
		{"uniformity/empty", viz.Uniformity{}, "lines: no lines; give at least one"},
		{"histogram/none", viz.Histogram{}, "histogram: no counts; give Of, such as a calibrate.Uniform"},
		{"histogram/empty", viz.Histogram{Of: binned{}}, "histogram: no counts; give one a bin"},
		{"histogram/negative", viz.Histogram{Of: binned{counts: []int{1, -1}}},
			"histogram: bin 1 has the count -1; counts are not negative"},
		{"histogram/band", viz.Histogram{Of: binned{counts: []int{1}, low: 2, high: 1}},
			"histogram: 0 expected, band from 2 to 1; counts are not negative, and a band is not upside down"},
		{"density/empty", viz.Density{}, "density: no draws; give Draws or Methods"},
		{"density/cell", viz.Density{Draws: posterior(1, 9), Cell: 30},
			"density: posterior: cell 30 of 30, 9 draws; give a cell that exists and at least two draws"},
		{"density/nan", viz.Density{Draws: with(nan), Cell: 7}, "density: posterior: draw 3 of cell 7 is NaN"},
		{"density/constant", viz.Density{Draws: mat.NewDense(5, 1, nil)},
			"density: cell 0: range 0 to 0 of x; give XMin and XMax"},
		{"density/log", viz.Density{Draws: mat.NewDense(2, 1, []float64{-1, 1}), LogX: true},
			"density: cell 0 has draws that are not positive, which a logarithmic axis cannot show; leave LogX out"},
		{"density/log truth", viz.Density{Draws: mat.NewDense(2, 1, []float64{1, 2}), Truth: []float64{0}, LogX: true},
			"density: the truth of cell 0 is 0, which a logarithmic axis cannot show; leave LogX out"},
		{"chart/line", own(func(c *viz.Chart) { c.Line("a", three, two, viz.LineStyle{}) }),
			`mine: "a" has 3 values of x and 2 of another kind; give equally many`},
		{"chart/texts", own(func(c *viz.Chart) { c.Points("a", two, two, []string{"b"}, viz.PointStyle{}) }),
			`mine: "a" has 2 values of x and 1 of another kind; give equally many`},
		{"chart/band", own(func(c *viz.Chart) { c.Band("a", two, two, nil, viz.Ink) }),
			`mine: "a" has 2 values of x and 0 of another kind; give equally many`},
		{"chart/bars", own(func(c *viz.Chart) { c.Bars("a", two, three, two, viz.Ink, 1) }),
			`mine: "a" has 2 values of x and 3 of another kind; give equally many`},
		{"chart/stripe", own(func(c *viz.Chart) { c.Stripe(nan, 1) }),
			"mine: stripe from NaN to 1; both ends must be numbers"},
		{"table/empty", viz.Table{}, "table: 0 columns and 0 rows; need at least one of each"},
		{"table/row", viz.Table{Columns: []viz.Column{{Name: "a"}}, Rows: [][]any{{1, 2}}},
			"table: row 0 has 2 values for 1 columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.fig.Encode(viz.HTML)
			must.Be(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	echarts := filepath.Join(dir, "echarts.min.js")
	must.Do(t, os.WriteFile(echarts, []byte(`var echarts="</script>";`), 0o644))
	t.Setenv("EXPFAM_ECHARTS", echarts)
	fig := viz.Intervals{Draws: posterior(1, 20)}
	for ext, magic := range map[string]string{".svg": "<svg ", ".png": "\x89PNG", ".pdf": "%PDF",
		".html": "<!DOCTYPE html>", ".txt": "[intervals", ".PNG": "\x89PNG"} {
		t.Run(ext, func(t *testing.T) {
			path := filepath.Join(dir, "figure"+ext)
			must.Do(t, viz.Save(fig, path))
			data := must.Get(os.ReadFile(path))(t)
			if !strings.HasPrefix(string(data), magic) {
				t.Errorf("starts with %q, want %q", data[:min(20, len(data))], magic)
			}
			must.Be(t, ext != ".html" || bytes.Contains(data, []byte(`var echarts="<\/script>";`)),
				"the library is not embedded")
		})
	}
	t.Run("unknown format", func(t *testing.T) {
		err := viz.Save(fig, filepath.Join(dir, "a.gif"))
		want := `intervals: no format ".gif"; use one of .svg .png .pdf .html .txt`
		must.Be(t, err != nil && strings.HasPrefix(err.Error(), want), "got %v, want %s", err, want)
	})
	t.Run("no extension", func(t *testing.T) {
		for _, name := range []string{"x", "x.", ".", "a.b/x"} {
			err := viz.Save(fig, filepath.Join(dir, name))
			if err == nil || !strings.HasSuffix(err.Error(),
				"has no extension, which chooses the format; add .svg, .png, .pdf, .html, .txt or .csv") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a private file stays private and a link a link", func(t *testing.T) {
		private, link := filepath.Join(dir, "private.svg"), filepath.Join(dir, "link.svg")
		must.Do(t, os.WriteFile(private, nil, 0o600))
		must.Do(t, os.Symlink("private.svg", link))
		must.Do(t, viz.Save(fig, link))
		to, err := os.Readlink(link)
		info, errStat := os.Stat(private)
		must.Be(t, err == nil && to == "private.svg" && errStat == nil && info.Mode() == 0o600 && info.Size() != 0,
			"link to %q, %v; file %v, %v", to, err, info, errStat)
	})
	t.Run("a pipe", func(t *testing.T) {
		read, write := must.Get2(os.Pipe())(t)
		defer read.Close()
		path := filepath.Join(dir, "pipe.svg")
		must.Do(t, os.Symlink(fmt.Sprintf("/dev/fd/%d", write.Fd()), path))
		all := make(chan []byte)
		go func() {
			data, _ := io.ReadAll(read)
			all <- data
		}()
		for _, path := range []string{path, fmt.Sprintf("/dev/fd/%d", write.Fd())} {
			must.Do(t, viz.Save(fig, path))
		}
		write.Close()
		if data := <-all; !bytes.HasPrefix(data, []byte("<svg ")) ||
			!bytes.Contains(data, []byte("</svg>[intervals")) && !bytes.Contains(data, []byte("</svg>\n[intervals")) {
			t.Errorf("%d bytes, not an SVG and a text", len(data))
		}
	})
	t.Run("a folder that is missing", func(t *testing.T) {
		must.Err(t, viz.Save(fig, filepath.Join(dir, "none", "a.svg")), "none is not there; make it first")
	})
	t.Run("failure keeps the old file", func(t *testing.T) {
		path := filepath.Join(dir, "figure.svg")
		must.Err(t, viz.Save(viz.Intervals{}, path))
		data, err := os.ReadFile(path)
		must.Be(t, err == nil && bytes.HasPrefix(data, []byte("<svg ")), "old file is gone: %v", err)
	})
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	must.Be(t, err == nil && len(left) == 0, "temporary files left: %v %v", left, err)
}

func BenchmarkNotebook(b *testing.B) {
	fig := five()
	for b.Loop() {
		for _, f := range []viz.Format{viz.HTML, viz.PNG, viz.Text} {
			must.Get(fig.Encode(f))(b)
		}
	}
}
