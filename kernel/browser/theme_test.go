package browser

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz/program"
)

// TestTheme shows figures on a page whose theme changes, and presses the buttons that save.
func TestTheme(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40" viewBox="0 0 60 30"><path d="M0,0L60,0L60,30L0,30Z" style="fill:#FFFFFF" />` +
		`<path d="M9,9L20,20" style="stroke:#222222" /><path d="M9,20L20,9" style="stroke:#0072B2" /><path d="M9,20L20,9" style="stroke:#232323" /></svg>`
	image := base64.StdEncoding.EncodeToString([]byte(svg))
	figure := func(id, code, arg string) string {
		return fmt.Sprintf(`<div id="%s" style="position:relative;width:80px"><img alt="Two lines; a note" src="data:image/svg+xml;base64,%s">%s</div>`, id, image, program.Call(code, arg))
	}
	html := `<!DOCTYPE html><html><body style="background:#fff">` +
		figure("viz-1", program.Chart, `{"id":"viz-1","width":80,"columns":1,"tips":[],"panels":[]}`) +
		figure("viz-2", program.Maps, `{"id":"viz-2","width":80,"height":40,"maps":[]}`) +
		figure("viz-3", program.Sketch, `{"id":"viz-3"}`) +
		`<div id="viz-4"><table><caption>A table</caption></table>` +
		program.Call(program.Table, `{"id":"viz-4","csv":"a\n1\n"}`) + `</div></body></html>`
	path := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(path, []byte(html), 0o600))
	do(p, time.Minute, chromedp.Navigate("file://"+path))
	paint := func(id string) string {
		return do(p, time.Minute, chromedp.Evaluate[string](fmt.Sprintf(`(function () { var e = document.getElementById(%q), i = e.querySelector("img");
			return e.style.background + " " + Array.from(atob(i.src.split(",")[1]).matchAll(/(fill|stroke):(#[0-9a-fA-F]{6})/g)).map(function (m) { return m[2]; }).join(" "); })()`, id)))
	}
	day := "rgb(255, 255, 255) #FFFFFF #222222 #0072B2 #232323"
	for _, id := range []string{"viz-1", "viz-2", "viz-3"} {
		must.Equal(t, paint(id), day, id, "by day")
	}
	theme := func(colour string) {
		do(p, time.Minute, chromedp.Evaluate[string](
			fmt.Sprintf(`document.body.style.background = %q; document.body.dataset.jpThemeLight = "%t"; ""`, colour,
				colour == "#fff")))
		time.Sleep(time.Second) // themes are looked at again 0.6 s after they changed
	}
	theme("#111")
	// Lightness 0.349 becomes 0.42 + 0.28·0.349 at the same hue and saturation. Greys change places, a dark colour of a
	// chart is lighter, one of a map stays, and so does what lies over data.
	for id, want := range map[string]string{"viz-1": "rgb(23, 23, 23) #171717 #cccccc #09a7ff #232323",
		"viz-2": "rgb(23, 23, 23) #171717 #cccccc #0072B2 #232323"} {
		got := paint(id)
		must.Be(t, strings.EqualFold(got, want), "%s at night is %s, want %s", id, got, want)
	}
	p.shot("night")
	for media, want := range map[string]string{"print": day,
		"screen": "rgb(23, 23, 23) #171717 #cccccc #09a7ff #232323"} {
		must.Get(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media}))(t)
		time.Sleep(time.Second)
		got := paint("viz-1")
		must.Be(t, strings.EqualFold(got, want), "at night on %s it is %s, want %s", media, got, want)
	}
	theme("#fff")
	for _, id := range []string{"viz-1", "viz-2"} {
		must.Equal(t, paint(id), day, id, "by day again")
	}
	const press = `(async function () {
		var saved = [];
		HTMLAnchorElement.prototype.click = function () { saved.push(fetch(this.href).then(r => r.blob()).then(b => this.download + " " + b.type + " " + (b.size > 3))); };
		for (var b of document.querySelectorAll("button")) if (/SVG|PNG|CSV/.test(b.textContent)) b.click();
		await new Promise(done => setTimeout(done, 1000)); // a picture is drawn
		return (await Promise.all(saved)).sort().join("; ");
	})()`
	want := "a-table.csv text/csv true; two-lines.png image/png true; two-lines.png image/png true; two-lines.svg " +
		"image/svg+xml true; two-lines.svg image/svg+xml true"
	must.Equal(t, do(p, time.Minute, chromedp.Evaluate[string](press, chromedp.EvalAwaitPromise)), want, "saved")
}
