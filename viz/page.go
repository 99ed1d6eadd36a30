package viz

import (
	"bytes"
	"fmt"
	"html"
)

// Page is a document of figures, tables and texts under headings, for a reader who has no notebook: Save writes it as
// .html, which needs no network, or as .txt. In a notebook Show shows it as one output.
type Page struct {
	Title    string
	Lead     string // paragraphs under the title, separated by empty lines
	Sections []Section
}

// Section is a part of a [Page].
type Section struct {
	Title   string
	Text    string // paragraphs, separated by empty lines
	Figures []any  // what Show accepts
}

// Encode implements Figure.
func (v Page) Encode(format Format) ([]byte, error) {
	if format != HTML && format != Text {
		return nil, unsupported("page", format, HTML, Text)
	}
	if len(v.Sections) == 0 {
		return nil, fmt.Errorf("page: no sections; give at least one")
	}
	var b bytes.Buffer
	head := func(level int, text string) {
		switch {
		case text == "":
		case format == HTML:
			fmt.Fprintf(&b, "<h%d class=\"%s\" style=\"margin:1.2em 0 .4em\">%s</h%d>\n", level, plain,
				html.EscapeString(clean(text)), level)
		default:
			fmt.Fprintf(&b, "%s\n", clean(text))
		}
	}
	body := func(text string) {
		for _, p := range bytes.Split([]byte(text), []byte("\n\n")) {
			switch {
			case len(p) == 0:
			case format == HTML:
				fmt.Fprintf(&b, "<p class=\"%s\" "+
					"style=\"max-width:46em;line-height:1.45;white-space:pre-line\">%s</p>\n", plain,
					html.EscapeString(string(p)))
			default:
				fmt.Fprintf(&b, "%s\n", p)
			}
		}
	}
	head(1, v.Title)
	body(v.Lead)
	for k, s := range v.Sections {
		head(2, s.Title)
		body(s.Text)
		for i, of := range s.Figures {
			fig, err := figure(of)
			if err != nil {
				return nil, fmt.Errorf("page: section %d, figure %d: %w", k+1, i+1, err)
			}
			data, err := fig.Encode(format)
			if err != nil {
				return nil, fmt.Errorf("page: section %d, figure %d: %w", k+1, i+1, err)
			}
			b.Write(data)
		}
	}
	return b.Bytes(), nil
}
