package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Posterior is a view of draws with a description; *expfam.Posterior is one. If its cells
// form a grid, row after row from the top, it may have a method Shape() (rows, cols int). A method Alarm() string
// gives a sentence to show above the figure, or "" for none.
type Posterior interface {
	Draws
	// String returns the summary as text.
	String() string
	// Describe returns a line with what was drawn, and a line with how.
	Describe() (what, how string)
}

// Summary shows a posterior: what was drawn and how, a figure, and a table with mean, standard deviation, median and
// equal-tailed 95% interval. On a grid the figure is small maps of the median, the ends of the interval and the
// standard deviation. Many cells in a line are shown as the median in its band, few cells as intervals, and a single
// cell by its density. Show makes a Summary of a posterior.
type Summary struct {
	Of Posterior

	// On is a field on the grid of the draws, whose axes the maps have. Default: the rows and columns of the
	// posterior's method Shape.
	On Lattice
	// Blank cells do not belong to the maps, such as cells outside of the domain; see Map.
	Blank []bool
	// Over are lines over the maps, such as borders.
	Over []Overlay
	// X are the positions of cells in a line, in any order. Default: their numbers 0, 1, …
	X []float64
	// Names are the names of the cells, such as districts. The table shows them beside the cells' numbers. Up
	// to 60 named cells are shown by their intervals. Default: the names of the posterior's method CellNames.
	Names []string

	Title          string  // default: what was drawn
	XLabel, YLabel string  // of the figure; default "cell" and "θ"
	Width          float64 // px; 0 means 800
}

// few is the largest number of cells whose intervals stand beside each other; more are a band.
const few = 12

// named is the largest number of named cells whose intervals stand beside each other. It is larger than few because
// named cells do not follow a line, as a band does.
const named = 60

// Encode implements Figure. Pictures hold the figure only, text is the text of the posterior, and CSV
// is the table of all cells.
func (v Summary) Encode(format Format) ([]byte, error) {
	if isNil(v.Of) {
		return nil, fmt.Errorf("summary: there is no posterior; give Of")
	}
	if format == Text {
		return []byte(strings.TrimRight(v.Of.String(), "\n") + "\n"), nil
	}
	cells, err := cellQuantiles("summary", v.Of)
	if err != nil {
		return nil, err
	}
	if n, ok := v.Of.(interface{ CellNames() []string }); ok && v.Names == nil {
		v.Names = n.CellNames()
	}
	if v.Names != nil && len(v.Names) != len(cells) {
		return nil, fmt.Errorf("summary: %d names for %d cells", len(v.Names), len(cells))
	}
	if v.Blank != nil && len(v.Blank) != len(cells) {
		return nil, fmt.Errorf("summary: %d cells of Blank for %d cells", len(v.Blank), len(cells))
	}
	if v.On != nil { // the table has its rows and columns
		if _, err := latticeOf(v.Of, v.On); err != nil {
			return nil, fmt.Errorf("summary: %w", err)
		}
	}
	switch format {
	case CSV:
		return v.table(cells).Encode(CSV)
	case HTML:
		return v.html(cells)
	case SVG, Phone, PNG, PDF:
		fig, err := v.picture(cells)
		if err != nil {
			return nil, err
		}
		return fig.Encode(format)
	}
	return nil, unsupported("summary", format, SVG, PNG, PDF, HTML, Text, CSV)
}

func (v Summary) html(cells []summary) ([]byte, error) {
	fig, err := v.picture(cells)
	if err != nil {
		return nil, err
	}
	picture, err := fig.Encode(HTML)
	if err != nil {
		return nil, err
	}
	table, err := v.table(cells).Encode(HTML)
	if err != nil {
		return nil, err
	}
	what, how := v.Of.Describe()
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<div class="`+plain+`" style="font-size:13px;margin:4px 0 8px"><b>%s</b><div style="opacity:.75">%s</div></div>`+"\n",
		html.EscapeString(clean(cmp.Or(v.Title, what))), folded(clean(how)))
	if p, ok := v.Of.(interface{ Alarm() string }); ok && p.Alarm() != "" {
		fmt.Fprintf(&b, `<p class="`+plain+`" role="alert" style="font-size:13px;margin:4px 0 8px">⚠ %s</p>`+"\n",
			html.EscapeString(clean(p.Alarm())))
	}
	b.Write(picture)
	b.Write(table)
	return b.Bytes(), nil
}

// folded returns a line as HTML, of which all but the beginning is folded if it is long.
func folded(line string) string {
	const most, beginning = 90, 70 // bytes
	if len(line) <= most {
		return html.EscapeString(line)
	}
	at := strings.LastIndexAny(line[:beginning], ",;")
	if at < 0 {
		return html.EscapeString(line)
	}
	return `<details><summary style="cursor:pointer">` + html.EscapeString(line[:at]) + ` …</summary>` +
		html.EscapeString(strings.TrimSpace(line[at+1:])) + `</details>`
}

// gridShape returns the rows and columns of the field on, or without a field those of the draws. It returns 0, 0 for
// cells in a line.
func gridShape(d Draws, on Lattice) (rows, cols int) {
	_, cells := d.Dims()
	if on != nil {
		cols, rows = on.Dims()
	} else if s, ok := d.(interface{ Shape() (rows, cols int) }); ok {
		rows, cols = s.Shape()
	}
	if on == nil && rows*cols != cells || rows < 2 || cols < 2 {
		return 0, 0
	}
	return rows, cols
}

func (v Summary) picture(cells []summary) (Figure, error) {
	rows, _ := gridShape(v.Of, v.On)
	label := cmp.Or(v.YLabel, "θ")
	switch {
	case cells[0].one && rows == 0 && !isLocated(v.Of):
		line := bandOf("the only draw", cells, v.X)
		line.Low, line.High, line.Points = nil, nil, true
		return Lines{Lines: []Line{line}, XLabel: cmp.Or(v.XLabel, "cell"), YLabel: label, Note: oneDraw,
			Width: v.Width, Height: 300}, nil
	case rows > 0:
		return v.maps(cells)
	case v.On == nil && isLocated(v.Of):
		return v.choropleth(cells)
	case len(cells) == 1 && cells[0].varies():
		return Density{Draws: v.Of, XLabel: label, Width: v.Width, Height: 260}, nil
	case len(cells) <= few || v.Names != nil && len(cells) <= named:
		return Intervals{Draws: v.Of, X: v.X, Names: v.Names, XLabel: v.XLabel, YLabel: label, Width: v.Width,
			Height: 300}, nil
	}
	return Lines{Lines: []Line{bandOf("posterior", cells, v.X)}, XLabel: cmp.Or(v.XLabel, "cell"), YLabel: label,
		Note: bandNote, Width: v.Width, Height: 300}, nil
}

// oneDraw is printed under a summary of a single draw.
const oneDraw = "One draw has no interval and no standard deviation."

// bandNote is printed under every band of a summary.
const bandNote = "Line: median. Band: central 95% (equal-tailed)."

// bandOf returns the medians of cells in a line, with the 95% intervals as a band.
func bandOf(name string, cells []summary, x []float64) Line {
	l := Line{Name: name, X: x}
	order := along(x, len(cells))
	if x == nil {
		l.X = indices(len(cells))
	} else if len(x) == len(cells) {
		l.X = pick(x, order)
	}
	for _, j := range order {
		s := cells[j]
		l.Y, l.Low, l.High = append(l.Y, s.q[2]), append(l.Low, s.q[0]), append(l.High, s.q[4])
	}
	return l
}

// along returns the numbers of n cells in the order of their positions. Without a position for each it leaves their
// order.
func along(x []float64, n int) []int {
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	if len(x) == n {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	}
	return order
}
