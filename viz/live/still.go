package live

import (
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"strings"
	"time"

	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/program"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// data is what an output passes to its script.
type data struct {
	Panel   string  `json:"panel"`
	Live    bool    `json:"live"` // a program listens
	Title   string  `json:"title"`
	Specs   []spec  `json:"specs"`
	Seconds float64 `json:"seconds"`
	Frames  *frames `json:"frames,omitempty"`
	Why     string  `json:"why,omitempty"` // why nothing is live
}

// page returns the panel as HTML: its title, the values of the controls, the figure, and a script. Where scripts run,
// the script turns the values into controls. Without scripts a reader sees the values and the figure.
func (p Panel) page(id string, live bool, of []spec, figure, code string, f *frames, why string) (string, error) {
	d := data{Panel: id, Live: live, Title: p.Title, Specs: of, Seconds: p.Seconds, Frames: f, Why: why}
	var rows strings.Builder
	for _, s := range of {
		if s.Kind != "button" { // panel.js counts them
			fmt.Fprintf(&rows, `<span style="margin-right:16px"><span style="opacity:.75">%s</span> <b>%s</b></span> `,
				html.EscapeString(s.Label), html.EscapeString(s.text))
		}
	}
	state, err := jsonText(d)
	if err != nil {
		return "", err
	}
	if id == "" {
		// The same panel in the same state has the same id, so that running a cell
		// again changes nothing in the saved notebook.
		h := fnv.New64a()
		io.WriteString(h, state+figure)
		id = fmt.Sprintf("live-%x", h.Sum64())
		d.Panel = id
		if state, err = jsonText(d); err != nil {
			return "", err
		}
	}
	title := ""
	if p.Title != "" {
		title = `<div style="font-weight:bold;margin-bottom:4px">` + html.EscapeString(p.Title) + "</div>"
	}
	return fmt.Sprintf(`<div class="expfam-live mathjax_ignore tex2jax_ignore" data-panel="%s">%s<div class="expfam-live-controls" style="margin:2px 0 8px;font-size:13px">%s</div>`+
		`<div class="expfam-live-figure">%s</div>%s%s</div>`+"\n",
		html.EscapeString(id), title, rows.String(), figure, listing(code), program.Call(program.Panel, state)), nil
}

// listing returns the program that makes the figure, as HTML.
func listing(code string) string {
	if code == "" {
		return ""
	}
	return `<details class="expfam-live-code" open=""><summary>The same in Go</summary><pre style="overflow-x:auto">` +
		html.EscapeString(code) + "</pre></details>"
}

// bundle returns the panel in its last state, in every form that a notebook can store.
func (p Panel) bundle(pic picture, deadline time.Time, why string) (map[protocol.MIMEType]any, error) {
	figure, err := pic.full()
	if err != nil {
		return nil, err
	}
	f, err := p.frames(deadline)
	if err != nil {
		return nil, err
	}
	page, err := p.page("", false, p.specs(), figure, pic.code, f, why)
	if err != nil {
		return nil, err
	}
	text, err := pic.fig.Encode(viz.Text)
	if err != nil {
		return nil, err
	}
	out := map[protocol.MIMEType]any{protocol.MIMETextHTML: page, protocol.MIMETextPlain: p.settings() + string(text)}
	if kind, image := viz.Picture(pic.fig); image != nil {
		out[kind] = image
	}
	return out, nil
}

// settings returns a line with the values of the controls, or "" if there are none.
func (p Panel) settings() string {
	var list []string
	for _, c := range p.Controls {
		if t := c.text(); t != "" {
			list = append(list, c.spec().Label+" = "+t)
		}
	}
	if list == nil {
		return ""
	}
	return strings.Join(list, ", ") + "\n"
}

// print writes the panel as text.
func (p Panel) print(w io.Writer, pic picture) error {
	if p.Title != "" {
		fmt.Fprintln(w, p.Title)
	}
	io.WriteString(w, p.settings())
	return viz.Display(pic.fig)
}
