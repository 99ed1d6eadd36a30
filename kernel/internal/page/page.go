// Package page renders a notebook as one HTML file that needs nothing else and no network: mathematics is MathML, and
// pictures and the scripts of figures are inside. It reads well on a phone, on paper, in the dark, and without scripts.
// Live cells run by a program that comes inside of the file or beside it.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/viz/program"
)

//go:embed page.html
var layout string

//go:embed page.css
var sheet string

var pageTemplate = template.Must(template.New("page").Parse(layout))

// Document is a rendered notebook without the page around it.
type Document struct {
	Title string
	// Body is the HTML of the cells, sanitised: nothing in it runs. The data of figures stand in it as JSON for the
	// script [Figures].
	Body template.HTML
	// Uses are the libraries of scripts that figures can use, as "echarts".
	Uses []string
	ids  map[string]bool // of cells and of content
}

// Sheet returns the style sheet that a document needs.
func Sheet() string { return "\n" + highlightCSS() + sheet + program.ControlsCSS }

// New renders the notebook. The title is the notebook's first heading; fallback is used if it has none. The cells whose
// ids are in live are marked, because a program in the page can make their panels live.
//
// A notebook may come from anywhere: what its Markdown and its outputs hold is sanitised.
func New(nb *ipynb.Notebook, fallback string, live ...string) (*Document, error) {
	language := cmp.Or(nb.Language(), "go")
	d := &Document{Title: title(nb, fallback), ids: map[string]bool{}}
	var body strings.Builder
	for i, cell := range nb.Cells {
		var source template.HTML
		var outputs []template.HTML
		switch cell.Type {
		case ipynb.Markdown:
			source = markdown(cell.Source, cell.Attachments())
		case ipynb.Raw:
			source = template.HTML("<pre>" + template.HTMLEscapeString(cell.Source) + "</pre>")
		case ipynb.Code:
			if strings.TrimSpace(cell.Source) == "" {
				continue
			}
			source = highlight(cell.Source, language)
			for _, out := range cell.Outputs {
				h, err := output(out)
				if err != nil {
					return nil, fmt.Errorf("page: cell %d: %w", i+1, err)
				}
				outputs = append(outputs, h)
			}
		}
		d.ids["cell-"+cell.ID] = true
		mark := ""
		if slices.Contains(live, cell.ID) {
			mark = " data-live"
		}
		fmt.Fprintf(&body, "<section class=\"cell %s\" id=\"cell-%s\"%s>\n%s",
			template.HTMLEscapeString(string(cell.Type)), template.HTMLEscapeString(cell.ID), mark, source)
		for _, h := range outputs {
			body.WriteString("\n" + string(h))
		}
		body.WriteString("\n</section>\n")
	}
	d.Body, d.Uses = d.anchored(body.String()), needs(body.String())
	return d, nil
}

// Render renders the notebook as one file. Its content security policy lets no script run except the page's own.
func Render(nb *ipynb.Notebook, fallback string, own Scripts) ([]byte, error) {
	d, err := New(nb, fallback, own.Live.cells()...)
	if err != nil {
		return nil, err
	}
	return d.file(own, Sheet())
}

// file returns the document as one file with a style sheet.
func (d *Document) file(own Scripts, style string) ([]byte, error) {
	doc := struct {
		*Document
		Policy  string
		Style   template.CSS
		Scripts []template.HTML
	}{Document: d, Style: template.CSS(style)}
	var hashes []string
	add := func(code string) {
		script, hash := inline(code)
		doc.Scripts, hashes = append(doc.Scripts, script), append(hashes, hash)
	}
	for _, name := range d.Uses {
		if code := own.Libraries[name]; len(code) > 0 {
			add(string(code))
		}
	}
	if strings.Contains(string(d.Body), "data-program=") {
		add(Figures())
	}
	if own.Live != nil {
		doc.Scripts = append(doc.Scripts, own.Live.blocks())
		add(LiveScript())
	}
	doc.Policy = own.policy(hashes, style)
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
