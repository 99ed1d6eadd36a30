package page

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// text returns a cell of text, and code one of code with a picture or without.
func text(id, source string, tags ...any) *ipynb.Cell {
	return &ipynb.Cell{ID: id, Type: ipynb.Markdown, Source: source, Metadata: map[string]any{"tags": tags}}
}

func code(id, source string, picture bool, tags ...any) *ipynb.Cell {
	c := &ipynb.Cell{ID: id, Type: ipynb.Code, Source: source, Metadata: map[string]any{"tags": tags}}
	c.Outputs = []*ipynb.Output{{Type: ipynb.Stream, Name: "stdout", Text: "done in 3 s"}}
	if picture {
		c.Outputs = append(c.Outputs, &ipynb.Output{Type: ipynb.DisplayData, Data: map[string]any{
			"image/png": "iVBORw0KGgo=", "text/plain": "[lines: a curve]"}})
	}
	return c
}

// Without tags headings and pictures are slides: no further prose, no code of its own, no text that a cell printed.
func TestSlides(t *testing.T) {
	nb := &ipynb.Notebook{Cells: []*ipynb.Cell{
		text("a", "# Ten rates\n\nWhat is the rate?\n\n$$a=1$$\n\nMuch prose."),
		text("a2", "### A detail\n\n## Theory\nIn one line."),
		code("b", "x := 1", false), code("c", "viz.Show(x)", true)}}
	html := string(must.Get(Slides(nb, "file", Scripts{}))(t))
	must.Equal(t, strings.Count(html, `class="slide"`), 3, "slides")
	for _, want := range []string{"<title>Ten rates</title>", "What is the rate?", "<math", "In one line.", "1 / 3",
		"3 / 3", "Content-Security-Policy", "data:image/png"} {
		must.Be(t, strings.Contains(html, want), "no %q", want)
	}
	for _, not := range []string{"Much prose", "A detail", "done in 3 s", "x := 1", "<script"} {
		must.Be(t, !strings.Contains(html, not), "%q is on a slide", not)
	}
}

// With tags the tagged cells are the slides, whole.
func TestTaggedSlides(t *testing.T) {
	nb := &ipynb.Notebook{Cells: []*ipynb.Cell{
		text("a", "# Title\n\nOne.\n\nTwo.", "slide"), text("b", "## Not this"),
		code("c", "y := 2", false, "slide"), text("d", "Three.", "more"), code("e", "z := 3", true)}}
	html := string(must.Get(Slides(nb, "file", Scripts{}))(t))
	must.Equal(t, strings.Count(html, `class="slide"`), 2, "slides")
	for _, want := range []string{"Two.", "done in 3 s", "Three."} {
		must.Be(t, strings.Contains(html, want), "a tagged cell is not whole: no %q", want)
	}
	for _, not := range []string{"Not this", "z := 3"} {
		must.Be(t, !strings.Contains(html, not), "a cell without a tag is there: %q", not)
	}
	nb.Cells = []*ipynb.Cell{text("a", "prose")}
	must.Refuse(Slides(nb, "file", Scripts{}))(t, "no headings")
}
