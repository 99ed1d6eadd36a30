package live

import (
	"encoding/base64"

	"github.com/expfam/lab/viz"
)

// picture is a drawn figure in the form that is quick to draw.
type picture struct {
	fig  viz.Figure
	svg  string // the static drawing; "" for figures that have none, such as tables
	slim string // the drawing for a phone; "" until it is asked for
	html string // the HTML of a figure that has no static drawing
	code string // the program that makes the figure; "" if it is not known
}

func newPicture(fig viz.Figure) (picture, error) {
	svg, err := fig.Encode(viz.SVG)
	if err == nil {
		return picture{fig: fig, svg: string(svg)}, nil
	}
	html, errHTML := fig.Encode(viz.HTML)
	if errHTML != nil {
		return picture{}, err
	}
	return picture{fig: fig, html: string(html)}, nil
}

// full returns the HTML that notebooks keep. It is interactive where scripts run.
func (p picture) full() (string, error) {
	if p.html != "" {
		return p.html, nil
	}
	html, err := p.fig.Encode(viz.HTML)
	return string(html), err
}

// wired returns the figure in the form that is sent to a place of a width in px, which is 0 where it is not known, and
// reports whether that form is HTML.
func (p *picture) wired(width int) (figure string, rich bool) {
	if p.html != "" {
		return p.html, true
	}
	if !slim(width) {
		return p.svg, false
	}
	if p.slim == "" {
		svg, err := p.fig.Encode(viz.Phone)
		if p.slim = string(svg); err != nil { // a figure of the user's own has no such form
			p.slim = p.svg
		}
	}
	return p.slim, false
}

// still returns the drawing as HTML without scripts.
func (p picture) still() string {
	if p.svg == "" {
		return p.html
	}
	return `<img alt="" style="max-width:100%;display:block" src="data:image/svg+xml;base64,` +
		base64.StdEncoding.EncodeToString([]byte(p.svg)) + `">`
}
