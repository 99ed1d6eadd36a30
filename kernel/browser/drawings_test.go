package browser

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
)

var drawingOf = regexp.MustCompile(`data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)`)

// TestPageDrawings enlarges a map of lesson 05, whose image then becomes elements of the page. What an image may hold,
// elements may not.
func TestPageDrawings(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	nb := must.Get(ipynb.Read(filepath.Join(checkout, "notebooks", "05-malaria-map.ipynb")))(t)
	figure := ""
	for _, c := range nb.Cells {
		for _, out := range c.Outputs {
			if text := out.Content("text/html"); figure == "" && strings.Contains(text, `root.dataset.live = "maps"`) {
				figure = text
			}
		}
	}
	for _, c := range []struct{ name, inside string }{
		{"as it is", ``},
		{"HTML", `<foreignObject width="9" height="9"><div xmlns="http://www.w3.org/1999/xhtml" class="evil" style="position:fixed;inset:0">x</div></foreignObject>`},
		{"HTML without its SVG", `<div xmlns="http://www.w3.org/1999/xhtml" class="evil" style="position:fixed;inset:0">x</div>`},
		{"a refresh", `<meta xmlns="http://www.w3.org/1999/xhtml" class="evil" http-equiv="refresh" content="9;url=https://evil.example/"/>`},
		{"a script", `<script class="evil">` + run + `</script>`},
		{"a style sheet", `<style class="evil">main{display:none}</style>`},
		{"an image of another host", `<image class="evil" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://evil.example/x.png" width="9" height="9"/>`},
		{"an element of another host", `<use class="evil" href="https://evil.example/x.svg#a"/>`},
		{"a link", `<a class="evil" href="https://evil.example/"><rect width="9999" height="9999"/></a>`},
		{"an animation", `<rect width="9" height="9"><set class="evil" attributeName="width" to="9999"/></rect>`},
		{"a handler", `<rect class="evil" onclick="` + run + `" width="9" height="9"/>`},
		{"an id of the page", `<g id="expfam-live" class="evil"/>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := p
			q.t = t
			text := drawingOf.ReplaceAllStringFunc(figure, func(address string) string {
				svg := must.Get(base64.StdEncoding.DecodeString(drawingOf.FindStringSubmatch(address)[1]))(t)
				return "data:image/svg+xml;base64," +
					base64.StdEncoding.EncodeToString([]byte(strings.Replace(string(svg), "</svg>", c.inside+"</svg>",
						1)))
			})
			out := &ipynb.Output{Type: ipynb.DisplayData, Metadata: map[string]any{},
				Data: map[string]any{"text/html": text}}
			page := must.Get(exporter.Render(&ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Code,
				Source:  "f()",
				Outputs: []*ipynb.Output{out}}}}, "x", exporter.Scripts{}))(t)
			path := filepath.Join(t.TempDir(), "page.html")
			must.Do(t, os.WriteFile(path, page, 0o600))
			do(q, time.Minute, chromedp.Navigate("file://"+path))
			got := do(q, time.Minute, chromedp.Evaluate[string](`(async () => {
				const wait = async f => { for (let i = 0; i < 100 && !f(); i++) await new Promise(done => setTimeout(done, 50)); return f(); };
				const enlarge = await wait(() => document.querySelector('[data-live="maps"] button'));
				enlarge.click();
				const svg = await wait(() => document.querySelector('[data-live="maps"] svg'));
				if (!svg || svg.querySelectorAll("path").length < 10 || !svg.querySelector("image") || !svg.querySelector("text")) return "no map: " + (svg ? svg.outerHTML.slice(0, 400) : "no svg");
				const evil = svg.querySelector(".evil, script, foreignObject, [onclick], a, use, set, style, #expfam-live");
				return evil ? evil.outerHTML : "";
			})()`, chromedp.EvalAwaitPromise))
			must.Equal(t, got, "", "in the page")
			q.shot("enlarged")
		})
	}
}
