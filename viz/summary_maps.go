package viz

import (
	"cmp"
	"fmt"
)

// latticeOf returns the lattice that maps of draws take their axes from: the field on, or a grid of the draws' shape.
func latticeOf(d Draws, on Lattice) (*cells, error) {
	rows, cols := gridShape(d, on)
	if on == nil && rows == 0 {
		on, _ = located(d, func(int) float64 { return 0 })
	}
	if on == nil {
		matrix := make(Rows, rows)
		for r := range matrix {
			matrix[r] = make([]float64, cols)
		}
		on = matrix
	}
	m, err := readCells(on)
	if err != nil {
		return nil, err
	}
	if _, n := d.Dims(); n != len(m.z) {
		return nil, fmt.Errorf("draws of %d cells on a field of %d rows and %d columns", n, m.rows, m.cols)
	}
	return m, nil
}

// on returns a lattice that has one number of every cell's summary.
func (m *cells) on(cells []summary, value func(summary) float64) resampledField {
	z := make([]float64, len(cells))
	for j, i := range m.index {
		z[j] = value(cells[i])
	}
	return resampledField{m, z}
}

// choropleth returns maps of the median and of the standard deviation of regions, beside each other or, if the map is
// wide, one below the other.
func (v Summary) choropleth(cells []summary) (Figure, error) {
	m, err := latticeOf(v.Of, nil)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	label := cmp.Or(v.YLabel, "θ")
	at := func(value func(summary) float64) func(int) float64 {
		return func(j int) float64 { return value(cells[j]) }
	}
	middle := Map{Field: m.on(cells, func(s summary) float64 { return s.q[2] }),
		Scale: &Scale{Label: "median of " + label},
		Blank: v.Blank, Over: v.Over, Tips: []Tip{{Name: "95% from", At: at(func(s summary) float64 { return s.q[0] })},
			{Name: "to", At: at(func(s summary) float64 { return s.q[4] })}}}
	if cells[0].one {
		middle.Title, middle.Note, middle.Tips, middle.Width = "the only draw", oneDraw, nil, v.Width
		return middle, nil
	}
	spread := Map{Field: m.on(cells, func(s summary) float64 { return s.sd }), Blank: v.Blank, Over: v.Over,
		Scale: &Scale{Label: "standard deviation of " + label, Palette: Cividis}}
	out := Maps{Maps: []Map{middle, spread}, Width: v.Width}
	if wide := m.box; (wide.YMax-wide.YMin)*m.aspect < 0.6*(wide.XMax-wide.XMin) {
		out.Columns = 1
	}
	return out, nil
}

func (v Summary) maps(cells []summary) (Figure, error) {
	m, err := latticeOf(v.Of, v.On)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	label := cmp.Or(v.YLabel, "θ")
	if cells[0].one {
		return Map{Field: m.on(cells, func(s summary) float64 { return s.mean }), Scale: &Scale{Label: label},
			Title: "the only draw", Note: oneDraw, Blank: v.Blank, Over: v.Over, Width: v.Width}, nil
	}
	value, spread := &Scale{Label: label}, &Scale{Label: "standard deviation of " + label}
	out := Maps{ColumnLabels: []string{"2.5%", "median", "97.5%", "sd"}, Width: v.Width}
	for _, k := range []int{0, 2, 4} {
		out.Maps = append(out.Maps, Map{Field: m.on(cells, func(s summary) float64 { return s.q[k] }), Scale: value,
			Blank: v.Blank, Over: v.Over})
	}
	out.Maps = append(out.Maps, Map{Field: m.on(cells, func(s summary) float64 { return s.sd }), Scale: spread,
		Blank: v.Blank, Over: v.Over})
	return out, nil
}
