package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/viz/program"
)

// harms is content that leads a page away, covers it or loads from another host, which EVIL stands for, without any
// script.
var harms = []struct{ name, html string }{
	{"refresh", `<meta http-equiv="refresh" content="0;url=EVIL/away">`},
	{"refresh in a comment that ends early", `<!--><meta http-equiv="refresh" content="0;url=EVIL/away">-->`},
	{"overlay", `<div style="position:fixed;inset:0;z-index:99;background:#fff">log in</div>`},
	{"absolute overlay", `<div style="position:absolute;top:0;left:0;width:9999px;height:99999px;z-index:99;background:#fff">log in</div>`},
	{"overlay by a class", `<div class="expfam-live-bar" style="position:absolute;top:0;z-index:9;height:9999px;background:#fff">log in</div>`},
	{"negative margin", `<div style="position:relative;margin-top:-3000px;height:3000px;background:#fff">log in</div>`},
	{"content larger than its box", `<div style="height:0"><div style="position:relative;height:3000px;background:#fff">log in</div></div>`},
	{"letters larger than their line", `<div style="position:relative;line-height:0;font-size:900px">■■■■<br>■■■■</div>`},
	{"transformation", `<div style="transform:scale(999)">log in</div>`},
	{"style sheet of another host", `<link rel="stylesheet" href="EVIL/x.css">`},
	{"import", `<style>@import "EVIL/x.css";</style>`},
	{"style sheet that covers", `<style>main::after{content:"log in";position:fixed;inset:0;background:#fff}</style>`},
	{"image", `<img src="EVIL/x.png">`},
	{"image with backslashes", `<img src="BACK/x.png">`},
	{"densities", `<img srcset="EVIL/x 1x, EVIL/y 2x">`},
	{"picture", `<picture><source srcset="EVIL/x"><img src="data:,"></picture>`},
	{"SVG", `<svg><image href="EVIL/x"/></svg>`},
	{"filter of SVG", `<svg><filter id="f"><feImage href="EVIL/x"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`},
	{"HTML in SVG", `<svg width="9" height="9"><foreignObject width="9" height="9"><img src="EVIL/x"></foreignObject></svg>`},
	{"video's poster", `<video poster="EVIL/x"></video>`},
	{"audio", `<audio src="EVIL/x" preload="auto" autoplay></audio>`},
	{"object", `<object data="EVIL/x"></object>`},
	{"embed", `<embed src="EVIL/x">`},
	{"frame", `<iframe src="EVIL/x"></iframe>`},
	{"background", `<table background="EVIL/x"><tr><td>x</td></tr></table>`},
	{"background of a style", `<p style="background:url(EVIL/x)">x</p>`},
	{"background with an escape", `<p style="background:u\72l(EVIL/x)">x</p>`},
	{"set of images", `<p style="background-image:image-set('EVIL/x' 1x)">x</p>`},
	{"bullet", `<ul style="list-style-image:url(EVIL/x)"><li>x</li></ul>`},
	{"shape", `<p style="float:left;shape-outside:url(EVIL/x);width:9px;height:9px;mask:url(EVIL/x)">x</p>`},
	{"preload", `<link rel="preload" as="image" href="EVIL/x">`},
	{"button that is an image", `<input type="image" src="EVIL/x">`},
}

// evilHost is a server that counts what is asked of it.
type evilHost struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newEvilHost(t *testing.T) *evilHost {
	h := &evilHost{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		if r.URL.Path != "/favicon.ico" { // of its own page, to which a test may have led
			h.asked = append(h.asked, r.URL.Path)
		}
		h.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	t.Cleanup(h.Close)
	return h
}

// take returns what was asked since the last call.
func (h *evilHost) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return asked
}

// runtimeOf is a program's script that shows a figure of any HTML, as a hostile notebook's program could.
func runtimeOf(figure string) []byte {
	return []byte(`globalThis.Go = class {
	constructor() { this.importObject = {}; }
	async run() {
		const send = () => expfamPage.send(JSON.stringify({ version: 2, rich: true, ack: 0, drawn: 0, values: [0], error: "" }), ` + quoted(figure+"<b>painted</b>") + `);
		expfamPage.receive = send;
		expfamPage.show('<div><script type="application/json" data-program="panel">{"panel":"p","specs":[{"label":"x","kind":"slider","min":0,"max":1,"value":0}]}</' + 'script></div>');
		await fetch("EVIL/worker").catch(() => {});
		await new Promise(() => {});
	}
};`)
}

// harmed visits a page and moves what moves in it. It returns what has happened to the page: "" is nothing.
func harmed(p page, url string, evil *evilHost) string {
	p.t.Helper()
	evil.take()
	do(p, 30*time.Second, chromedp.Navigate(url))
	const look = `(async () => {
		const sleep = ms => new Promise(done => setTimeout(done, ms)), all = s => Array.from(document.querySelectorAll(s));
		const until = async f => { for (let i = 0; i < 100 && !f(); i++) await sleep(30); };
		await until(() => document.readyState === "complete");
		for (const e of all("section[data-live]")) e.scrollIntoView();
		if (all("section[data-live]").length) await until(() => all("section[data-live] b").some(e => e.textContent === "painted"));
		const sliders = () => all("section:not([data-live]) input[type=range]");
		if (document.querySelector("section:not([data-live]) .expfam-live")) await until(() => sliders().length);
		for (const e of sliders()) { e.value = e.max; e.dispatchEvent(new Event("input")); }
		await sleep(250);
		for (const e of all(".sentinel, section[id^=cell-sentinel]")) {
			e.scrollIntoView({ block: "center", behavior: "instant" });
			const r = e.getBoundingClientRect(), top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
			if (top !== e && !e.contains(top)) return "covered by " + (top ? top.outerHTML.slice(0, 80) : "nothing");
		}
		if (document.querySelector("section[data-live]") && !all("section[data-live] b").some(e => e.textContent === "painted"))
			return "the program shows nothing: " + (all(".expfam-live-loading")[0] || document.body).textContent.slice(0, 300);
		return "";
	})()`
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	what, err := chromedp.Run(ctx, chromedp.Evaluate[string](look, chromedp.EvalAwaitPromise))
	if at := do(p, 30*time.Second, chromedp.Evaluate[string]("location.href")); at != url {
		return "it leads to " + at
	}
	if err != nil {
		return err.Error()
	}
	if asked := evil.take(); len(asked) > 0 && what == "" {
		what = "it asks another host for " + strings.Join(asked, ", ")
	}
	return what
}

// TestPageStaysWhatItIs puts content without scripts into all places of a page: Markdown, an output, a setting that was
// drawn beforehand, and a figure of a live program. The page stays where it is, nothing covers its other cells, and no
// other host hears of it.
func TestPageStaysWhatItIs(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	evil := newEvilHost(t)
	var shown string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(shown))
	}))
	t.Cleanup(s.Close)
	for i, c := range harms {
		t.Run(c.name, func(t *testing.T) {
			q := p
			q.t = t
			text := strings.NewReplacer("EVIL", evil.URL, "BACK",
				strings.ReplaceAll(strings.TrimPrefix(evil.URL, "http:"), "/", `\`)).Replace(c.html)
			shown = `<!DOCTYPE html><html><head><style>.expfam-live-bar{left:0;right:0}</style></head><body><main><p class="sentinel">top</p>` + text +
				`<p class="sentinel">end</p></main></body></html>`
			must.Be(t, harmed(q, fmt.Sprintf("%s/raw-%d", s.URL, i), evil) != "",
				"it does nothing without any defence, so it tests nothing")
			shown = string(inAllPlaces(t, text, evil.URL))
			must.Equal(t, harmed(q, fmt.Sprintf("%s/page-%d", s.URL, i), evil), "", "in the page ")
		})
	}
	t.Logf("%d kinds of content in four places", len(harms))
}

// inAllPlaces renders a notebook that has HTML wherever it can.
func inAllPlaces(t *testing.T, text, evil string) []byte {
	t.Helper()
	frames := base64.StdEncoding.EncodeToString(gzipped(t, `["",`+quoted(text)+`]`))
	panel := `<div class="expfam-live" data-panel="p"><div class="expfam-live-controls"></div><div class="expfam-live-figure"></div>` +
		program.Call(program.Panel, `{"panel":"p","specs":[{"label":"x","kind":"slider"}],"frames":{"control":0,"values":[0,1],"at":0,"html":"`+frames+`"}}`) + `</div>`
	code := func(id, html string) *ipynb.Cell {
		return &ipynb.Cell{ID: id, Type: ipynb.Code, Source: "f()",
			Outputs: []*ipynb.Output{{Type: ipynb.DisplayData, Metadata: map[string]any{},
				Data: map[string]any{"text/html": html}}}}
	}
	nb := &ipynb.Notebook{Cells: []*ipynb.Cell{
		{ID: "sentinel-top", Type: ipynb.Markdown, Source: "top"}, {ID: "md", Type: ipynb.Markdown, Source: text},
		{ID: "sentinel-1", Type: ipynb.Markdown, Source: "one"},
		code("out", text), {ID: "sentinel-2", Type: ipynb.Markdown, Source: "two"}, code("frames", panel),
		{ID: "sentinel-3", Type: ipynb.Markdown, Source: "three"},
		code("live", panel), {ID: "sentinel-end", Type: ipynb.Markdown, Source: "end"}}}
	live := &exporter.Live{Cells: []string{"live"}, Program: gzipped(t, "\x00asm\x01\x00\x00\x00"),
		Runtime: bytes.ReplaceAll(runtimeOf(text), []byte("EVIL"), []byte(evil))}
	return must.Get(exporter.Render(nb, "x", exporter.Scripts{Live: live}))(t)
}

// TestPageIsNotForged gives content the ids of what scripts of a page look up. The page takes none of it for its own.
func TestPageIsNotForged(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	var shown []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(shown)
	}))
	t.Cleanup(s.Close)
	forged := base64.StdEncoding.EncodeToString([]byte(`postMessage({ exit: "forged" });`))
	for i, c := range []struct{ name, html string }{
		{"worker", `<p id="expfam-live-worker">` + forged + `</p>`},
		{"worker in single quotes", `<pre id='expfam-live-worker'>` + forged + `</pre>`},
		{"worker in a table", `<table id="expfam-live-worker"><tr><td>` + forged + `</td></tr></table>`},
		{"worker in a heading of Markdown", "## expfam-live-worker\n\n<h2 id=expfam-live-worker>" + forged + "</h2>"},
		{"configuration", `<p id="expfam-live">{"program":"/forged","worker":"/forged","size":1,"notes":{},"files":[]}</p>`},
		{"program", `<p id="expfam-live-program">` + base64.StdEncoding.EncodeToString([]byte("forged")) + `</p>`},
		{"names that scripts call", `<a id="expfamControls">x</a><a id="expfamClean">x</a><a id="expfamFigures">x</a><img id="CSS" alt="x">`},
		{"names of the document", `<a id="querySelector">x</a><a id="body">x</a><a id="getElementById">x</a><p id="location">x</p>`},
		{"a live cell", `<section data-live id="cell-forged"><div class="expfam-live">x</div></section>`},
		{"a panel without controls", `<div class="expfam-live" data-panel="p">x</div>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := p
			q.t = t
			shown = inAllPlaces(t, c.html, s.URL)
			url := fmt.Sprintf("%s/page-%d", s.URL, i)
			do(q, 30*time.Second, chromedp.Navigate(url))
			got := do(q, 30*time.Second, chromedp.Evaluate[string](`(async () => {
				const live = document.querySelector("section#cell-live");
				live.scrollIntoView();
				const painted = () => Array.from(live.querySelectorAll("b")).some(e => e.textContent === "painted");
				for (let i = 0; i < 100 && !painted(); i++) await new Promise(done => setTimeout(done, 30));
				return painted() ? "" : live.textContent;
			})()`, chromedp.EvalAwaitPromise))
			must.Equal(t, got, "", "the cell's own program does not run")
		})
	}
}
