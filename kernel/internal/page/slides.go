package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// Tags of cells that [Slides] shows.
const (
	slideTag = "slide" // begins a slide
	moreTag  = "more"  // goes on with the slide before it
)

//go:embed slides.css
var slideSheet string

// Slides renders a notebook as one file of slides, each as high as the window and each a page on paper. It needs no
// script: the space bar and the arrow keys scroll, and the slides snap. A cell with the tag slide begins a slide, and
// cells with the tag more go on with it. In a notebook without these tags each heading of the first two levels is a
// slide, with the paragraph that follows, and so is each picture. Code that has an output is not shown.
func Slides(nb *ipynb.Notebook, fallback string, own Scripts) ([]byte, error) {
	all := slides(nb)
	if len(all) == 0 {
		return nil, fmt.Errorf("page: the notebook has no headings, no pictures and no cells with the tag %q", slideTag)
	}
	d := &Document{Title: title(nb, fallback), ids: map[string]bool{}}
	var body strings.Builder
	for k, cells := range all {
		part := *nb
		part.Cells = cells
		one, err := New(&part, d.Title)
		if err != nil {
			return nil, err
		}
		for _, name := range one.Uses {
			if !slices.Contains(d.Uses, name) {
				d.Uses = append(d.Uses, name)
			}
		}
		fmt.Fprintf(&body, "<div class=\"slide\" id=\"slide-%d\">\n%s<p class=\"place\">%d / %d</p>\n</div>\n", k+1,
			one.Body, k+1, len(all))
	}
	d.Body = template.HTML(body.String())
	return d.file(own, Sheet()+slideSheet)
}

// slides returns the cells of each slide.
func slides(nb *ipynb.Notebook) (all [][]*ipynb.Cell) {
	tagged := slices.ContainsFunc(nb.Cells, func(c *ipynb.Cell) bool { return c.HasTag(slideTag) })
	for _, cell := range nb.Cells {
		switch {
		case tagged && cell.HasTag(slideTag):
			all = append(all, []*ipynb.Cell{cell})
		case tagged && cell.HasTag(moreTag) && len(all) > 0:
			all[len(all)-1] = append(all[len(all)-1], cell)
		case tagged:
		case cell.Type == ipynb.Markdown:
			for _, text := range headings(cell.Source) {
				c := *cell
				c.Source = text
				all = append(all, []*ipynb.Cell{&c})
			}
		case slices.ContainsFunc(cell.Outputs, pictured):
			c := *cell
			c.Outputs = nil
			for _, o := range cell.Outputs {
				if pictured(o) {
					c.Outputs = append(c.Outputs, o)
				}
			}
			all = append(all, []*ipynb.Cell{&c})
		}
	}
	return all
}

func pictured(o *ipynb.Output) bool {
	return o.Content("image/png") != "" || o.Content("image/svg+xml") != ""
}

// headings returns the headings of the first two levels of a text, each with the paragraph after it and its formula.
func headings(text string) (out []string) {
	blocks := strings.Split(text, "\n\n")
	for k, block := range blocks {
		head, rest, _ := strings.Cut(strings.TrimSpace(block), "\n")
		if !strings.HasPrefix(head, "# ") && !strings.HasPrefix(head, "## ") {
			continue
		}
		next := k + 1
		if rest == "" && next < len(blocks) && !strings.HasPrefix(blocks[next], "#") {
			rest = blocks[next]
			next++
		}
		if next < len(blocks) && strings.HasPrefix(blocks[next], "$$") { // a sentence that ends in a formula
			rest += "\n\n" + blocks[next]
		}
		out = append(out, head+"\n\n"+rest)
	}
	return out
}
