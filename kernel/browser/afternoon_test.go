package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/kernel/internal/typed"
	"github.com/expfam/lab/kernel/ipynb"
)

// TestAfternoon opens the page of a notebook that looks at somebody's own files, in both themes. Every figure is live, and
// has the ground of its page.
func TestAfternoon(t *testing.T) {
	beside(t)
	s := server{shots: shots(t)}
	dir, bin := t.TempDir(), filepath.Join(t.TempDir(), "kernel")
	if out, err := exec.Command("go", "build", "-o", bin, checkout+"/kernel").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	home := os.Getenv(homeEnv)
	if home == "" {
		home = t.TempDir()
	}
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam", "display_name": "expfam (Go)", "language": "go"}}}
	figures := 0
	for i, look := range typed.Afternoon {
		nb.Cells = append(nb.Cells, &ipynb.Cell{ID: fmt.Sprintf("look-%d", i), Type: ipynb.Code, Source: look.Source})
		if look.Parts != nil {
			figures++
		}
	}
	path := filepath.Join(dir, "afternoon.ipynb")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	if err := typed.AfternoonFiles(dir); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(bin, "run", path)
	run.Dir, run.Env = checkout, environment(t, home)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := s.browse(t)
	for scheme, ground := range map[string]string{"light": "rgb(255, 255, 255)", "dark": ""} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		p.size(1100, 1000)
		do(p, time.Minute, chromedp.Navigate("file://"+filepath.Join(dir, "afternoon.html")))
		time.Sleep(2 * time.Second) // figures become live, and take the colours of the page
		live := do(p, time.Minute, chromedp.Evaluate[int](`document.querySelectorAll("[data-live=echarts],[data-live=maps]").length`))
		white := do(p, time.Minute, chromedp.Evaluate[int](`Array.from(document.querySelectorAll("[data-live]")).filter(e => e.style.background === "rgb(255, 255, 255)").length`))
		if live != figures || (white == 0) == (ground != "") {
			t.Errorf("%s: %d live figures, %d of them white; want %d", scheme, live, white, figures)
		}
		height := do(p, time.Minute, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
		for k := int64(0); k < height; k += 1500 {
			p.size(1100, 1500)
			do(p, time.Minute, chromedp.Evaluate[any](fmt.Sprintf("scrollTo(0, %d); 0", k)))
			time.Sleep(500 * time.Millisecond)
			p.shot(fmt.Sprintf("%s-%d", scheme, k/1500))
		}
	}
}
