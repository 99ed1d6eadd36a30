package viz

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot"

	"github.com/expfam/lab/internal/must"
)

var regen = flag.Bool("regen", false, "rewrite the golden files of testdata")

// Golden compares the numeric rendering of a chart with testdata/name.json:
// texts, ranges, ticks, and of each mark its colour, size and first rows.
func Golden(t *testing.T, name string, c *Chart) {
	t.Helper()
	d := must.Get(c.layout())(t)
	type axis struct {
		Label  string     `json:"label"`
		Range  [2]float64 `json:"range"`
		Ticks  []float64  `json:"ticks"`
		Labels []string   `json:"labels"`
	}
	numbers := func(a Axis, lo, hi float64, ticks []plot.Tick) axis {
		out := axis{Label: a.Label, Range: [2]float64{digits(lo), digits(hi)}, Ticks: labelled(ticks)}
		for _, t := range ticks {
			if t.Label != "" {
				out.Labels = append(out.Labels, t.Label)
			}
		}
		return out
	}
	got := struct {
		Title   string    `json:"title"`
		Note    string    `json:"note"`
		Legend  []string  `json:"legend"`
		X       axis      `json:"x"`
		Y       axis      `json:"y"`
		Stripes int       `json:"stripes"`
		Marks   []outline `json:"marks"`
	}{Title: c.Title, Note: d.Note, Legend: d.entries(), Stripes: len(c.stripes),
		X: numbers(c.X, d.xmin, d.xmax, d.xticks), Y: numbers(c.Y, d.ymin, d.ymax, d.yticks)}
	for _, m := range d.marks {
		got.Marks = append(got.Marks, outlineOf(m))
	}
	text := must.Get(json.MarshalIndent(got, "", " "))(t)
	compareGolden(t, name, text)
}

// compareGolden compares a text with testdata/name.json, or rewrites that.
func compareGolden(t *testing.T, name string, text []byte) {
	t.Helper()
	text = append(text, '\n')
	path := filepath.Join("testdata", name+".json")
	if *regen {
		must.Do(t, os.WriteFile(path, text, 0o644))
		return
	}
	want := must.Get(os.ReadFile(path))(t)
	must.Be(t, bytes.Equal(text, want),
		"%s differs from its golden file; go test ./viz -regen rewrites it. Got:\n%s", name, text)
}
