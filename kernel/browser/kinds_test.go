package browser

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// hostile is text that must stay text: markup, quotes of both kinds, an entity, other scripts.
const hostile = `<script>globalThis.broken=1</script><img src=x onerror="globalThis.broken=1">'"&amp;${1} θ̂ 北京`

// testKinds shows every kind of figure with hostile text wherever it takes text.
func testKinds(t *testing.T, s server) {
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	for _, source := range []string{
		"import (\n\t\"math/rand/v2\"\n\n\t\"github.com/expfam/lab/viz\"\n\t\"gonum.org/v1/gonum/mat\"\n)\n\nconst evil = " + strconv.Quote(hostile) + `

func draws(shift float64) *mat.Dense {
	r, m := rand.New(rand.NewPCG(1, 2)), mat.NewDense(200, 6, nil)
	for i := range 200 {
		for j := range 6 {
			m.Set(i, j, math.Exp(shift+float64(j)/6+0.3*r.NormFloat64()))
		}
	}
	return m
}`,
		"%%\nviz.Show(viz.Intervals{Methods: []viz.Method{{Name: evil, Draws: draws(0)}, {Name: \"b\", Draws: " +
			"draws(1)}}, Truth: []float64{1, 1, 1, 2, 2, 2}, Title: evil, YLabel: evil})",
		"%%\nviz.Show(viz.Lines{Lines: []viz.Line{{Name: evil, Y: []float64{1, 3, 2}, Low: []float64{0, 2, 1}, " +
			"High: []float64{2, 4, 3}}, {Name: \"b\", Y: []float64{2, 1, 2}}}, Title: evil, XLabel: evil, YLabel: " +
			"evil, Note: evil})",
		"%%\nviz.Show(viz.Density{Methods: []viz.Method{{Name: evil, Draws: draws(0)}}, Cell: 2, Title: evil})",
		"%%\nviz.Show(viz.Curve{Train: []float64{3, 2, 1.5, 1.2}, Title: evil})",
		"%%\nviz.Show(viz.Table{Title: evil, Columns: []viz.Column{{Name: evil, Unit: evil}, {Name: \"n\"}}, Rows: " +
			"[][]any{{evil, 1}}, Note: evil})",
		"%%\nf := viz.Progress(evil, evil)\nfor i := range 20 {\n\tf(i+1, 20, float64(i))\n\ttime.Sleep(50 * " +
			"time.Millisecond)\n}",
	} {
		nb.Cells = append(nb.Cells, &ipynb.Cell{ID: "cell-" + string(rune('a'+len(nb.Cells))), Type: ipynb.Code,
			Source: source})
	}
	must.Do(t, nb.Write(filepath.Join(s.root, "kinds.ipynb")))
	p := s.browse(t)
	p.survive("kinds.ipynb", 2*time.Minute)
	saved := must.Get(ipynb.Read(filepath.Join(s.root, "kinds.ipynb")))(t)
	bar := saved.Cells[len(saved.Cells)-1].Outputs
	must.Be(t, len(bar) == 1 && strings.Contains(bar[0].Content("text/html"), "20 of 20"),
		"the progress bar is %d outputs, want one in its last state: %+v", len(bar), bar)
	for _, name := range []string{"kinds.ipynb", "kinds-unsigned.ipynb"} {
		p.open(name)
		p.check(map[bool]string{true: "live", false: "static"}[name == "kinds.ipynb"])
		must.Be(t, !js[bool](p, time.Minute, "broken"), "%s: text of a figure ran as a script", name)
		for _, problem := range js[[]string](p, time.Minute, "showsText", hostile) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}
