package viz

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Posterior is a view of draws with a description; *expfam.Posterior is one. If its cells
// form a grid, row after row from the top, it may have a method Shape() (rows, cols int). A method Alarm() string
// gives a sentence to show above the figure, or "" for none.
type Posterior interface {
	Draws
	// String is the summary as text.
	String() string
	// Describe says in a line each what was drawn, and how.
	Describe() (what, how string)
}

// Summary shows a posterior: what was drawn and how, a figure, and a table with mean, standard
// deviation, median and equal-tailed 95% interval. On a grid the figure is small maps of the median,
// the ends of the interval and the standard deviation. Many cells in a line are shown as the median
// in its band, few cells as intervals, and a single cell by its density. Show makes a Summary of a
// posterior.
type Summary struct {
	Of Posterior

	// On is a field on the grid of the draws. The maps have its axes. Default: the rows and columns that
	// the posterior knows.
	On Lattice
	// Blank cells do not belong to the maps, such as cells outside of the domain; see
	// Map.
	Blank []bool
	// Over are lines over the maps, such as borders.
	Over []Overlay
	// X are the positions of cells in a line. Default: their numbers 0, 1, …
	X []float64
	// Names are the names of the cells, such as districts. The table shows them beside the cells' numbers. Up
	// to 60 named cells are shown by their intervals.
	Names []string

	Title          string  // default: what was drawn
	XLabel, YLabel string  // of the figure; default "cell" and "θ"
	Width          float64 // px; 0 means 800
}

// few is the largest number of cells whose intervals stand beside each other; more are a band.
const few = 12

// named is that of cells with names, which follow no line.
const named = 60

// Encode implements Figure. Pictures hold the figure only, text is the text of the posterior, and CSV
// is the table of all cells.
func (v Summary) Encode(format Format) ([]byte, error) {
	if v.Of == nil {
		return nil, fmt.Errorf("summary: there is no posterior; give Of")
	}
	if format == Text {
		return []byte(strings.TrimRight(v.Of.String(), "\n") + "\n"), nil
	}
	cells, err := cellQuantiles("summary", v.Of)
	if err != nil {
		return nil, err
	}
	if v.Names != nil && len(v.Names) != len(cells) {
		return nil, fmt.Errorf("summary: %d names for %d cells", len(v.Names), len(cells))
	}
	switch format {
	case CSV:
		return v.table(cells).Encode(CSV)
	case HTML:
		return v.html(cells)
	case SVG, PNG, PDF:
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
	fmt.Fprintf(&b, `<p class="`+plain+`" style="font-size:13px;margin:4px 0 8px"><b>%s</b><br><span style="opacity:.75">%s</span></p>`+"\n",
		html.EscapeString(clean(nonEmpty(v.Title, what))), html.EscapeString(clean(how)))
	if p, ok := v.Of.(interface{ Alarm() string }); ok && p.Alarm() != "" {
		fmt.Fprintf(&b, `<p class="`+plain+`" role="alert" style="font-size:13px;margin:4px 0 8px">⚠ %s</p>`+"\n", html.EscapeString(clean(p.Alarm())))
	}
	b.Write(picture)
	b.Write(table)
	return b.Bytes(), nil
}

// shapeOf is the grid of draws, that of a field if there is one; 0 by 0 for a line.
func shapeOf(d Draws, on Lattice) (rows, cols int) {
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
	rows, _ := shapeOf(v.Of, v.On)
	label := nonEmpty(v.YLabel, "θ")
	switch {
	case rows > 0:
		return v.maps(cells)
	case len(cells) == 1:
		return Density{Draws: v.Of, XLabel: label, Width: v.Width, Height: 260}, nil
	case len(cells) <= few || v.Names != nil && len(cells) <= named:
		return Intervals{Draws: v.Of, X: v.X, XLabel: v.XLabel, YLabel: label, Width: v.Width, Height: 300}, nil
	}
	return Lines{Lines: []Line{bandOf("posterior", cells, v.X)}, XLabel: nonEmpty(v.XLabel, "cell"), YLabel: label, Note: bandNote, Width: v.Width, Height: 300}, nil
}

// bandNote is printed under every band of a summary.
const bandNote = "Line: median. Band: central 95% (equal-tailed)."

// bandOf is the median of cells in a line within its 95% interval.
func bandOf(name string, cells []summary, x []float64) Line {
	l := Line{Name: name, X: x}
	if x == nil {
		l.X = indices(len(cells))
	}
	for _, s := range cells {
		l.Y, l.Low, l.High = append(l.Y, s.q[2]), append(l.Low, s.q[0]), append(l.High, s.q[4])
	}
	return l
}

// latticeOf is what maps of draws take their axes from.
func latticeOf(d Draws, on Lattice) (*cells, error) {
	rows, cols := shapeOf(d, on)
	if on == nil {
		matrix := make(Rows, rows)
		for r := range matrix {
			matrix[r] = make([]float64, cols)
		}
		on = matrix
	}
	m, err := readCells(on, false)
	if err != nil {
		return nil, err
	}
	if _, n := d.Dims(); n != len(m.z) {
		return nil, fmt.Errorf("draws of %d cells on a field of %d rows and %d columns", n, m.rows, m.cols)
	}
	return m, nil
}

// on is a number of every cell on a lattice.
func (m *cells) on(cells []summary, value func(summary) float64) redrawn {
	z := make([]float64, len(cells))
	for j, i := range m.index {
		z[j] = value(cells[i])
	}
	return redrawn{m, z}
}

func (v Summary) maps(cells []summary) (Figure, error) {
	m, err := latticeOf(v.Of, v.On)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	label := nonEmpty(v.YLabel, "θ")
	value, spread := &Scale{Label: label}, &Scale{Label: "standard deviation of " + label}
	out := Maps{ColumnLabels: []string{"2.5%", "median", "97.5%", "sd"}, Width: v.Width}
	for _, k := range []int{0, 2, 4} {
		out.Maps = append(out.Maps, Map{Field: m.on(cells, func(s summary) float64 { return s.q[k] }), Scale: value, Blank: v.Blank, Over: v.Over})
	}
	out.Maps = append(out.Maps, Map{Field: m.on(cells, func(s summary) float64 { return s.sd }), Scale: spread, Blank: v.Blank, Over: v.Over})
	return out, nil
}

// table has a row for each cell and one for the average of all; of a grid only the cells with the lowest and
// the highest mean are shown.
func (v Summary) table(cells []summary) Table {
	rows, cols := shapeOf(v.Of, v.On)
	columns := []Column{{Name: "cell"}}
	if rows > 0 {
		columns = []Column{{Name: "row"}, {Name: "column"}}
	}
	place := func(j int) []any {
		if rows > 0 {
			return []any{j / cols, j % cols}
		}
		name := strconv.Itoa(j)
		if v.Names != nil {
			name += " " + v.Names[j]
		}
		return []any{name}
	}
	all := Table{Columns: append(columns, statistics...), Ends: 5}
	low, high := -1, -1
	for j, s := range cells {
		all.Rows = append(all.Rows, append(place(j), s.row()...))
		if v.Blank != nil && j < len(v.Blank) && v.Blank[j] {
			continue
		}
		if low < 0 || s.mean < cells[low].mean {
			low = j
		}
		if high < 0 || s.mean > cells[high].mean {
			high = j
		}
	}
	if rows == 0 {
		if len(cells) > 1 {
			all.Rows = append(all.Rows, append([]any{"average"}, averageOf(v.Of, nil).row()...))
		}
		return all
	}
	shown := Table{Columns: append([]Column{{Name: "cell"}}, statistics...), whole: &all}
	for _, c := range []struct {
		name string
		at   int
	}{{"lowest mean", low}, {"highest mean", high}} {
		if c.at >= 0 {
			shown.Rows = append(shown.Rows, append([]any{fmt.Sprintf("%s: row %d, column %d", c.name, c.at/cols, c.at%cols)}, cells[c.at].row()...))
		}
	}
	shown.Rows = append(shown.Rows, append([]any{"average of all cells"}, averageOf(v.Of, v.Blank).row()...))
	return shown
}

// statistics are the columns of a summary's table.
var statistics = []Column{{Name: "mean"}, {Name: "sd"}, {Name: "2.5%"}, {Name: "median"}, {Name: "97.5%"}}

func (s summary) row() []any { return []any{s.mean, s.sd, s.q[0], s.q[2], s.q[4]} }

// overall is the mean of the cells of every draw, but those that are blank.
type overall struct {
	Draws
	blank []bool
}

func (a overall) Dims() (draws, cells int) {
	draws, _ = a.Draws.Dims()
	return draws, 1
}

func (a overall) At(draw, _ int) float64 {
	_, cells := a.Draws.Dims()
	sum, n := 0.0, 0.0
	for j := range cells {
		if a.blank == nil || !a.blank[j] {
			sum, n = sum+a.Draws.At(draw, j), n+1
		}
	}
	return sum / n
}

// averageOf summarises the average over cells, whose draws are finite.
func averageOf(d Draws, blank []bool) summary {
	s, err := cellQuantiles("summary", overall{d, blank})
	if err != nil {
		return summary{mean: math.NaN(), sd: math.NaN()}
	}
	return s[0]
}
