package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// TestLooks looks in both themes at what is not a cell that just ran: a live figure under an error, and figures whose
// programs do not run.
func TestLooks(t *testing.T) {
	beside(t)
	s := start(t)
	t.Run("under an error", func(t *testing.T) { testStale(t, s) })
	t.Run("without trust", func(t *testing.T) {
		p := s.browse(t)
		p.open("notebooks/04-score-based-cox-process.ipynb")
		p.check("static")
		for _, theme := range []string{"Dark", "Light"} {
			js[any](p, time.Minute, "theme", "JupyterLab "+theme)
			cards := js[int](p, time.Minute, "cards")
			// On a busy machine a figure is redrawn some seconds after the theme has changed.
			for end := time.Now().Add(20 * time.Second); theme == "Dark" && cards > 0 && time.Now().Before(end); {
				time.Sleep(200 * time.Millisecond)
				cards = js[int](p, time.Minute, "cards")
			}
			if theme == "Dark" && cards > 0 || theme == "Light" && cards < 8 { // the lesson has eight beside stills
				t.Errorf("%s: %d figures are white", theme, cards)
			}
			p.scroll(strings.ToLower(theme))
		}
	})
}

// testStale types what a panel refuses, and what its figure cannot be drawn from: the error stands there, and the
// figure of the last values that were drawn is dimmed until it is the present one again.
func testStale(t *testing.T, s server) {
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	nb.Cells = []*ipynb.Cell{{ID: "panel", Type: ipynb.Code, Source: `link := &live.Text{Label: "link", Value: "exp(1+x)", Check: func(s string) error {
	_, err := expfam.ParseLink(s)
	return err
}}
rows := &live.Slider{Label: "rows", Min: 0, Max: 8, Step: 1, Value: 4}
live.Show(func() (viz.Figure, error) {
	if rows.Value == 0 {
		return nil, errors.New("a map of 0 rows; give at least 1")
	}
	heights := make([][]float64, int(rows.Value))
	for r := range heights {
		for c := range 8 {
			heights[r] = append(heights[r], math.Sin(float64(r*c)))
		}
	}
	field := expfam.Must(grid.NewField(heights))
	return viz.Map{Title: link.Value, Field: field}, nil
}, link, rows)`}}
	must.Do(t, nb.Write(filepath.Join(s.root, "stale.ipynb")))
	p := s.browse(t)
	p.open("stale.ipynb")
	js[any](p, 2*time.Minute, "live", 0)
	for _, c := range []struct{ name, label, value, error string }{
		{"refused", "link", "exp(2+x", "missing"},
		{"mended", "link", "exp(2+x)", ""},
		{"not drawn", "rows", "0", "a map of 0 rows"},
		{"drawn", "rows", "6", ""},
	} {
		stands := js[string](p, time.Minute, "write", 0, c.label, c.value, c.error != "")
		if c.error == "" && stands != "" || !strings.Contains(stands, c.error) {
			t.Errorf("%s: below the controls stands %q, want %q", c.name, stands, c.error)
		}
		for _, theme := range []string{"Light", "Dark"} {
			js[any](p, time.Minute, "theme", "JupyterLab "+theme)
			p.shot("stale-" + c.name + "-" + strings.ToLower(theme))
			cards := js[int](p, time.Minute, "cards")
			must.Be(t, theme != "Dark" || cards <= 0, "%s: the figure is white at night", c.name)
		}
	}
	js[any](p, time.Minute, "done", 0)
}
