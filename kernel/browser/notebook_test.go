package browser

import (
	_ "embed"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

//go:embed notebook.js
var notebookJS string

// figures is what the page shows of a notebook.
type figures struct {
	Trusted  bool
	Cells    int // code cells with a figure
	Figures  int // that their outputs hold
	Tables   int
	Problems []string // what is missing, and where
}

// open loads a notebook, whose path is below the server's folder, as a person who follows a link to it.
func (p page) open(path string) {
	p.t.Helper()
	do(p, 2*time.Minute, chromedp.Navigate(fmt.Sprintf("%s/lab/tree/%s?token=%s&reset", p.url, path,
		url.QueryEscape(p.token))))
	do(p, time.Minute, chromedp.Evaluate[any](notebookJS+"\n0"))
	js[any](p, 2*time.Minute, "ready", filepath.Base(path))
}

// check finds every figure in the form that it should have: "live" on a canvas, "static" as an image.
func (p page) check(form string) figures {
	p.t.Helper()
	seen := js[figures](p, 3*time.Minute, "figures", form)
	for _, problem := range seen.Problems {
		p.t.Errorf("%s: %s", form, problem)
	}
	must.Equal(p.t, seen.Trusted, form == "live", form, "the notebook is trusted")
	return seen
}

// runAll runs every cell and waits for the last.
func (p page) runAll(limit time.Duration) {
	p.t.Helper()
	start := time.Now()
	for _, problem := range js[[]string](p, limit, "runAll") {
		p.t.Error(problem)
	}
	p.t.Logf("ran in %.1f s", time.Since(start).Seconds())
}

// survive is what every notebook with figures goes through: run, saved, loaded again, in both themes, and without
// trust.
func (p page) survive(path string, limit time.Duration) {
	p.t.Helper()
	p.open(path)
	p.runAll(limit)
	ran := p.check("live")
	p.t.Logf("%d figures and %d tables in %d cells", ran.Figures, ran.Tables, ran.Cells)
	must.Be(p.t, ran.Figures != 0, "no figure")
	js[any](p, time.Minute, "save")

	p.open(path)
	if again := p.check("live"); again.Figures != ran.Figures || again.Tables != ran.Tables {
		p.t.Errorf("loaded again: %+v, was %+v", again, ran)
	}
	for _, theme := range []string{"Light", "Dark"} {
		js[any](p, time.Minute, "theme", "JupyterLab "+theme)
		p.scroll(strings.ToLower(theme))
	}
	js[any](p, time.Minute, "theme", "JupyterLab Light")

	// Trust hangs on the content: with one more cell it is somebody else's notebook.
	file := filepath.Join(p.root, path)
	nb := must.Get(ipynb.Read(file))(p.t)
	nb.Cells = append(nb.Cells, &ipynb.Cell{ID: "by-somebody-else", Type: ipynb.Markdown, Source: "One more."})
	unsigned := strings.TrimSuffix(path, ".ipynb") + "-unsigned.ipynb"
	must.Do(p.t, nb.Write(filepath.Join(p.root, unsigned)))
	p.open(unsigned)
	if static := p.check("static"); static.Figures != ran.Figures || static.Tables != ran.Tables {
		p.t.Errorf("without trust: %+v, was %+v", static, ran)
	}
	p.scroll("untrusted")
	js[any](p, time.Minute, "theme", "JupyterLab Dark")
	p.scroll("untrusted-dark")
	if cards := js[int](p, time.Minute, "cards"); cards > 0 {
		p.t.Errorf("without trust %d figures are white at night", cards)
	}
	js[any](p, time.Minute, "theme", "JupyterLab Light")
}

// scroll takes screenshots of the whole notebook, from its top to its end.
func (p page) scroll(name string) {
	p.t.Helper()
	p.size(1300, 1800)
	for i := 0; ; i++ {
		more := js[bool](p, time.Minute, "scrollTo", i)
		p.shot(fmt.Sprintf("%s-%02d", name, i+1))
		if !more || i > 40 {
			break
		}
	}
	p.size(1300, 1000)
}

func TestNotebooks(t *testing.T) {
	beside(t)
	s := start(t)
	paths, err := filepath.Glob(filepath.Join(s.root, "notebooks", "*.ipynb"))
	must.Need(t, err == nil && len(paths) != 0, "no notebooks: %v", err)
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".ipynb"), func(t *testing.T) {
			p := s.browse(t)
			t.Run("committed", func(t *testing.T) { // as on the first visit: nobody has run it here
				q := p
				q.t = t
				q.open("notebooks/" + name)
				q.check("static")
			})
			p.survive("notebooks/"+name, 12*time.Minute)
			p.open("notebooks/" + name)
			nb := must.Get(ipynb.Read(path))(t)
			for _, cell := range js[[]int](p, time.Minute, "panels") {
				p.panel(cell, 20)
				if strings.Contains(nb.Cells[cell].Source, "live.Mask{") {
					p.paint(cell, "Eight draws")
				}
			}
		})
	}
	t.Run("figures of every kind", func(t *testing.T) { testKinds(t, s) })
	t.Run("slider", func(t *testing.T) { testSlider(t, s) })
}
