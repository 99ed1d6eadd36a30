package browser

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
)

const ten, tenCell = "00-ten-rates.html", "cell-cell-06" // the lesson whose program is ready first

// TestSiteHosts opens a lesson at servers of files as they are: in a folder of a course, with other types, and with
// compression of their own.
func TestSiteHosts(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)[0])
	files := http.FileServer(http.Dir(dir))
	// assets changes how a server answers for programs.
	assets := func(change func(w http.ResponseWriter, data []byte)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
			if err != nil || !strings.HasSuffix(r.URL.Path, ".bin") {
				files.ServeHTTP(w, r)
				return
			}
			change(w, data)
		})
	}
	for _, c := range []struct {
		name, path string
		server     http.Handler
	}{
		{"in a folder", "Course%201/lab/", http.StripPrefix("/Course 1/lab", files)},
		{"as text", "", assets(func(w http.ResponseWriter, data []byte) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Write(data)
		})},
		{"said to be compressed", "", assets(func(w http.ResponseWriter, data []byte) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(data)
		})},
		{"compressed again", "", assets(func(w http.ResponseWriter, data []byte) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(data)
			z.Close()
		})},
		{"unpacked", "", assets(func(w http.ResponseWriter, data []byte) {
			z, err := gzip.NewReader(bytes.NewReader(data))
			must.Be(t, err == nil, "%v", err)
			w.Header().Set("Content-Type", "application/wasm")
			io.Copy(w, z)
		})},
		{"kept nowhere", "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			files.ServeHTTP(w, r)
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := hostBy(t, c.server)
			p.visit(c.path + ten)
			in[float64](p, 2*time.Minute, "live", tenCell, 90000)
			got := in[drawn](p, time.Minute, "set", tenCell, "observations", "1, 2, 3", 60000)
			must.Be(t, got.Error == "" && strings.Contains(got.Figure, "θ of 3 observations"),
				"the figure does not follow its form: %s", got.Error)
			for _, problem := range in[[]string](p, time.Minute, "problems") {
				t.Error(problem)
			}
		})
	}
}

// TestSiteOffline takes the server away after a visit: the lesson and the index open again, and the lesson is live.
func TestSiteOffline(t *testing.T) {
	beside(t)
	shots(t)
	p := host(t, sited(t, lessons(t)[0]))
	p.visit("index.html")
	p.visit(ten)
	in[float64](p, 2*time.Minute, "live", tenCell, 90000)
	must.Need(t, in[bool](p, time.Minute, "kept", 30000), "the program is not kept")
	p.quiet = true // the browser says what it cannot reach
	p.server.CloseClientConnections()
	p.server.Close()
	do(p.page, time.Minute, chromedp.Reload())
	t.Logf("live %.0f ms after it came into view, without a server",
		in[float64](p, 2*time.Minute, "live", tenCell, 90000))
	p.visit("index.html")
	title := do(p.page, time.Minute, chromedp.Evaluate[string]("document.title"))
	must.Be(t, title == "expfam lab", "the index without a server is %q", title)
}

// TestSiteLacks opens a lesson in browsers without what live figures need: a sentence says so, and the settings drawn
// beforehand are there.
func TestSiteLacks(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)[0])
	for _, c := range []struct {
		name   string
		frames bool // are packed
	}{{"WebAssembly", true}, {"Worker", true}, {"DecompressionStream", false}} {
		t.Run(c.name, func(t *testing.T) {
			p := host(t, dir)
			source := fmt.Sprintf("delete globalThis.%s;", c.name)
			must.Get(chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument,
				cdp.AddScriptToEvaluateOnNewDocumentParams{Source: source}))(t)
			p.visit(ten)
			want := "not live: this browser has no " + c.name + "; what you see was drawn beforehand"
			must.Equal(t, in[string](p, time.Minute, "refused", tenCell, 10000), want, "the page says")
			if !c.frames {
				return
			}
			text := in[string](p, time.Minute, "beforehand", tenCell, 10000)
			must.Be(t, strings.Contains(text, "precomputed settings of seed"),
				"no settings that were drawn beforehand in %q", text)
		})
	}
}
