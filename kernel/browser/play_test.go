package browser

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz/program"
)

// TestPlay plays the slider of a saved panel from the middle to its end, from the beginning, and stops it by a key.
func TestPlay(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write([]byte(`["one","two","","four"]`)))(t)
	must.Do(t, z.Close())
	path := filepath.Join(t.TempDir(), "page.html")
	html := `<!DOCTYPE html><html><body style="background:#fff"><div class="expfam-live" data-panel="live-1"><div class="expfam-live-controls"></div>` +
		`<div class="expfam-live-figure">three</div>` + program.Call(program.Panel, fmt.Sprintf(
		`{"panel":"live-1","specs":[{"kind":"slider","label":"level"}],"frames":{"control":0,"values":[1,2,3,4],"at":2,"html":%q}}`,
		base64.StdEncoding.EncodeToString(packed.Bytes()))) + `</div></body></html>`
	must.Do(t, os.WriteFile(path, []byte(html), 0o600))
	open := func() { do(p, time.Minute, chromedp.Navigate("file://"+path)) }
	run := func(script string) string {
		return do(p, time.Minute, chromedp.Evaluate[string](`(async function () {
			var until = async function (f) { while (!f()) await new Promise(done => setTimeout(done, 20)); };
			await until(() => document.querySelector("button"));
			var b = document.querySelector("button"), input = document.querySelector("input"), seen = [];
			new MutationObserver(() => seen.push(document.querySelector(".expfam-live-figure").textContent))
				.observe(document.querySelector(".expfam-live-figure"), { childList: true });
			`+script+` })()`, chromedp.EvalAwaitPromise))
	}
	open()
	const whole = `b.click(); await until(() => b.title !== "Stop"); `
	must.Equal(t, run(whole+whole+`return seen.join(" ") + "; " + b.getAttribute("aria-label");`),
		"four one two three four; play level", "what it shows")
	open()
	must.Equal(t, run(`input.value = 0; b.click(); await until(() => seen.length);
		input.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
		return seen.join(" ") + "; " + b.title;`), "two; Move it to its end", "stopped by a key")
	must.Get(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}))(t)
	open()
	must.Equal(t, run(`return String(b.hidden);`), "true", "hidden where less motion is preferred")
}
