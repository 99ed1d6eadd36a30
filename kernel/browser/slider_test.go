package browser

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// panel runs the cell of a panel, reports how long each of its sliders takes to redraw the figure, and ends it.
func (p page) panel(cell, moves int) {
	p.t.Helper()
	for _, label := range js[[]string](p, 5*time.Minute, "live", cell) {
		ms := js[[]float64](p, 5*time.Minute, "latencies", cell, label, moves)
		slices.Sort(ms)
		p.t.Logf("cell %d, %q to the redrawn figure: median %.0f ms, 95%% %.0f ms of %d moves", cell+1, label,
			ms[len(ms)/2], ms[len(ms)*95/100], len(ms))
		must.Be(p.t, ms[len(ms)-1] < 20000, "cell %d, %q: a move changed nothing for 20 s", cell+1, label)
	}
	js[any](p, time.Minute, "done", cell)
}

// testSlider drags a slider fast: its last value is the one that has to be shown at the end, every time.
func testSlider(t *testing.T, s server) {
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	nb.Cells = []*ipynb.Cell{{ID: "panel", Type: ipynb.Code, Source: `import (
	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/live"
)

%%
s := &live.Slider{Label: "level", Min: 0, Max: 100, Step: 1, Value: 50}
live.Show(func() (viz.Figure, error) {
	return viz.Lines{Lines: []viz.Line{{Name: "y", Y: []float64{0, s.Value, 100}}}, Title: fmt.Sprintf("value is %.0f", s.Value)}, nil
}, s)`}, {ID: "next", Type: ipynb.Code, Source: "%%\nfmt.Println(\"next\")"}}
	must.Do(t, nb.Write(filepath.Join(s.root, "slider.ipynb")))
	p := s.browse(t)
	p.open("slider.ipynb")
	js[any](p, 2*time.Minute, "live", 0)
	lost := 0
	for i := range 30 {
		var values []int
		for k := range 20 {
			values = append(values, (31*i+17*k+k*k)%100)
		}
		pause := []int{0, 2, 10, 30}[i%4] // ms between movements
		want := strconv.Itoa(values[len(values)-1])
		if got := js[string](p, time.Minute, "drag", 0, "level", values, pause, want); got != want {
			lost++
			t.Errorf("drag %d, %d ms between movements: the figure shows %q, want %s", i+1, pause, got, want)
		}
	}
	t.Logf("%d of 30 last values lost", lost)
	p.shot("live")
	js[any](p, time.Minute, "done", 0)
	p.panel(0, 40)
	js[any](p, time.Minute, "save")
	p.open("slider.ipynb")
	p.shot("saved")
	must.Equal(t, len(js[[]int](p, time.Minute, "panels")), 1, "panels in the saved notebook")
}
