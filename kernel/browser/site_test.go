package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/kernel/internal/wasm"
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
	must.Need(t, err == nil, "%v\n%s", err, out)
	t.Logf("%s", out)
	return dir
}

// hosted is a tab at a plain server of a site's files.
type hosted struct {
	page
	url    string
	server *httptest.Server
	quiet  bool // errors in the console are no failures
}

// host serves a folder and opens a browser that reaches nothing else. An error in the console fails the test.
func host(t *testing.T, dir string) *hosted {
	t.Helper()
	return hostBy(t, http.FileServer(http.Dir(dir)))
}

// hostBy opens a browser at a server of one's own.
func hostBy(t *testing.T, files http.Handler) *hosted {
	t.Helper()
	shots := shots(t)
	s := httptest.NewServer(files)
	t.Cleanup(s.Close)
	p := &hosted{page: server{shots: shots}.browse(t), url: s.URL + "/", server: s}
	var mu sync.Mutex
	wrong := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		must.Be(t, p.quiet, "the console: %s", text)
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
		_, err = chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument,
			cdp.AddScriptToEvaluateOnNewDocumentParams{Source: siteJS})
	}
	must.Do(t, err)
	return p
}

func (p *hosted) visit(name string) { do(p.page, time.Minute, chromedp.Navigate(p.url+name)) }

func (p *hosted) test() *testing.T { return p.t }

func (p *hosted) ask(limit time.Duration, expression string) string {
	p.t.Helper()
	return do(p.page, limit, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

// reader is a tab of a browser at a site.
type reader interface {
	test() *testing.T
	// ask evaluates an expression whose promise brings a text.
	ask(limit time.Duration, expression string) string
	shot(name string)
}

// in calls a function of site.js.
func in[T any](p reader, limit time.Duration, call string, args ...any) (result T) {
	t := p.test()
	t.Helper()
	list := make([]string, len(args))
	for i, arg := range args {
		data := must.Get(json.Marshal(arg))(t)
		list[i] = string(data)
	}
	text := p.ask(limit, fmt.Sprintf("(async () => JSON.stringify(await lives.%s(%s)) ?? 'null')()", call,
		strings.Join(list, ",")))
	err := json.Unmarshal([]byte(text), &result)
	must.Need(t, err == nil, "%s: %v in %s", call, err, text)
	return result
}

type drawn struct{ Figure, Error string }

type control struct {
	Label, Kind, Value string
	Min, Max, Step     float64
	Options            []string
}

// liveCells are how many cells of a lesson a site makes live; of others it shows settings drawn beforehand.
var liveCells = map[string]int{"00-ten-rates.html": 2, "01-conjugacy-and-evidence.html": 3, "02-links.html": 4,
	"03-gp-benchmark.html": 2, "00b-diffusion-by-hand.html": 8, "06-is-it-calibrated.html": 1,
	"04-score-based-cox-process.html": 1, "05-malaria-map.html": 2, "07-operators.html": 2,
	"08-districts-and-weeks.html": 2, "09-epidemic.html": 2}

// TestSite opens lessons at a plain server of files, without a network: their live cells react.
func TestSite(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)...)
	pages := must.Get(filepath.Glob(filepath.Join(dir, "0*.html")))(t)
	for _, path := range pages {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) {
			p := host(t, dir)
			p.visit(name)
			t.Logf("readable after %.0f ms", in[float64](p, time.Minute, "readable"))
			liveLesson(p, name)
		})
	}
}

// liveLesson makes all live cells of an open lesson live, and moves each of their controls.
func liveLesson(p reader, name string) {
	t := p.test()
	t.Helper()
	cells := in[[]string](p, time.Minute, "cells")
	must.Equal(t, len(cells), liveCells[name], "live cells")
	for _, cell := range cells {
		ms := in[float64](p, 2*time.Minute, "live", cell, 90000)
		t.Logf("%s: live %.0f ms after it came into view", cell, ms)
		for _, c := range in[[]control](p, time.Minute, "controls", cell) {
			reacts(p, cell, c)
		}
		p.shot(cell)
	}
	for _, problem := range in[[]string](p, time.Minute, "problems") {
		t.Error(problem)
	}
}

// reacts moves one control and back: the figure changes and returns.
func reacts(p reader, cell string, c control) {
	t := p.test()
	t.Helper()
	was := in[string](p, 2*time.Minute, "figure", cell, 60000)
	var to any
	switch c.Kind {
	case "range":
		to = c.Min + (c.Max-c.Min)*0.8
	case "choice":
		to = c.Options[len(c.Options)-1]
	case "text":
		to = "sigmoid(1+x)"
		if c.Label == "observations" {
			to = "1, 2, 3"
		}
	default:
		return
	}
	got := in[drawn](p, 2*time.Minute, "set", cell, c.Label, to, 60000)
	must.Be(t, got.Error == "" && got.Figure != was,
		"%s: %q to %v: the figure is the same, or an error: %s", cell, c.Label, to, got.Error)
	if c.Kind == "text" {
		bad := in[drawn](p, 2*time.Minute, "set", cell, c.Label, "exp(", 60000)
		must.Be(t, bad.Error != "", "%s: %q takes what is no formula", cell, c.Label)
	}
	back := in[drawn](p, 2*time.Minute, "set", cell, c.Label, c.Value, 60000)
	must.Be(t, back.Error == "" && (c.Kind == "range" || back.Figure == was),
		"%s: %q back to %v: another figure than before: %s", cell, c.Label, c.Value, back.Error)
}

// TestSiteLooks keeps screenshots of the index and of lessons at the sizes of a phone, a laptop and paper, by day and
// at night. None is wider than its window.
func TestSiteLooks(t *testing.T) {
	beside(t)
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
			media := emulation.SetEmulatedMediaParams{Media: size.media,
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
			must.Get(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media))(t)
			for _, name := range names {
				p.visit(name)
				time.Sleep(500 * time.Millisecond) // figures take the colours of the page
				if over := do(p.page, time.Minute,
					chromedp.Evaluate[float64]("document.documentElement.scrollWidth - innerWidth")); over > 0 {
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
	must.Need(t, err == nil && len(all) != 0, "no notebooks: %v", err)
	for _, path := range all {
		paths = append(paths, "notebooks/"+filepath.Base(path))
	}
	return paths
}

// TestSiteLastValue moves the first slider of live cells fast, in every rhythm: the figure at the end is that of the
// last value, as a single move to it draws it.
func TestSiteLastValue(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)[:4]...)
	for _, name := range []string{"01-conjugacy-and-evidence.html", "02-links.html", "03-gp-benchmark.html"} {
		t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) {
			p := host(t, dir)
			p.visit(name)
			for _, cell := range in[[]string](p, time.Minute, "cells") {
				lastValue(p, cell, fulltest.N(4, 30))
			}
			for _, problem := range in[[]string](p, time.Minute, "problems") {
				t.Error(problem)
			}
			do(p.page, time.Minute, chromedp.Reload())
			cell := in[[]string](p, time.Minute, "cells")[0]
			t.Logf("live again %.0f ms after a reload", in[float64](p, 2*time.Minute, "live", cell, 90000))
		})
	}
}

// lastValue drags the first slider of a live cell so many times.
func lastValue(p reader, cell string, drags int) {
	t := p.test()
	t.Helper()
	in[float64](p, 3*time.Minute, "live", cell, 150000)
	all := in[[]control](p, time.Minute, "controls", cell)
	i := slices.IndexFunc(all, func(c control) bool { return c.Kind == "range" })
	if i < 0 {
		return
	}
	c, wrong := all[i], 0
	at := func(k int) float64 { return c.Min + math.Round(float64(k%9+1)/10*(c.Max-c.Min)/c.Step)*c.Step }
	want := map[float64]string{}
	for k := range 4 {
		want[at(k)] = in[drawn](p, 3*time.Minute, "set", cell, c.Label, at(k), 150000).Figure
	}
	for i := range drags {
		var values []float64
		for k := range 19 {
			values = append(values, at(31*i+17*k+k*k))
		}
		values = append(values, at(i%4))
		got := in[drawn](p, 3*time.Minute, "drag", cell, c.Label, values, []int{0, 2, 10, 30}[i%4], 150000)
		if got.Figure != want[at(i%4)] || got.Error != "" {
			wrong++
			t.Errorf("%s: drag %d of %q ends at another figure than that of %g: %s", cell, i+1, c.Label, at(i%4),
				got.Error)
		}
	}
	t.Logf("%s: %d of %d last values lost", cell, wrong, drags)
}

// TestSiteSpeed reports how long a reader waits, beside one busy thread of its own. Nothing fails here but sizes: times
// are those of the machine and of what else it does.
func TestSiteSpeed(t *testing.T) {
	shots(t)
	dir := sited(t, lessons(t)[:4]...)
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d processors, a busy thread beside, load before %s", goruntime.NumCPU(), strings.TrimSpace(string(load)))
	var over atomic.Bool
	t.Cleanup(func() { over.Store(true) })
	go func() {
		for !over.Load() {
		}
	}()
	for _, c := range []struct {
		name, page, cell, label, choose, option string
		most                                    int // ms from slider to figure, in the median, that are wanted
	}{
		{"microscope", "01-conjugacy-and-evidence.html", "cell-cell-14", "time t", "", "", 300},
		{"pull on cells that are alike", "01-conjugacy-and-evidence.html", "cell-cell-27", "correlation ρ", "", "",
			300},
		{"link, no draws", "02-links.html", "cell-cell-15", "s", "", "", 300},
		{"learned prior, 96 draws, two figures", "02-links.html", "cell-cell-25", "s", "", "", 3000},
		{"learned prior, 100 draws", "03-gp-benchmark.html", "cell-cell-46", "data set", "prior", "learned", 3000},
		{"exact prior, 100 draws", "03-gp-benchmark.html", "cell-cell-46", "data set", "prior", "exact", 1500},
		{"form, ten counts, 100 draws", "00-ten-rates.html", "cell-cell-06", "seed", "", "", 1500},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := host(t, dir)
			p.visit("index.html") // the browser has begun
			p.visit(c.page)
			readable := in[float64](p, time.Minute, "readable")
			bytes := in[float64](p, time.Minute, "size")
			must.Be(t, bytes <= 6e6, "a reader fetches %.2f MB, more than 6", bytes/1e6)
			first := in[float64](p, 3*time.Minute, "live", c.cell, 150000)
			if c.choose != "" {
				in[drawn](p, 3*time.Minute, "set", c.cell, c.choose, c.option, 150000)
			}
			all := in[[]control](p, time.Minute, "controls", c.cell)
			s := all[slices.IndexFunc(all, func(s control) bool { return s.Label == c.label })]
			var values []float64
			for k := range 12 {
				values = append(values, s.Min+math.Round((0.3+0.4*float64(k*7%12)/12)*(s.Max-s.Min)/s.Step)*s.Step)
			}
			ms := in[[]float64](p, 5*time.Minute, "latencies", c.cell, c.label, values)
			slices.Sort(ms)
			t.Logf("readable after %.0f ms (1000 wanted), %.2f MB, first live figure after %.0f ms (4000 wanted), "+
				"slider to figure: median %.0f ms (%d wanted), slowest %.0f ms of %d",
				readable, bytes/1e6, first, ms[len(ms)/2], c.most, ms[len(ms)-1], len(ms))
		})
	}
}

// TestPageWithProgram opens the page of a notebook from its file, with its program inside.
func TestPageWithProgram(t *testing.T) {
	beside(t)
	shots(t)
	root := must.Get(filepath.Abs(checkout))(t)
	nb := must.Get(ipynb.Read(filepath.Join(root, "notebooks/00-ten-rates.ipynb")))(t)
	packages := must.Get(front.Library(root))(t)
	cells := must.Get(wasm.Cells(nb, packages))(t)
	program := must.Get(wasm.Build(t.Context(), root, filepath.Join(root, "notebooks"), cells))(t)
	data := must.Get(exporter.Render(nb, "x", exporter.Scripts{Live: &exporter.Live{Cells: program.Cells,
		Program: program.Code, Runtime: program.Runtime, Files: program.Files}}))(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	must.Do(t, os.WriteFile(path, data, 0o600))
	p := host(t, dir)
	p.url = "file://" + dir + "/"
	p.visit("page.html")
	for _, cell := range in[[]string](p, time.Minute, "cells") {
		t.Logf("%.1f MB, %s: live %.0f ms after it came into view", float64(len(data))/1e6, cell,
			in[float64](p, 3*time.Minute, "live", cell, 150000))
		if cell != tenCell {
			continue // a guess, which has no observations
		}
		got := in[drawn](p, 3*time.Minute, "set", cell, "observations", "1, 2, 3", 150000)
		must.Be(t, got.Error == "" && strings.Contains(got.Figure, "θ of 3 observations"),
			"%s does not follow its form: %s", cell, got.Error)
	}
	for _, problem := range in[[]string](p, time.Minute, "problems") {
		t.Error(problem)
	}
}
