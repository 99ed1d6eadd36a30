package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

func parse(t *testing.T, doc string) *ipynb.Notebook {
	t.Helper()
	return must.Get(ipynb.Parse([]byte(doc)))(t)
}

const document = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "go", "name": "expfam"}}, "cells": [
 {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# Counts <of> $y$\n\n![a](attachment:p.png)", "attachments": {"p.png": {"image/png": "QUJD"}}},
 {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 1, "source": "%%\nif a < b { return }", "outputs": [
  {"output_type": "stream", "name": "stderr", "text": "10%\r100%\r\n\u001b[1;31mred\u001b[0m <b>"},
  {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": "<svg><script>alert(1)</script></svg>", "image/png": "QUJD", "text/plain": "alt \"text\""}},
  {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b id=own>own</b>", "image/png": "QUJD"}},
  {"output_type": "display_data", "metadata": {}, "data": {"image/png": "QU\nJD\n", "text/plain": "p"}},
  {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": "**strong**"}},
  {"output_type": "display_data", "metadata": {}, "data": {"text/latex": "$$x^2$$"}},
  {"output_type": "display_data", "metadata": {}, "data": {"application/javascript": "alert(2)"}},
  {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "1 < 2"}},
  {"output_type": "display_data", "metadata": {}, "data": {"text/plain": ""}},
  {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t1", "t2"]}]},
 {"cell_type": "raw", "id": "r", "metadata": {}, "source": "<raw>"}]}`

func TestRender(t *testing.T) {
	data := must.Get(Render(parse(t, document), "fallback", Scripts{}))(t)
	html := string(data)
	for _, c := range []struct{ name, want string }{
		{"title without marks of Markdown", "<title>Counts &lt;of&gt; y</title>"},
		{"attachment", `<img src="data:image/png;base64,QUJD" alt="a">`},
		{"what carriage returns leave", "<pre>100%\n<span"},
		{"terminal colours", `<span class="fg1 bold">red</span> &lt;b&gt;`},
		{"SVG as an image, in which scripts are dead", `<img src="data:image/svg+xml;base64,PHN2Zz48c2NyaXB0`},
		{"plain text as the image's description", `alt="alt &#34;text&#34;"`},
		{"HTML of an output", `<b id="nb-own">own</b>`},
		{"base64 without its newlines", `<img src="data:image/png;base64,QUJD" alt="p">`},
		{"Markdown output", "<strong>strong</strong>"},
		{"LaTeX output", `<math display="block">`},
		{"plain result", "1 &lt; 2"},
		{"traceback", "t1\nt2"},
		{"raw cell", "<pre>&lt;raw&gt;</pre>"},
		{"phone", `name="viewport"`},
		{"dark", "prefers-color-scheme: dark"},
		{"paper", "@media print"},
		{"code is escaped and marked", `<span class="p">&lt;</span>`},
	} {
		t.Run(c.name, func(t *testing.T) { must.Be(t, strings.Contains(html, c.want), "no %q in the page", c.want) })
	}
	// The last is what a progress bar leaves that has ended.
	for _, no := range []string{"alert(", `src="http`, `href="http`, "@import", "<pre></pre>"} {
		must.Be(t, !strings.Contains(html, no), "%q in the page", no)
	}
}

// The TeX converter orders attributes at random; a page that changes without cause would be noise.
func TestRenderIsStable(t *testing.T) {
	doc := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "id": "m", "metadata": {},
		"source": "$$\\begin{align} a &= \\frac{1}{2} \\\\ b &= \\left(\\hat x\\right) \\end{align}$$"}]}`
	first := must.Get(Render(parse(t, doc), "x", Scripts{}))(t)
	for range 20 {
		again := must.Get(Render(parse(t, doc), "x", Scripts{}))(t)
		must.Need(t, string(again) == string(first), "two renderings differ")
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"metadata first", `{"nbformat": 4, "metadata": {"title": "T"}, "cells": [{"cell_type": "markdown", "source": "# H"}]}`, "T"},
		{"first heading", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "# no"}, {"cell_type": "markdown", "source": "text\n# H"}]}`, "H"},
		{"none", `{"nbformat": 4, "cells": []}`, "file name"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, title(parse(t, c.doc), "file name"), c.want) })
	}
}

// A light colour that held in the dark as well would hide what the dark style leaves to the default colour.
func TestLightColoursStayInTheLight(t *testing.T) {
	css := regexp.MustCompile(`(?s)@media [^{]*\{\n(?:[^{}]*\{[^{}]*\})*\s*\}\n`)
	outside := css.ReplaceAllString(highlightCSS(), "")
	must.Be(t, outside == "" && strings.Contains(highlightCSS(), ".chroma .k {"),
		"rules for both light and dark: %q", outside)
}

// In want, MATH stands for an element that shows mathematics.
func TestMarkdownMathematics(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"inline", "a $x_1$ b $y*z*w$", "<p>a MATH b MATH</p>\n"},
		{"display over lines", "$$\na_1 = b_1\n$$", "<p>MATH</p>\n"},
		{"environment", "\\begin{align}\na &= b\n\\end{align}", "<p>MATH</p>\n"},
		{"prices", "costs $5 and $6.", "<p>costs $5 and $6.</p>\n"},
		{"digit behind", "from $a to $5", "<p>from $a to $5</p>\n"},
		{"escaped dollar", `\$x\$`, "<p>$x$</p>\n"},
		{"code span", "`$x$` $x$", "<p><code>$x$</code> MATH</p>\n"},
		{"fenced code", "```\n$x$\n```\n", "<pre><code>$x$\n</code></pre>\n"},
		{"emphasis next to it", "*a* $x$ *b*", "<p><em>a</em> MATH <em>b</em></p>\n"},
		{"in a table", "|a|\n|-|\n|$x$|\n", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n" +
			"<tbody>\n<tr>\n<td>MATH</td>\n</tr>\n</tbody>\n</table>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(markdown(c.source, nil))
			for {
				before, rest, ok := strings.Cut(got, "<math")
				_, after, closed := strings.Cut(rest, "</math>")
				if !ok || !closed {
					break
				}
				got = before + "MATH" + after
			}
			must.Equal(t, got, c.want)
		})
	}
}

func TestTeX(t *testing.T) {
	for _, c := range []struct{ name, tex, want string }{
		{"power", "x^2", "<msup><mi>x</mi><mn>2</mn></msup>"},
		{"the source goes along, escaped", "a < b", `<annotation encoding="application/x-tex">a &lt; b</annotation>`},
		{"arg max", `\operatorname*{arg\,max}_\theta x`, "<math"},
		{"what can't be read stays TeX", `\frac{`, `<code class="tex inline">\frac{</code>`},
		{"what isn't known stays TeX", `\nosuchcommand x`, `<code class="tex inline">\nosuchcommand x</code>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := texHTML(c.tex, false)
			must.Be(t, strings.Contains(got, c.want), "got %s, want %s in it", got, c.want)
		})
	}
}

func TestANSI(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a<b", "a&lt;b"},
		{"colour and reset", "\x1b[31mr\x1b[0mn", `<span class="fg1">r</span>n`},
		{"empty is reset", "\x1b[31mr\x1b[mn", `<span class="fg1">r</span>n`},
		{"bright, ground, bold", "\x1b[1;92;44mx", `<span class="fg10 bg4 bold">x</span>`},
		{"256 colours", "\x1b[38;5;9mx\x1b[38;5;200my", `<span class="fg9">x</span>y`},
		{"24 bits don't eat what follows", "\x1b[38;2;1;2;3;1mx", `<span class="bold">x</span>`},
		{"partial resets", "\x1b[1;3;4mx\x1b[22;23;24my", `<span class="bold italic underline">x</span>y`},
		{"no empty spans", "\x1b[31m\x1b[0mx", "x"},
		{"other sequences are dropped", "\x1b[2Ka\x1b]0;title\x07b\x1b[1Ac", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, ansiHTML(c.text), c.want) })
	}
}
