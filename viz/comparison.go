package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Comparison shows several posteriors of the same cells in one figure and one table. On a grid the figure is maps of
// median and standard deviation, a row for each posterior; for two posteriors it also has maps of their differences.
// Many cells in a line are shown as medians in bands, few cells as intervals, and a single cell by its densities. The
// table has mean and standard deviation by cell. For two posteriors it also has the difference of the means, and this
// difference in standard deviations √((s₁² + s₂²)/2).
type Comparison struct {
	Methods []Method // at least two

	Truth  []float64 // of all cells; not drawn on maps of a grid
	On     Lattice   // as in a Summary
	Blank  []bool
	X      []float64
	Title  string
	XLabel string // of a figure of a line; default "cell"
	YLabel string // default "θ"
	Width  float64
}

// Compare compares posteriors of the same cells, two or more. Their names are what differs in their descriptions: the
// methods, or else the likelihoods, or else a setting; [Comparison.Named] gives others.
func Compare(posteriors ...Posterior) Comparison {
	var v Comparison
	names := differing(posteriors)
	for k, p := range posteriors {
		v.Methods = append(v.Methods, Method{Name: names[k], Draws: p})
	}
	return v
}

// differing returns the first part of the descriptions of posteriors that is another for each of them. Without one it
// returns first and second for two, and no names for more, which Encode numbers.
func differing(posteriors []Posterior) []string {
	var parts [][]string // of each posterior: its method, its likelihood, settings
	most := 0
	for _, p := range posteriors {
		if isNil(p) {
			continue
		}
		what, how := p.Describe()
		_, like, _ := strings.Cut(what, ": ")
		all := strings.Split(how, ", ")
		parts = append(parts, slices.Insert(all, 1, like))
		most = max(most, len(all)+1)
	}
	for i := range most {
		var names []string
		for _, all := range parts {
			if i < len(all) && all[i] != "" && !slices.Contains(names, all[i]) {
				names = append(names, all[i])
			}
		}
		if len(names) == len(posteriors) {
			return names
		}
	}
	names := make([]string, len(posteriors))
	if len(names) == 2 {
		names[0], names[1] = "first", "second"
	}
	return names
}

// Named gives the posteriors names, in their order: viz.Compare(a, b, c).Named("exp", "softplus", "square").
func (v Comparison) Named(names ...string) Comparison {
	v.Methods = slices.Clone(v.Methods)
	for k := range v.Methods {
		if k < len(names) {
			v.Methods[k].Name = names[k]
		}
	}
	return v
}

// Encode implements Figure. Pictures hold the figure only; text and CSV hold the table.
func (v Comparison) Encode(format Format) ([]byte, error) {
	cells, err := v.read()
	if err != nil {
		return nil, err
	}
	switch format {
	case CSV:
		return v.table(cells).Encode(CSV)
	case Text:
		table, err := v.table(cells).Encode(Text)
		if err != nil {
			return nil, err
		}
		return append([]byte(strings.Join(v.altText(), "\n")+"\n"), table...), nil
	case SVG, Phone, PNG, PDF, HTML:
	default:
		return nil, unsupported("comparison", format, SVG, PNG, PDF, HTML, Text, CSV)
	}
	fig, err := v.picture(cells)
	if err != nil {
		return nil, err
	}
	picture, err := fig.Encode(format)
	if err != nil || format != HTML {
		return picture, err
	}
	table, err := v.table(cells).Encode(HTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`<p class="` + plain + `" style="font-size:13px;margin:4px 0 8px">`)
	for i, w := range v.altText() {
		if i > 0 {
			b.WriteString("<br>")
		}
		if w = html.EscapeString(w); i == 0 && v.Title != "" {
			w = "<b>" + w + "</b>"
		}
		b.WriteString(w)
	}
	b.WriteString("</p>\n")
	return append(append(b.Bytes(), picture...), table...), nil
}

// read checks the methods, gives each a name, and summarises their cells.
func (v *Comparison) read() ([][]summary, error) {
	if len(v.Methods) < 2 {
		return nil, fmt.Errorf("comparison: %d posteriors; give at least two", len(v.Methods))
	}
	v.Methods = uniqueMethods(v.Methods)
	var out [][]summary
	for k := range v.Methods {
		m := &v.Methods[k]
		if isNil(m.Draws) {
			return nil, fmt.Errorf("comparison: %q has no draws", m.Name)
		}
		cells, err := cellQuantiles(fmt.Sprintf("comparison: %q", m.Name), m.Draws)
		if err != nil {
			return nil, err
		}
		if k > 0 && len(cells) != len(out[0]) {
			return nil, fmt.Errorf("comparison: %q has %d cells and %q %d; compare posteriors of the same cells",
				m.Name, len(cells), v.Methods[0].Name, len(out[0]))
		}
		out = append(out, cells)
	}
	if v.Truth != nil && len(v.Truth) != len(out[0]) {
		return nil, fmt.Errorf("comparison: truth has %d values for %d cells", len(v.Truth), len(out[0]))
	}
	if v.Blank != nil && len(v.Blank) != len(out[0]) {
		return nil, fmt.Errorf("comparison: %d cells of Blank for %d cells", len(v.Blank), len(out[0]))
	}
	if v.On != nil { // the table has its rows and columns
		if _, err := latticeOf(v.Methods[0].Draws, v.On); err != nil {
			return nil, fmt.Errorf("comparison: %w", err)
		}
	}
	return out, nil
}

// altText returns the title, and a line for each posterior: what was drawn and how.
func (v Comparison) altText() []string {
	var out []string
	if v.Title != "" {
		out = append(out, clean(v.Title))
	}
	for _, m := range v.Methods {
		line := m.Name
		if p, ok := m.Draws.(Posterior); ok {
			what, how := p.Describe()
			line += ": " + clean(what) + "; " + clean(how)
		}
		out = append(out, line)
	}
	return out
}

func (v Comparison) picture(cells [][]summary) (Figure, error) {
	label := cmp.Or(v.YLabel, "θ")
	if rows, _ := gridShape(v.Methods[0].Draws, v.On); rows > 0 || v.On == nil && isLocated(v.Methods[0].Draws) {
		return v.maps(cells, label)
	}
	switch n := len(cells[0]); {
	case n == 1 && !slices.ContainsFunc(cells, func(of []summary) bool { return !of[0].varies() }):
		return Density{Methods: v.Methods, Truth: v.Truth, XLabel: label, Width: v.Width, Height: 300}, nil
	case n <= few:
		return Intervals{Methods: v.Methods, Truth: v.Truth, X: v.X, XLabel: v.XLabel, YLabel: label, Width: v.Width,
			Height: 340}, nil
	}
	fig := Lines{XLabel: cmp.Or(v.XLabel, "cell"), YLabel: label, Note: bandNote, Width: v.Width, Height: 340}
	for k, m := range v.Methods {
		l := bandOf(m.Name, cells[k], v.X)
		l.Color = m.color(k)
		fig.Lines = append(fig.Lines, l)
	}
	if v.Truth != nil {
		fig.Lines = append(fig.Lines, Line{Name: "truth", X: fig.Lines[0].X,
			Y: pick(v.Truth, along(v.X, len(cells[0]))), Dashed: true, Color: ink})
	}
	return fig, nil
}

func (v Comparison) maps(cells [][]summary, label string) (Figure, error) {
	m, err := latticeOf(v.Methods[0].Draws, v.On)
	if err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	out := Maps{RowLabels: []string{"median", "sd"}, Width: v.Width}
	for _, m := range v.Methods {
		out.ColumnLabels = append(out.ColumnLabels, m.Name)
	}
	two := len(cells) == 2
	if two {
		out.ColumnLabels = append(out.ColumnLabels, "difference")
		out.Note = "Difference: " + v.Methods[1].Name + " less " + v.Methods[0].Name + "."
	}
	for _, row := range []struct {
		scale *Scale
		value func(summary) float64
	}{
		{&Scale{Label: label}, func(s summary) float64 { return s.q[2] }},
		{&Scale{Label: "sd of " + label}, func(s summary) float64 { return s.sd }},
	} {
		for _, of := range cells {
			out.Maps = append(out.Maps, Map{Field: m.on(of, row.value), Scale: row.scale, Blank: v.Blank})
		}
		if two {
			field := m.on(cells[1], row.value)
			for j, i := range m.index {
				field.values[j] -= row.value(cells[0][i])
			}
			out.Maps = append(out.Maps, Map{Field: field, Scale: &Scale{Diverging: true, Label: "difference"},
				Blank: v.Blank})
		}
	}
	return out, nil
}
