// Package page renders a notebook as one HTML file that needs nothing else: no network, mathematics as MathML, pictures
// inside, the scripts of figures as well. It reads well on a phone, on paper, in the dark, and without
// scripts.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/expfam/lab/kernel/ipynb"
)

//go:embed page.html
var layout string

//go:embed page.css
var sheet string

var pageTemplate = template.Must(template.New("page").Parse(layout))

// block is a rendered cell.
type block struct {
	Class   string        // markdown, code, raw
	ID      string        // for links to the cell
	Body    template.HTML // source
	Outputs []template.HTML
}

// Render renders the notebook. The title is the notebook's first heading; fallback is used if it has none.
//
// A notebook may come from anywhere: what its Markdown and its outputs hold is sanitised, and the page's content security policy
// lets no script run but the given ones.
func Render(nb *ipynb.Notebook, fallback string, own Scripts) ([]byte, error) {
	language := nb.Language()
	if language == "" {
		language = "go"
	}
	style := "\n" + highlightCSS() + sheet
	doc := struct {
		Title, Policy string
		Style         template.CSS
		Blocks        []block
	}{Title: title(nb, fallback), Style: template.CSS(style)}
	running := newScripts(own)
	for i, cell := range nb.Cells {
		b := block{ID: cell.ID, Class: string(cell.Type)}
		var err error
		switch cell.Type {
		case ipynb.Markdown:
			b.Body = markdown(cell.Source, cell.Attachments())
		case ipynb.Raw:
			b.Body = template.HTML("<pre>" + template.HTMLEscapeString(cell.Source) + "</pre>")
		case ipynb.Code:
			if strings.TrimSpace(cell.Source) == "" {
				continue
			}
			b.Body = highlight(cell.Source, language)
			for _, out := range cell.Outputs {
				var h template.HTML
				if h, err = running.output(out); err != nil {
					break
				}
				b.Outputs = append(b.Outputs, h)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("page: cell %d: %w", i+1, err)
		}
		doc.Blocks = append(doc.Blocks, b)
	}
	doc.Policy = running.policy(style)
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, doc); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return out.Bytes(), nil
}

func title(nb *ipynb.Notebook, fallback string) string {
	if s, ok := nb.Metadata["title"].(string); ok && s != "" {
		return s
	}
	for _, cell := range nb.Cells {
		if cell.Type != ipynb.Markdown {
			continue
		}
		for line := range strings.Lines(cell.Source) {
			if s, ok := strings.CutPrefix(line, "# "); ok {
				return strings.TrimSpace(strings.NewReplacer("`", "", "*", "", "$", "").Replace(s))
			}
		}
	}
	return fallback
}
