package page

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// Each of these 80 kB took goldmark, or the search for formulas, between two and more than 25 seconds.
func TestSlowMarkdownIsShownAsWritten(t *testing.T) {
	const n = 80000
	for _, c := range []struct{ name, source, why string }{
		{"quotes in quotes", strings.Repeat(">", n), "80000 quotes and lists begin on one line"},
		{"lists in lists", strings.Repeat("* ", n/2) + "a", "40000 of the marks *_"},
		{"numbered lists in lists", strings.Repeat("1. ", n/3) + "a", "26666 quotes and lists"},
		{"lists in quotes", strings.Repeat("> 1. ", n/5) + "a", "32000 quotes and lists"},
		{"a lazy line behind quotes", strings.Repeat("> ", n/4) + "a\n" + strings.Repeat("b\n", n/4),
			"20000 quotes and lists"},
		{"brackets", strings.Repeat("[", n/2) + strings.Repeat("]", n/2), "40000 of the marks ["},
		{"links without an end", strings.Repeat("[a](", n/4), "20000 of the marks ["},
		{"empty links without an end", strings.Repeat("[](", n/3), "26666 of the marks ["},
		{"addresses without an end", strings.Repeat("[a](<b", n/6), "13333 of the marks ["},
		{"emphasis that crosses", strings.Repeat("*a_ ", n/4), "40000 of the marks *_"},
		{"a wide table", strings.Repeat("|", 100) + "\n" + strings.Repeat("-|", 100) + "\n" +
			strings.Repeat("a\n", n/2), "a table of 101 columns"},
		{"a wide table in a quote", "> " + strings.Repeat("|", 100) + "\n> " + strings.Repeat("-|", 100) + "\n" +
			strings.Repeat("> a\n", n/4), "a table of 101 columns"},
		{"formulas", strings.Repeat("$x$ ", n/4), "40000 of the marks $"},
		{"dollars", strings.Repeat("$", n), "80000 of the marks $"},
		{"formulas behind one without an end", `\begin{align}` + strings.Repeat("$x$ ", n/4), "40000 of the marks $"},
		{"length", strings.Repeat("a ", n), "it is 156 kB long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(markdown(c.source, nil))
			must.Be(t, strings.HasPrefix(got, `<p class="note">Shown as it was written: `) &&
				strings.Contains(got[:min(len(got), 200)], c.why),
				"got %.200s, want the reason %q", got, c.why)
			must.Be(t, strings.HasSuffix(got, "<pre>"+template.HTMLEscapeString(c.source)+"</pre>"),
				"the source is not shown")
		})
	}
}

// As much as a long book's chapter has of everything is rendered.
func TestLongMarkdownIsRendered(t *testing.T) {
	part := "## A *heading* with $x_1$\n\nA [link](https://example.org) in **prose** with `code`, $\\frac{a}{b}$.\n\n" +
		"| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n\n* one\n  * two\n    1. three\n\n> quoted\n\n```go\nx[i] = " +
		"y[j] * z_k\n```\n\n" +
		strings.Repeat("Words of no importance. ", 12) + "\n\n"
	source := strings.Repeat(part, 100<<10/len(part))
	got := string(markdown(source, nil))
	must.Be(t, !strings.Contains(got, "Shown as it was written") &&
		strings.Count(got, "<table>") == strings.Count(source, "## "),
		"%d kB are not rendered: %.200s", len(source)>>10, got)
}

func TestRenderingHasALimit(t *testing.T) {
	never := make(chan template.HTML)
	defer close(never)
	got := string(bounded("<b>", time.Millisecond, func() template.HTML { return <-never }))
	want := `<p class="note">Shown as it was written: rendering it takes more than 1ms.</p><pre>&lt;b&gt;</pre>`
	must.Be(t, got == want, "got %q, want %q", got, want)
}
