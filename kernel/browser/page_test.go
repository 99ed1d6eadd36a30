package browser

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/viz/program"
)

//go:embed page.js
var pageJS string

// exported is what an exported page shows.
type exported struct {
	Charts, Maps, Sliders, Tables, Images int
	Problems                              []string
}

// export writes the page of a notebook, opens it from its file, as a reader does, and moves its sliders.
func (p page) export(nb *ipynb.Notebook, library []byte) exported {
	p.t.Helper()
	return p.exportIn(p.t.TempDir(), nb, library)
}

func (p page) exportIn(dir string, nb *ipynb.Notebook, library []byte) exported {
	p.t.Helper()
	data := must.Get(exporter.Render(nb, "x", exporter.Scripts{Libraries: map[string][]byte{"echarts": library}}))(p.t)
	path := filepath.Join(dir, "page.html")
	must.Do(p.t, os.WriteFile(path, data, 0o600))
	const watch = `globalThis.violations = [];
		document.addEventListener("securitypolicyviolation", (e) => violations.push(e.effectiveDirective + " " + e.blockedURI + " " + e.sample));`
	must.Get(chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument,
		cdp.AddScriptToEvaluateOnNewDocumentParams{Source: watch}))(p.t)
	do(p, time.Minute, chromedp.Navigate("file://"+path))
	do(p, time.Minute, chromedp.Evaluate[any](pageJS+"\n0"))
	text := do(p, 3*time.Minute, chromedp.Evaluate[string]("(async () => JSON.stringify(await exported.figures()))()",
		chromedp.EvalAwaitPromise))
	var seen exported
	must.Do(p.t, json.Unmarshal([]byte(text), &seen))
	for _, problem := range seen.Problems {
		p.t.Error(problem)
	}
	return seen
}

// holds counts what a notebook's outputs hold.
func holds(nb *ipynb.Notebook) exported {
	var h exported
	for _, c := range nb.Cells {
		for _, out := range c.Outputs {
			text := out.Content("text/html")
			h.Charts += strings.Count(text, `data-uses="echarts"`)
			h.Maps += strings.Count(text, `root.dataset.live = "maps"`)
			h.Sliders += strings.Count(text, `"frames":{`)
			h.Tables += strings.Count(text, "<table")
		}
	}
	return h
}

// TestLessonsAsPages opens the committed lessons as pages: their figures are interactive under the policy and their
// sliders react.
func TestLessonsAsPages(t *testing.T) {
	beside(t)
	s := server{shots: shots(t)}
	library := echarts(t)
	paths, err := filepath.Glob(filepath.Join(checkout, "notebooks", "*.ipynb"))
	must.Need(t, err == nil && len(paths) != 0, "no notebooks: %v", err)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			nb := must.Get(ipynb.Read(path))(t)
			p := s.browse(t)
			want, got := holds(nb), p.export(nb, library)
			must.Be(t, want.Charts == got.Charts && want.Maps == got.Maps && want.Sliders == got.Sliders &&
				want.Tables == got.Tables,
				"the page shows %+v, the notebook holds %+v", got, want)
			t.Logf("%d charts, %d maps, %d sliders, %d tables", got.Charts, got.Maps, got.Sliders, got.Tables)
			p.shot("page")
		})
	}
}

// Images beside the page and in it are shown.
func TestImagesOfPages(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	dir := t.TempDir()
	picture := must.Get(os.ReadFile(filepath.Join(checkout, "notebooks/img/poisson-low.png")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "beside.png"), picture, 0o600))
	nb := &ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Markdown,
		Source: "![](beside.png)\n\n![](data:image/png;base64," + base64.StdEncoding.EncodeToString(picture) + ")"}}}
	must.Equal(t, p.exportIn(dir, nb, nil).Images, 2, "images")
}

// Two sliders switch between all pairs of settings that were drawn beforehand.
func TestGridOfSettings(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	frames := base64.StdEncoding.EncodeToString(gzipped(t,
		`["<i>0/0</i>","<i>0/1</i>","<i>1/0</i>","","<i>2/0</i>","<i>2/1</i>"]`))
	data := `{"panel":"p","specs":[{"label":"a","kind":"slider"},{"label":"b","kind":"slider"}],"frames":{"control":0,"values":[5,6,7],"at":1,` +
		`"other":{"control":1,"values":[8,9],"at":1},"html":"` + frames + `"}}`
	out := &ipynb.Output{Type: ipynb.DisplayData, Metadata: map[string]any{},
		Data: map[string]any{"text/html": `<div class="expfam-live x" data-panel="p">` +
			`<div class="expfam-live-controls"><span>a 6</span> <span>b 9</span></div><div class="expfam-live-figure">own</div>` + program.Call(program.Panel, data) + `</div>`}}
	rendered := must.Get(exporter.Render(&ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Code, Source: "f()",
		Outputs: []*ipynb.Output{out}}}}, "x", exporter.Scripts{}))(t)
	path := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(path, rendered, 0o600))
	do(p, time.Minute, chromedp.Navigate("file://"+path))
	got := do(p, time.Minute, chromedp.Evaluate[string](`(async () => {
		const all = () => document.querySelectorAll("input[type=range]"), host = document.querySelector(".expfam-live-figure"), seen = [];
		for (let i = 0; i < 100 && all().length < 2; i++) await new Promise(done => setTimeout(done, 50));
		for (const [i, j] of [[0, 0], [0, 1], [1, 0], [2, 1], [1, 1]]) {
			[i, j].forEach((v, k) => { all()[k].value = v; all()[k].dispatchEvent(new Event("input")); });
			seen.push(host.textContent);
		}
		const controls = document.querySelector(".expfam-live-controls").cloneNode(true);
		controls.querySelectorAll("button").forEach(play => play.remove());
		return seen.join(" ") + " | " + controls.textContent;
	})()`, chromedp.EvalAwaitPromise))
	must.Equal(t, got, "0/0 0/1 1/0 2/1 own | a6b9 3 precomputed settings of a times 2 precomputed settings of b")
}

// echarts is the library as `expfam install` puts it in place.
func echarts(t *testing.T) []byte {
	t.Helper()
	dir := os.Getenv("JUPYTER_DATA_DIR")
	if dir == "" {
		home := must.Get(os.UserHomeDir())(t)
		dir = filepath.Join(home, ".local/share/jupyter")
	}
	data, err := os.ReadFile(filepath.Join(dir, "labextensions/expfam-viz/echarts.min.js"))
	must.Need(t, err == nil, "%v: `expfam install` puts ECharts there", err)
	return data
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte(text)))(t)
	must.Do(t, z.Close())
	return b.Bytes()
}
