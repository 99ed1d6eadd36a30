package calendar

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// Panel is a table in long form, with a row for each area and date, as graph.SpaceTime wants it:
//
//	panel, err := calendar.Panel{Areas: districts.Names()}.Read(names, weeks, cases)
//	obs, err := like.Observe(expfam.Data{Y: panel.Values, …})
//
// Package tables reads such a table from a file.
type Panel struct {
	Calendar Calendar
	// Areas are the names of all areas, in the order of the field's cells, such as those of a map. Default: the names
	// of the table in the order of the alphabet.
	Areas []string
}

// Cells are the cells of a panel.
type Cells struct {
	Times *Times
	Areas []string
	// Values has that of area i at time t at t·len(Areas) + i. It is NaN where the table has no row.
	Values []float64
}

// Read puts the values of rows into their cells. Rows of unknown areas, and two rows of one area and date, are refused.
// [Cells.Missing] names the pairs without a row.
func (p Panel) Read(areas, dates []string, values []float64) (*Cells, error) {
	if len(areas) != len(dates) || len(areas) != len(values) {
		return nil, fmt.Errorf("calendar: %d areas, %d dates and %d values; give one of each for every row", len(areas),
			len(dates), len(values))
	}
	p.Calendar.Repeated = true
	times, err := p.Calendar.Read(dates...)
	if err != nil {
		return nil, err
	}
	c := &Cells{Times: times, Areas: p.Areas}
	if len(c.Areas) == 0 {
		for _, name := range areas {
			c.Areas = append(c.Areas, strings.TrimSpace(name))
		}
		slices.Sort(c.Areas)
		c.Areas = slices.Compact(c.Areas)
	}
	index := map[string]int{}
	for i, name := range c.Areas {
		key := tabular.Fold(name)
		if k, twice := index[key]; twice {
			return nil, fmt.Errorf("calendar: the areas %d and %d are both named %q; a row of a table would belong to "+
				"both: give each a name of its own", k, i, name)
		}
		index[key] = i
	}
	c.Values = slices.Repeat([]float64{math.NaN()}, times.Cells*len(c.Areas))
	rowOf := map[int]int{}
	for row, name := range areas {
		i, known := index[tabular.Fold(name)]
		if len(p.Areas) == 0 && tabular.Named(name) {
			return nil, fmt.Errorf("calendar: row %d: %q names a sum of areas; remove such rows, or give Areas with "+
				"that name if it is one", row, name)
		}
		if !known {
			return nil, fmt.Errorf("calendar: row %d: there is no area %q; the nearest names are %s", row, name,
				nearest.List(name, c.Areas, 3))
		}
		cell := times.Of[row]*len(c.Areas) + i
		if first, twice := rowOf[cell]; twice {
			return nil, fmt.Errorf("calendar: rows %d and %d are both of %s in the %v %s; add them up, or leave one "+
				"out",
				first, row, name, times.Unit, times.Unit.label(times.first+times.Of[row]))
		}
		rowOf[cell] = row
		c.Values[cell] = values[row]
	}
	if len(p.Areas) == 0 {
		return c, c.total()
	}
	return c, nil
}

// total refuses an area that is the sum of all others at every time: of three others at once, or of two at three times.
func (c *Cells) total() error {
	n := len(c.Areas)
	for i, name := range c.Areas {
		all, telling := true, 0
		for at := 0; at < len(c.Values) && all; at += n {
			var others tabular.Sums
			for k, v := range c.Values[at : at+n] {
				if k != i {
					others.Add(v)
				}
			}
			if all = others.Is(c.Values[at+i]); others.All(c.Values[at+i]) {
				telling = 3
			} else if others.Several() {
				telling++
			}
		}
		if all && telling >= 3 {
			return fmt.Errorf("calendar: %q is the sum of all other areas at every time; remove its rows, or give "+
				"Areas with that name if it is one", name)
		}
	}
	return nil
}

// Missing returns the cells without a value.
func (c *Cells) Missing() (cells []int) {
	for i, v := range c.Values {
		if math.IsNaN(v) {
			cells = append(cells, i)
		}
	}
	return cells
}

// Name returns the area and the date of a cell.
func (c *Cells) Name(cell int) string {
	t := c.Times
	return c.Areas[cell%len(c.Areas)] + " in " + t.Unit.label(t.first+cell/len(c.Areas))
}

// String tells the span, and the first ten pairs of an area and a date that have no value.
func (c *Cells) String() string {
	t := c.Times
	text := fmt.Sprintf("%d areas in %d cells of a %v, %s to %s", len(c.Areas), t.Cells, t.Unit, t.Unit.label(t.first),
		t.Unit.label(t.first+t.Cells-1))
	missing := c.Missing()
	if len(missing) == 0 {
		return text + ", all with a value"
	}
	var names []string
	for _, cell := range missing[:min(10, len(missing))] {
		names = append(names, c.Name(cell))
	}
	text += fmt.Sprintf(", %d of %d without a value: %s", len(missing), len(c.Values), strings.Join(names, ", "))
	if more := len(missing) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
