package page

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz/program"
)

func TestSanitised(t *testing.T) {
	const pixel = "data:image/png;base64,iVBORw0KGgo="
	for _, c := range []struct{ name, html, want string }{
		{"text and structure", `<h2 id="a-b">T</h2><p>x<br>y</p><table><tr><td colspan="2">1</td></tr></table>`,
			`<h2 id="nb-a-b">T</h2><p>x<br>y</p><table><tr><td colspan="2">1</td></tr></table>`},
		{"links", `<a href="https://a.org/?q=1#f">a</a><a href="mailto:a@b.org">b</a><a href="03.html#x">c</a><a href="#d">d</a>`, `<a href="https://a.org/?q=1#f">a</a><a href="mailto:a@b.org">b</a><a href="03.html#x">c</a><a href="#nb-d">d</a>`},
		{"images", `<img src="` + pixel + `" alt="a"><img src="img/b.png">`, `<img src="` + pixel +
			`" alt="a"><img src="img/b.png">`},
		{"a task list's box", `<input checked="" disabled="" type="checkbox">`,
			`<input checked="" disabled="" type="checkbox">`},
		{"what a figure is made of", `<div id="viz-1f" class="mathjax_ignore" data-uses="echarts" style="position:relative;width:800px;max-width:100%;background:#fff;border-radius:4px"></div>`,
			`<div id="nb-viz-1f" class="mathjax_ignore" data-uses="echarts" style="position: relative; width: 800px; max-width: 100%; background: #fff; border-radius: 4px"></div>`},
		{"script", `a<script>b</script>c`, `ac`},
		{"handlers", `<p onclick="b()" onmouseover=c()>a</p><img src="x.png" onerror="d()">`,
			`<p>a</p><img src="x.png">`},
		{"frames", `<iframe src="x"></iframe><frameset></frameset><object data="x"></object><embed src="x">a`, `a`},
		{"addresses that run", `<a href="javascript:x">a</a><a href=" java&#10;script:x">b</a><a href="vbscript:x">c</a><a href="data:text/html,x">d</a>`, `<a>a</a><a>b</a><a>c</a><a>d</a>`},
		{"an image as a link", `<a href="` + pixel + `">a</a>`, `<a>a</a>`},
		{"data that is no image", `<img src="data:text/html;base64,QUJD"><img src="data:image/png;base64,not base64">`,
			``},
		{"SVG and MathML", `a<svg onload="x"><b>y</b></svg><math><annotation-xml encoding="text/html"><img src="x" onerror="y"></annotation-xml></math>c`, `ac`},
		{"style sheets and forms", `<style>p{}</style><link rel="stylesheet" href="x"><form action="x"><button>a</button></form>`, `a`},
		{"styles that leave their place or load",
			`<p style="position:fixed;color:red;background:url(https://a.org/x)">a</p>`, `<p style="color: red">a</p>`},
		{"comments", `a<!-- b -->c`, `ac`},
		{"the base of addresses, and refreshes",
			`<base href="https://a.org/"><meta http-equiv="refresh" content="0;url=x">a`, `a`},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, sanitised(c.html), c.want) })
	}
}

// Formulas, and what looks like the mark of one, stay text where no element can stand.
func TestFormulasInAttributes(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"in an alternative text", `![$a"b$](x.png)`, `<p><img src="x.png" alt="$a&#34;b$"></p>` + "\n"},
		{"in an address", `[x](y/$z$)`, `<p><a href="y/$z$">x</a></p>` + "\n"},
		{"a forged mark", "![\ue0000\ue001](x.png)\ue0000\ue001",
			"<p><img src=\"x.png\" alt=\"\ufffd0\ufffd\">\ufffd0\ufffd</p>\n"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, string(markdown(c.source, nil)), c.want) })
	}
	got := texHTML(`\class{a" onmouseover="b}{x}`, false)
	must.Be(t, !strings.Contains(got, `" onmouseover`), "TeX makes an attribute: %s", got)
}

func TestAttachments(t *testing.T) {
	for _, c := range []struct {
		name, source string
		kinds        map[string]string
		want         string
	}{
		{"image", "![a](attachment:p.png)", map[string]string{"image/png": "QU\nJD"},
			`<img src="data:image/png;base64,QUJD" alt="a">`},
		{"a name with a space", "![a](<attachment:my file.png>)", map[string]string{"image/png": "QUJD"},
			`<img src="data:image/png;base64,QUJD" alt="a">`},
		{"a kind that ends the attribute", "![a](attachment:p.png)", map[string]string{`image/png" onerror="x`: "QUJD"},
			`<img alt="a">`},
		{"no image", "![a](attachment:p.png)", map[string]string{"text/html": "QUJD"}, `<img alt="a">`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(markdown(c.source, map[string]map[string]string{"p.png": c.kinds, "my file.png": c.kinds}))
			must.Equal(t, got, "<p>"+c.want+"</p>\n")
		})
	}
}

var policyTag = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)

// The policy names the scripts and the style sheet that the page has, by hash and no other way, and comes before them.
func TestPolicyNamesThePagesOwn(t *testing.T) {
	own := Scripts{Libraries: map[string][]byte{"lib": []byte("a()\r\nb()")}}
	data := must.Get(Render(parse(t, outputs(`<div data-uses="lib"><script>(function (f) {})({"maps":"<"});</script></div><script>other()</script>`)), "x", own))(t)
	page := string(data)
	at := policyTag.FindStringSubmatchIndex(page)
	must.Need(t, at != nil && at[0] <= strings.Index(page, "<style"), "no policy before the first style")
	policy := html.UnescapeString(page[at[2]:at[3]])
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	var scripts []string
	for _, m := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		scripts = append(scripts, m[1])
	}
	must.Need(t, len(scripts) == 2 && scripts[0] == "a()\nb()" && scripts[1] == Figures(), "scripts %q", scripts)
	want := `<script type="application/json" data-program="maps">{"maps":"\u003c"}</script>`
	must.Be(t, strings.Contains(page, want), "the page has not %s", want)
	want = "script-src " + hash(scripts[0]) + " " + hash(scripts[1]) + ";"
	must.Be(t, strings.Contains(policy, want), "%s\nhas not %s", policy, want)
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	want = "style-src-elem " + hash(style) + ";"
	must.Be(t, strings.Contains(policy, want), "%s\nhas not %s", policy, want)
	for _, want := range []string{"default-src 'none';", "base-uri 'none';", "form-action 'none'"} {
		must.Be(t, strings.Contains(policy, want), "%s\nhas not %s", policy, want)
	}
	must.Be(t, !strings.Contains(policy, "unsafe-eval") && strings.Count(policy, "unsafe-inline") == 2,
		"%s\nallows what is not the page's own", policy)
	must.Be(t, strings.Contains(page, "left out of this output"), "the page doesn't say that it left a script out")
}

// A script is a figure's if it calls a function on JSON with a mark of a program, and on nothing else. What the
// function was does not matter: the page's own runs.
func TestCallsOfPrograms(t *testing.T) {
	const function = "(function (f) { use(f); })"
	for _, c := range []struct{ name, script, block string }{
		{"call", function + `({"maps":[1,"x"]});`, `data-program="maps">{"maps":[1,"x"]}<`},
		{"a figure of today", strings.TrimPrefix(strings.TrimSuffix(program.Call(program.Panel, `{"specs":[]}`),
			"</script>"), "<script>"), `data-program="panel">{"specs":[]}<`},
		{"the end of a call in the data", function + `({"panels":"})({"});`, `data-program="chart">{"panels":"})({"}<`},
		{"the end of a script in the data", function + `({"panels":"<\/script>"});`,
			`data-program="chart">{"panels":"\u003c\/script\u003e"}<`},
		{"data of no program", function + `({});`, ""},
		{"code behind", function + `({"maps":1});evil();({});`, ""},
		{"code as data", function + `(evil());`, ""},
		{"two arguments", function + `({"maps":1},evil());`, ""},
		{"no call", function, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := outputHTML("<p>a</p><script>" + c.script + "</script>")
			must.Be(t, (c.block != "" || !strings.Contains(got, "<script")) && strings.Contains(got, c.block),
				"%s\nhas not %s", got, c.block)
		})
	}
}
