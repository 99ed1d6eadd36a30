package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed site.js
var siteJS string

const siteEnv = "EXPFAM_SITE" // the folder of a site that is made already

// sited makes the site of notebooks.
func sited(t *testing.T, notebooks ...string) string {
	t.Helper()
	if dir := os.Getenv(siteEnv); dir != "" {
		return dir
	}
	dir := t.TempDir()
	cmd := exec.Command("go", append([]string{"run", "./kernel", "site", "-out", dir}, notebooks...)...)
	cmd.Dir = checkout
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return dir
}

// hosted is a tab at a plain server of a site's files.
type hosted struct {
	page
	url string
}

// host serves a folder and opens a browser that reaches nothing else. An error in the console fails the test.
func host(t *testing.T, dir string) hosted {
	t.Helper()
	shots := shots(t)
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	p := hosted{server{shots: shots}.browse(t), s.URL + "/"}
	var mu sync.Mutex
	wrong := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		t.Errorf("the console: %s", text)
	}
	err := chromedp.Listen(p.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong(e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				for _, arg := range e.Args {
					wrong(string(arg.Value) + arg.Description)
				}
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				wrong(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: siteJS})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p hosted) visit(name string) { do(p.page, time.Minute, chromedp.Navigate(p.url+name)) }

// in calls a function of site.js.
func in[T any](p hosted, limit time.Duration, call string, args ...any) (result T) {
	p.t.Helper()
	list := make([]string, len(args))
	for i, arg := range args {
		data, err := json.Marshal(arg)
		if err != nil {
			p.t.Fatal(err)
		}
		list[i] = string(data)
	}
	text := do(p.page, limit, chromedp.Evaluate[string](
		fmt.Sprintf("(async () => JSON.stringify(await lives.%s(%s)) ?? 'null')()", call, strings.Join(list, ",")), chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		p.t.Fatalf("%s: %v in %s", call, err, text)
	}
	return result
}

type drawn struct{ Figure, Error string }

type control struct {
	Label, Kind, Value string
	Min, Max, Step     float64
	Options            []string
}

// TestSite opens lessons at a plain server of files, without a network: their live cells react.
func TestSite(t *testing.T) {
	shots(t)
	dir := sited(t, lessons(t)...)
	pages, err := filepath.Glob(filepath.Join(dir, "0*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) {
			p := host(t, dir)
			begin := time.Now()
			p.visit(name)
			t.Logf("readable after %v", time.Since(begin).Round(time.Millisecond))
			for _, cell := range in[[]string](p, time.Minute, "cells") {
				ms := in[float64](p, 2*time.Minute, "live", cell, 90000)
				t.Logf("%s: live %.0f ms after it came into view", cell, ms)
				for _, c := range in[[]control](p, time.Minute, "controls", cell) {
					p.reacts(cell, c)
				}
				p.shot(cell)
			}
			for _, problem := range in[[]string](p, time.Minute, "problems") {
				t.Error(problem)
			}
		})
	}
}

// reacts moves one control and back: the figure changes and returns.
func (p hosted) reacts(cell string, c control) {
	p.t.Helper()
	was := in[string](p, 2*time.Minute, "figure", cell, 60000)
	var to any
	switch c.Kind {
	case "range":
		to = c.Min + (c.Max-c.Min)*0.8
	case "choice":
		to = c.Options[len(c.Options)-1]
	case "text":
		to = "sigmoid(1+x)"
	default:
		return
	}
	got := in[drawn](p, 2*time.Minute, "set", cell, c.Label, to, 60000)
	if got.Error != "" || got.Figure == was {
		p.t.Errorf("%s: %q to %v: the figure is the same, or an error: %s", cell, c.Label, to, got.Error)
	}
	if c.Kind == "text" {
		if bad := in[drawn](p, 2*time.Minute, "set", cell, c.Label, "exp(", 60000); bad.Error == "" {
			p.t.Errorf("%s: %q takes what is no formula", cell, c.Label)
		}
	}
	if back := in[drawn](p, 2*time.Minute, "set", cell, c.Label, c.Value, 60000); back.Error != "" || c.Kind != "range" && back.Figure != was {
		p.t.Errorf("%s: %q back to %v: another figure than before: %s", cell, c.Label, c.Value, back.Error)
	}
}

// TestSiteLooks keeps screenshots of the index and of lessons at the sizes of a phone, a laptop and paper, by day and at night. None
// is wider than its window.
func TestSiteLooks(t *testing.T) {
	shots(t)
	p := host(t, sited(t, lessons(t)...))
	names := []string{"index.html", "01-conjugacy-and-evidence.html", "02-links.html", "03-gp-benchmark.html"}
	for _, size := range []struct {
		name          string
		width, height int64
		media         string
	}{{"phone", 390, 844, "screen"}, {"laptop", 1280, 800, "screen"}, {"paper", 794, 1123, "print"}} {
		p.size(size.width, size.height)
		for _, theme := range []string{"light", "dark"} {
			if size.media == "print" && theme == "dark" {
				continue
			}
			media := emulation.SetEmulatedMediaParams{Media: size.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
			if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				p.visit(name)
				time.Sleep(500 * time.Millisecond) // figures take the colours of the page
				if over := do(p.page, time.Minute, chromedp.Evaluate[float64]("document.documentElement.scrollWidth - innerWidth")); over > 0 {
					t.Errorf("%s is %g px wider than the window of a %s", name, over, size.name)
				}
				p.shot(size.name + "-" + theme + "-" + strings.TrimSuffix(name, ".html"))
				if cells := in[[]string](p, time.Minute, "cells"); len(cells) > 0 && size.media == "screen" {
					in[float64](p, 2*time.Minute, "live", cells[0], 90000)
					p.shot(size.name + "-" + theme + "-" + strings.TrimSuffix(name, ".html") + "-live")
				}
			}
		}
	}
}

// lessons are the notebooks that a site is made of.
func lessons(t *testing.T) (paths []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(checkout, "notebooks", "*.ipynb"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range all {
		paths = append(paths, "notebooks/"+filepath.Base(path))
	}
	return paths
}
