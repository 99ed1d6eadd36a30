package viz

import (
	"cmp"
	"fmt"
	"math"
)

// Map shows a number per cell as a colour, with a colour bar. Cells without a value (NaN)
// are grey and hatched, and Blank cells are not drawn.
//
//	viz.Show(viz.Map{Field: intensity, Scale: &viz.Scale{Label: "rate (per km²)", Log: true}})
//
// Where scripts run, the pointer shows the values of its cell, and the map can be
// enlarged. [Maps] shows several maps side by side.
type Map struct {
	Field Lattice
	Title string
	Scale *Scale // nil: the Scale of the Maps around it, or the zero Scale

	// Blank cells do not belong to the map, such as the sea on a map of a country. They
	// are white, whatever their value. Blank has the order of Held.
	Blank []bool
	// Missing is the word for cells without a value. Default "no value".
	Missing string
	// Over are lines drawn over the cells.
	Over []Overlay
	// Window selects the cells that lie in it completely or in part. Zero: all cells.
	Window Window
	// Inset enlarges a part of the map in its corner.
	Inset *Inset
	// Tips are further numbers of every cell that are shown under the pointer. Where
	// names the coordinates there; default: the labels of the axes.
	Tips  []Tip
	Where [2]string

	// Held hatches cells over their colour, for example the cells that were held out. It has one entry for each cell.
	// If Field has a method Index(c, r int) int, as expfam/grid's fields have, that method gives the order; otherwise
	// the order is row after row from the upper left of the picture. Nil means none.
	Held []bool

	// Axes are drawn where one of them has a label.
	XLabel, YLabel string
	Aspect         float64 // length of a unit of y over that of x; 0 means 1

	// Note and Width are used if the map is shown by itself.
	Note  string
	Width float64 // px; 0 means what the cells need, at most 800
}

// Encode implements Figure.
func (v Map) Encode(format Format) ([]byte, error) { return v.alone().encode("map", format) }

func (v Map) alone() Maps {
	s := Maps{Maps: []Map{v}, Title: v.Title, Note: v.Note, Width: v.Width}
	s.Maps[0].Title = ""
	return s
}

// read checks the map. It makes a map of more than so many cells coarser.
func (v Map) read(most int) (*tile, error) {
	if v.Field == nil {
		return nil, fmt.Errorf("no field; give Field")
	}
	v.Aspect = cmp.Or(v.Aspect, 1)
	if !(v.Aspect > 0) || math.IsInf(v.Aspect, 0) {
		return nil, fmt.Errorf("aspect %g; it must be positive", v.Aspect)
	}
	m, err := readCells(v.Field)
	if err != nil {
		return nil, err
	}
	t := &tile{Map: v, cells: m}
	if m.regions != nil {
		t.part = m.box
	}
	if t.Held, err = m.flags("Held", v.Held); err != nil {
		return nil, err
	}
	if t.Blank, err = m.flags("Blank", v.Blank); err != nil {
		return nil, err
	}
	if err := t.readTips(); err != nil {
		return nil, err
	}
	for k, o := range v.Over {
		if err := o.check(k); err != nil {
			return nil, err
		}
	}
	if len(t.z) > most && m.regions == nil {
		if v.Window != (Window{}) { // perhaps it has few cells
			if err := t.crop(v.Window); err != nil {
				return nil, err
			}
			v.Window = Window{}
		}
		if t.blocks = t.cells.blocks(t.Blank, most); t.blocks != nil {
			t.coarsen(t.blocks)
		}
	}
	if v.Inset != nil {
		if t.inset, err = v.Inset.read(v, t); err != nil {
			return nil, err
		}
	}
	if v.Window != (Window{}) {
		if err := t.crop(v.Window); err != nil {
			return nil, err
		}
	}
	some := false
	for j, z := range t.z {
		switch {
		case t.blank(j):
		case math.IsNaN(z):
			t.missing = true
		default:
			some = true
			t.held = t.held || t.Held != nil && t.Held[j]
		}
	}
	if !some {
		return nil, fmt.Errorf("all %d %s are NaN; there is nothing to draw", len(t.z), t.noun())
	}
	return t, nil
}

// cells returns the cells of the field, and which of them are Blank, in drawing order.
func (v Map) cells(kind string) (*cells, []bool, error) {
	if v.Field == nil {
		return nil, nil, fmt.Errorf("%s: no field; give Map a Field", kind)
	}
	m, err := readCells(v.Field)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kind, err)
	}
	blank, err := m.flags("Blank", v.Blank)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kind, err)
	}
	return m, blank, nil
}

// flags returns marks of cells in drawing order.
func (m *cells) flags(name string, of []bool) ([]bool, error) {
	if of == nil {
		return nil, nil
	}
	if len(of) != len(m.z) {
		return nil, fmt.Errorf("%d cells of %s for %d columns and %d rows", len(of), name, m.cols, m.rows)
	}
	return pick(of, m.index), nil
}
