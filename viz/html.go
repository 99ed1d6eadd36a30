package viz

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/viz/program"
)

// plain is the classes of elements whose text is no mathematics. In other elements, notebooks set the text between two
// dollar signs as a formula, even in a name from the data.
const plain = "mathjax_ignore tex2jax_ignore"

// html returns the figure for a notebook: the static image, and a script that replaces the image where scripts run
// and ECharts is found.
func (d *drawing) html(svg []byte) ([]byte, error) {
	p, err := d.interactive()
	if err != nil {
		return nil, err
	}
	return fragment(svg, strings.Join(d.altText(), "; "),
		interactiveScript{Width: d.Width, Columns: 1, Tips: d.hover(), Panels: []panel{p}})
}

// interactiveScript is what chart.js needs to replace an image by live charts.
type interactiveScript struct {
	ID      string   `json:"id"`
	Width   float64  `json:"width"`
	Columns int      `json:"columns"`
	Title   string   `json:"title,omitempty"`
	Note    string   `json:"note,omitempty"`
	Tips    [][3]any `json:"tips"`
	Panels  []panel  `json:"panels"`
}

// panel is one live chart of a figure.
type panel struct {
	Height float64         `json:"height"`
	Note   string          `json:"note"`
	XTicks []float64       `json:"xticks"`
	YTicks []float64       `json:"yticks"`
	Names  []string        `json:"names,omitempty"` // at the xticks, in the place of numbers
	Option json.RawMessage `json:"option"`
}

func (d *drawing) interactive() (panel, error) {
	option, err := d.option()
	var names []string
	for _, t := range d.X.named {
		names = append(names, t.Label)
	}
	return panel{d.Height, clean(d.note()), labelled(d.xticks), labelled(d.yticks), names, option}, err
}

// fragment puts an image and the script that replaces it into one element.
func fragment(svg []byte, alt string, u interactiveScript) ([]byte, error) {
	of := [][]byte{svg}
	for _, p := range u.Panels {
		of = append(of, p.Option)
	}
	u.ID = identity(of...)
	arg, err := json.Marshal(u)
	if err != nil {
		return nil, fmt.Errorf("viz: %w", err)
	}
	// The attribute makes the page around it load ECharts, as package page of the kernel does.
	return element(u.ID, ` data-uses="echarts"`, 0, u.Width, svg, alt, program.Chart, arg), nil
}

// identity returns the id of the element of a figure. The same figure has the same id, so that running a cell again
// changes nothing in the saved notebook.
func identity(of ...[]byte) string {
	h := fnv.New64a()
	for _, b := range of {
		h.Write(b)
	}
	return fmt.Sprintf("viz-%x", h.Sum64())
}

// element returns an element that holds an image and a script. The script calls the program code with arg. The element
// is at least least px wide, and where that is wider than its place, the place scrolls.
func element(id, attributes string, least, width float64, svg []byte, alt, code string, arg []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<div id="%s" class="`+plain+
		`"%s style="position:relative;width:%gpx;min-width:%.0fpx;max-width:100%%;background:#fff;border-radius:4px">`, id,
		attributes, width, least)
	b.WriteString(picture(svg, alt))
	b.WriteString(program.Call(code, string(arg)) + "</div>\n")
	return b.Bytes()
}

// legible is the share of its width to which a drawing may shrink: its smallest letters, of 11 px, then have 10.
const legible = 0.91

// picture returns the element of the static image. The image is a data address, which passes the sanitising of
// untrusted notebooks; inline SVG would be dropped.
func picture(svg []byte, alt string) string {
	return fmt.Sprintf(`<img alt="%s" style="width:100%%;display:block" src="data:image/svg+xml;base64,%s">`,
		html.EscapeString(clean(alt)), base64.StdEncoding.EncodeToString(svg))
}

// hover returns the tips of all marks: x and y in px of the image, and the text.
func (d *drawing) hover() [][3]any {
	p, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
	tx, ty := p.Transforms(&area)
	out := [][3]any{}
	for _, m := range d.marks {
		for _, t := range m.tips() {
			at := vg.Point{X: tx(t.x), Y: ty(t.y)}
			if area.Contains(at) {
				lines := strings.Split(t.text, "\n")
				out = append(out, [3]any{pixels(at.X), pixels(px(d.Height) - at.Y),
					strings.Join(cleanAll(lines), "\n")})
			}
		}
	}
	return out
}

// labelled returns the values of the ticks that have a label.
func labelled(ticks []plot.Tick) []float64 {
	out := []float64{}
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, digits(t.Value))
		}
	}
	return out
}

// pixels returns a length in px, rounded to half a pixel.
func pixels(l vg.Length) float64 { return float64(int(2*float64(l)/0.75+0.5)) / 2 }

// page returns an HTML document with the fragment. It embeds ECharts if the fragment uses it and the library is
// found. Without ECharts the document shows the image and its tips.
func page(title string, fragment []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n",
		html.EscapeString(clean(title)))
	b.WriteString("<style>body{margin:24px;font-family:'Liberation " +
		"Sans',Arial,Helvetica,sans-serif;color:#222;background:#fff}@media screen and " +
		"(prefers-color-scheme:dark){:root{color-scheme:dark}body{color:#e4e6e8;background:#14171a}}</style>\n")
	if js := findECharts(); js != nil && bytes.Contains(fragment, []byte(`data-uses="echarts"`)) {
		b.WriteString("<script>")
		// This is the only sequence that could end the element early.
		b.Write(bytes.ReplaceAll(js, []byte("</script"), []byte(`<\/script`)))
		b.WriteString("</script>\n")
	}
	b.WriteString("</head><body>\n")
	b.Write(fragment)
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

// findECharts reads the library from EXPFAM_ECHARTS or from the first Jupyter
// data directory that has it, and returns nil when none has.
func findECharts() []byte {
	paths := []string{os.Getenv("EXPFAM_ECHARTS")}
	for _, dir := range jupyterData() {
		paths = append(paths, filepath.Join(dir, "labextensions", "expfam-viz", "echarts.min.js"))
	}
	for _, p := range paths {
		if p == "" {
			continue
		}
		if js, err := os.ReadFile(p); err == nil {
			return js
		}
	}
	return nil
}

// jupyterData lists Jupyter's data directories, the user's first.
func jupyterData() []string {
	dirs := []string{os.Getenv("JUPYTER_DATA_DIR")}
	if home, err := os.UserHomeDir(); err == nil {
		if runtime.GOOS == "darwin" {
			dirs = append(dirs, filepath.Join(home, "Library", "Jupyter"))
		}
		if data := os.Getenv("XDG_DATA_HOME"); data != "" {
			dirs = append(dirs, filepath.Join(data, "jupyter"))
		}
		dirs = append(dirs, filepath.Join(home, ".local", "share", "jupyter"))
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("JUPYTER_PATH"))...)
	dirs = append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
	var out []string
	for _, d := range dirs {
		if d != "" {
			out = append(out, d)
		}
	}
	return out
}

// Tip is a number of every cell of a map that is shown under the pointer, beside the cell's value.
type Tip struct {
	Name string
	// Values are in the order of [Map.Held]; NaN is left out.
	Values []float64
	// At returns the value of cell j. It takes the place of Values.
	At func(j int) float64
	// Words are shown instead of the values, for example the names of countries. A value is then the index of its
	// word, counted from 0. Nil: the values are shown.
	Words []string
}

// readTips checks the tips and puts their values into drawing order.
func (t *tile) readTips() error {
	tips := make([]Tip, len(t.Tips))
	for k, tip := range t.Tips {
		if tip.At != nil {
			if tip.Values != nil {
				return fmt.Errorf("tip %q has Values and At; leave one of the two out", clean(tip.Name))
			}
			tip.Values = tabulate(len(t.z), tip.At)
		}
		if len(tip.Values) != len(t.z) {
			return fmt.Errorf("tip %q has %d values for %d columns and %d rows", clean(tip.Name), len(tip.Values),
				t.cols, t.rows)
		}
		tips[k] = Tip{Name: clean(tip.Name), Values: pick(tip.Values, t.index), Words: cleanAll(tip.Words)}
	}
	t.Tips = tips
	return nil
}

// tabulate returns the values of a function at 0 … n−1.
func tabulate(n int, at func(j int) float64) []float64 {
	out := make([]float64, n)
	for j := range out {
		out[j] = at(j)
	}
	return out
}
