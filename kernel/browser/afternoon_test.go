package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// ran writes a notebook of code cells and has `expfam run` execute it, which writes the page beside it.
func ran(t *testing.T, path string, sources []string, args ...string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "kernel")
	out, err := exec.Command("go", "build", "-o", bin, checkout+"/kernel").CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	home := os.Getenv(homeEnv)
	if home == "" {
		home = t.TempDir()
	}
	spec := map[string]any{"name": "expfam", "display_name": "expfam (Go)", "language": "go"}
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": spec}}
	for i, source := range sources {
		nb.Cells = append(nb.Cells, &ipynb.Cell{ID: fmt.Sprintf("typed-%d", i), Type: ipynb.Code, Source: source})
	}
	must.Do(t, nb.Write(path))
	run := exec.Command(bin, append(append([]string{"run"}, args...), path)...)
	run.Dir, run.Env = checkout, environment(t, home)
	out, err = run.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
}

// TestLinksInThePage types links into the panel of lesson 01 in its page, whose program runs in the browser. No link
// stops it. TestLinksSweep of package microscope has all families, links and times.
func TestLinksInThePage(t *testing.T) {
	beside(t)
	shots(t)
	lesson := must.Get(ipynb.Read(filepath.Join(checkout, "notebooks", "01-conjugacy-and-evidence.ipynb")))(t)
	var sources []string
	for _, c := range lesson.Cells {
		if c.Type == ipynb.Code && (!strings.HasPrefix(c.Source, "%%") ||
			strings.Contains(c.Source, "link := &live.Text")) {
			sources = append(sources, c.Source)
		}
	}
	dir := t.TempDir()
	ran(t, filepath.Join(dir, "links.ipynb"), sources, "-live", "in")
	at := slices.IndexFunc(sources, func(s string) bool { return strings.Contains(s, "link := &live.Text") })
	cell := fmt.Sprintf("cell-typed-%d", at)
	p := host(t, dir)
	p.url = "file://" + dir + "/"
	p.visit("links.html")
	t.Logf("live after %.0f ms", in[float64](p, 2*time.Minute, "live", cell, 90000))
	for _, family := range []string{"binomial(n=12)", "bernoulli", "geometric"} {
		in[drawn](p, time.Minute, "set", cell, "likelihood", family, 30000)
		for _, link := range []string{"sigmoid(5*x)", "normcdf(x)", "1-exp(-exp(x))", ""} {
			for _, when := range []float64{0.02, 1} {
				in[drawn](p, time.Minute, "set", cell, "time t", when, 30000)
				got := in[drawn](p, time.Minute, "set", cell, "link θ(x), empty for the family's own", link, 30000)
				must.Equal(t, got.Error, "", family, link, "time", when)
			}
		}
	}
}

// TestAfternoon opens the page of a notebook that looks at somebody's own files, in both themes. Every figure is live,
// and has the ground of its page.
func TestAfternoon(t *testing.T) {
	beside(t)
	s := server{shots: shots(t)}
	dir, figures := t.TempDir(), 0
	var sources []string
	for _, look := range kerneltest.Afternoon {
		if sources = append(sources, look.Source); look.Parts != nil {
			figures++
		}
	}
	must.Do(t, kerneltest.AfternoonFiles(dir))
	ran(t, filepath.Join(dir, "afternoon.ipynb"), sources)
	p := s.browse(t)
	for scheme, ground := range map[string]string{"light": "rgb(255, 255, 255)", "dark": ""} {
		feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{feature}}
		must.Get(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media))(t)
		p.size(1100, 1000)
		do(p, time.Minute, chromedp.Navigate("file://"+filepath.Join(dir, "afternoon.html")))
		live := 0
		for range 120 { // figures become live one after the other, and take the colours of the page
			const count = `document.querySelectorAll("[data-live=echarts],[data-live=maps]").length`
			live = do(p, time.Minute, chromedp.Evaluate[int](count))
			if time.Sleep(500 * time.Millisecond); live == figures {
				break
			}
		}
		white := do(p, time.Minute, chromedp.Evaluate[int](`Array.from(document.querySelectorAll("[data-live]"))
			.filter(e => e.style.background === "rgb(255, 255, 255)").length`))
		must.Be(t, live == figures && (white == 0) != (ground != ""),
			"%s: %d live figures, %d of them white; want %d", scheme, live, white, figures)
		height := do(p, time.Minute, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
		for k := int64(0); k < height; k += 1500 {
			p.size(1100, 1500)
			do(p, time.Minute, chromedp.Evaluate[any](fmt.Sprintf("scrollTo(0, %d); 0", k)))
			time.Sleep(500 * time.Millisecond)
			p.shot(fmt.Sprintf("%s-%d", scheme, k/1500))
		}
	}
}
