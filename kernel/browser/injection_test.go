package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/viz/program"
)

const run = `globalThis.broken=1` // what every injection tries to do

// injection is hostile content of a notebook.
type injection struct {
	name string
	cell string // a cell in JSON, or a notebook's metadata if it has no cell_type
	raw  string // the HTML that a page without any defence would show for it
}

func inMarkdown(name, source, raw string) injection {
	return injection{name, fmt.Sprintf(`{"cell_type": "markdown", "id": "a", "metadata": {}, "source": %s}`,
		quoted(source)), raw}
}

func inOutput(name, output, raw string) injection {
	return injection{name, `{"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "source": "f()", "outputs": [` + output + `]}`, raw}
}

func inHTML(name, text string) injection { return inOutput(name, display("text/html", text), text) }

func display(mime, text string) string {
	return fmt.Sprintf(`{"output_type": "display_data", "metadata": {}, "data": {%q: %s}}`, mime, quoted(text))
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func injections(t *testing.T) []injection {
	same := func(name, source string) injection { return inMarkdown(name, source, source) }
	frames := base64.StdEncoding.EncodeToString(gzipped(t, `["",`+quoted(`<img src="x" onerror="`+run+`">`)+`]`))
	return []injection{
		same("script", `<script>`+run+`</script>`),
		same("handler of an error", `<img src="x" onerror="`+run+`">`),
		same("SVG", `<svg onload="`+run+`"></svg>`),
		same("script in an SVG", `<svg><script>`+run+`</script></svg>`),
		same("frame with a document", `<iframe srcdoc="<script>parent.broken=1</script>"></iframe>`),
		same("frame with an address that runs", `<iframe src="javascript:parent.broken=1"></iframe>`),
		same("details", `<details open ontoggle="`+run+`">x</details>`),
		same("focus", `<input autofocus onfocus="`+run+`">`),
		same("form", `<form action="javascript:`+run+`"><button>x</button></form>`),
		same("animation", `<style>@keyframes k{from{left:0}to{left:1px}}</style><p style="animation:k 1ms" onanimationstart="`+run+`">x</p>`),
		same("media", `<video><source onerror="`+run+`"></video>`),
		same("body", `<body onpageshow="`+run+`">`),
		same("comment that ends early", `<!--><img src="x" onerror="`+run+`">-->`),
		same("noscript", `<noscript><p title="</noscript><img src=x onerror=`+run+`>"></noscript>`),
		same("HTML in MathML", `<math><annotation-xml encoding="text/html"><img src="x" onerror="`+run+
			`"></annotation-xml></math>`),
		same("pointer", `<b onmouseover="`+run+`">x</b>`),
		inMarkdown("link", `[x](javascript:`+run+`)`, `<a href="javascript:`+run+`">x</a>`),
		inMarkdown("link in angle brackets", `<javascript:`+run+`>`, `<a href="javascript:`+run+`">x</a>`),
		inMarkdown("link by reference", "[x][y]\n\n[y]: javascript:"+run, `<a href="javascript:`+run+`">x</a>`),
		same("link with a character of control", `<a href="java&#10;script:`+run+`">x</a>`),
		inMarkdown("formula", `$\class{a" onmouseover="`+run+`}{x}$`, `<math><mi class="a" onmouseover="`+run+
			`">x</mi></math>`),
		inMarkdown("formula in a description", `![$x" onerror="`+run+`" alt="$](x)`, `<img src="x" alt="$x" onerror="`+
			run+`" alt="$">`),
		{"attachment", `{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "![a](attachment:p)", "attachments": {"p": {"image/png\" onerror=\"` + run + `": "QUJD"}}}`,
			`<img src="data:image/png" onerror="` + run + `">`},
		{"title", `{"title": "</title><script>` + run + `</script>"}`, `<title></title><script>` + run + `</script>`},
		inHTML("script of an output", `<script>`+run+`</script>`),
		inHTML("link of an output", `<a href="javascript:`+run+`">x</a>`),
		inHTML("figure's program and more", `<div><script>`+program.Maps+`({"maps":[]});`+run+`;({});</script></div>`),
		inHTML("code as a figure's data", program.Call(program.Maps, run)),
		inHTML("end of a script in a figure's data", program.Call(program.Maps, `{"a":"</script><script>`+run+`//"}`)),
		inOutput("Markdown of an output", display("text/markdown", `<script>`+run+`</script>`), `<script>`+run+
			`</script>`),
		inOutput("SVG of an output", display("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>`+run+
			`</script></svg>`), `<svg><script>`+run+`</script></svg>`),
		inOutput("data of an image", display("image/png", `"><script>`+run+`</script>`), `<img src=""><script>`+run+
			`</script>`),
		inOutput("description of an image", `{"output_type": "display_data", "metadata": {}, "data": {"image/png": "QUJD", "text/plain": "\" onerror=\"`+run+`"}}`,
			`<img src="data:image/png;base64,QUJD" alt="" onerror="`+run+`">`),
		inOutput("name of a stream", `{"output_type": "stream", "name": "x\"><script>`+run+`</script>", "text": "y"}`,
			`<div class="x"><script>`+run+`</script>`),
		inOutput("text of a stream", `{"output_type": "stream", "name": "stdout", "text": "\u001b[31m<script>`+run+
			`</script>"}`, `<script>`+run+`</script>`),
		inOutput("traceback", `{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["<script>`+run+
			`</script>"]}`, `<script>`+run+`</script>`),
		// What a figure's own program makes of hostile data.
		inHTML("frames of a slider", `<div class="expfam-live" data-panel="p"><div class="expfam-live-controls"></div><div class="expfam-live-figure"></div>`+
			program.Call(program.Panel, `{"panel":"p","specs":[{"label":"x","kind":"slider"}],"frames":{"control":0,"values":[0,1],"at":0,"html":"`+frames+`"}}`)+`</div>`),
		inHTML("JupyterLab's configuration", `<p id="jupyter-config-data">{"baseUrl":"data:text/javascript,`+run+
			`//"}</p><div id="viz-1"><img src="">`+
			program.Call(program.Chart, `{"id":"viz-1","width":1,"columns":1,"tips":[],"panels":[]}`)+`</div>`),
	}
}

// TestInjections opens pages with hostile content in Chromium. Nothing of it may run in the page as it is, nor with one
// of its two defences alone, the sanitiser and the policy. Without both it runs: the injection is one.
func TestInjections(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	dir := t.TempDir()
	ran := func(t *testing.T, html string) bool {
		t.Helper()
		q := p
		q.t = t
		path := filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36)+".html")
		must.Do(t, os.WriteFile(path, []byte(html), 0o600))
		do(q, 30*time.Second, chromedp.Navigate("file://"+path))
		do(q, 30*time.Second, chromedp.Evaluate[any](pageJS+"\n0"))
		return do(q, 30*time.Second, chromedp.Evaluate[bool]("exported.provoke()", chromedp.EvalAwaitPromise))
	}
	all := injections(t)
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			cells, metadata := c.cell, "{}"
			if !strings.Contains(c.cell, "cell_type") {
				cells, metadata = "", c.cell
			}
			nb := must.Get(ipynb.Parse([]byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": ` + metadata +
				`, "cells": [` + cells + `]}`)))(t)
			data := must.Get(exporter.Render(nb, "x", exporter.Scripts{}))(t)
			html := string(data)
			policy := policyTag.FindString(html)
			must.Need(t, policy != "", "the page has no policy")
			must.Be(t, !ran(t, html), "it runs in the page")
			must.Be(t, !ran(t, strings.Replace(html, policy, "", 1)), "the sanitiser alone doesn't stop it")
			const bare = "<!DOCTYPE html><html><head>%s</head><body>%s</body></html>"
			must.Be(t, !ran(t, fmt.Sprintf(bare, policy, c.raw)), "the policy alone doesn't stop it")
			must.Be(t, ran(t, fmt.Sprintf(bare, "", c.raw)), "it doesn't run without any defence, so it tests nothing")
		})
	}
	t.Logf("%d injections", len(all))
}

var policyTag = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="[^"]*">`)
