package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// cell is what the page shows of a cell that was typed.
type cell struct {
	Shown, Failed string
	Times         string // below the cell
}

// TestCells types a session that nobody prepared into an empty notebook, with a restart in it.
func TestCells(t *testing.T) {
	beside(t)
	s := start(t)
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	nb.Cells = []*ipynb.Cell{{ID: "first", Type: ipynb.Code}}
	must.Do(t, nb.Write(filepath.Join(s.root, "typed.ipynb")))
	p := s.browse(t)
	p.open("typed.ipynb")
	kept := 0
	for _, part := range [][]kerneltest.Cell{kerneltest.Session, kerneltest.AfterRestart} {
		if kept > 0 {
			js[any](p, time.Minute, "save") // the kernel looks for names in what was saved
			js[any](p, time.Minute, "restart")
		}
		for i, c := range part {
			got := js[cell](p, 2*time.Minute, "type", c.Source)
			must.Do(t, c.Compare(i+1, got.Shown, got.Failed), c.Name)
			must.Be(t, got.Times == "" || strings.Contains(got.Times, "built"), "%s: times %q", c.Name, got.Times)
			if got.Times != "" {
				kept++
			}
		}
	}
	must.Be(t, kept >= len(kerneltest.Session)/3, "%d cells say how long they took", kept)
	js[any](p, time.Minute, "save")
	saved := must.Get(ipynb.Read(filepath.Join(s.root, "typed.ipynb")))(t)
	for _, c := range saved.Cells {
		for _, out := range c.Outputs {
			must.Be(t, !strings.Contains(out.Text, "built"), "the file has times: %q", out.Text)
		}
	}
	panel := js[[]string](p, time.Minute, "variables")
	must.Be(t, strings.Contains(strings.Join(panel, "|"), "total|int|") && panel[0] == "name", "variables: %q", panel)
	// A page that is closed while a cell runs is opened again: the cell has what it showed in the meantime.
	const slow = "fmt.Println(\"begins\")\ntime.Sleep(8 * time.Second)\nfmt.Println(\"ends\")"
	js[any](p, time.Minute, "begin", slow)
	must.Equal(t, js[string](p, time.Minute, "shownBy", slow, "begins\n"), "begins\n")
	js[any](p, time.Minute, "save")
	p.open("typed.ipynb")
	must.Equal(t, js[string](p, time.Minute, "shownBy", slow, "ends\n"), "begins\nends\n")
	for _, theme := range []string{"Light", "Dark"} {
		js[any](p, time.Minute, "theme", "JupyterLab "+theme)
		p.scroll(strings.ToLower(theme))
	}
}
