package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// TestWords looks at what a person reads while long work goes on, after a fault and after the stop button, and starts a
// notebook from the launcher.
func TestWords(t *testing.T) {
	beside(t)
	s := start(t)
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	nb.Cells = []*ipynb.Cell{{ID: "first", Type: ipynb.Code}}
	must.Do(t, nb.Write(filepath.Join(s.root, "words.ipynb")))
	p := s.browse(t)
	p.open("words.ipynb")
	fault := js[cell](p, 2*time.Minute, "type", "func third(x []int) int { return x[3] }\n\nthird([]int{1, 2})")
	must.Be(t, strings.Contains(fault.Failed, "index out of range") && js[bool](p, time.Minute, "folds"),
		"a fault shows %+v, and no folded trace", fault)
	js[cell](p, 2*time.Minute, "type", `expfam.MustLink("exp(2+x")`)
	t.Run("while it trains", func(t *testing.T) {
		words := []string{"running, ", "training: ", " per s, ", "steps of 1000 draws"}
		said := js[[]string](p, 4*time.Minute, "during",
			"learn.Train(gp.RBF{Cells: 12}, learn.Training{Steps: 200000, Fresh: true})", words, true)
		all := strings.Join(said, "\n")
		for _, want := range append(words, "interrupted after ") {
			must.Be(t, strings.Contains(all, want), "it does not say %q in\n%s", want, all)
		}
	})
	for _, theme := range []string{"Light", "Dark"} {
		js[any](p, time.Minute, "theme", "JupyterLab "+theme)
		p.scroll("words-" + strings.ToLower(theme))
	}
	must.Be(t, js[bool](p, time.Minute, "launcher", "Counts in a line"), "the launcher has no templates")
	p.shot("launcher-dark")
	js[any](p, time.Minute, "theme", "JupyterLab Light")
	p.shot("launcher-light")
	js[any](p, time.Minute, "press", "Counts in a line")
	js[any](p, 2*time.Minute, "ready", "counts.ipynb")
	p.runAll(5 * time.Minute)
	seen := js[figures](p, 3*time.Minute, "figures", "live")
	must.Be(t, seen.Figures >= 3 && len(seen.Problems) <= 0, "%+v", seen)
	p.scroll("counts")
}
