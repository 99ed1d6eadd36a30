package calendar

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// Calendar says how dates are read.
type Calendar struct {
	// Unit is the distance of cells. By default the text says it: 2026-W05 is a week, 2026-01 a month, and days are
	// days, or weeks if all of them are whole weeks apart. 2026-W05-1 is the Monday of that week. It must be given for
	// 202605. A week belongs to the month and the year in which its Thursday lies.
	Unit Unit
	// Order is the order of day and month in 01/03/2024. By default a date of the table with a day above 12 tells, and
	// dates that nothing tells are refused.
	Order Order
	// Repeated allows several rows of one date in any order, as in a table with a row for each area and week.
	Repeated bool
	// Gregorian allows years that all have numbers such as 2564, 2079 or 1442, as in a series of the 15th century or
	// of forecasts from 2044 on. Default: they are refused, because the years of our time have such numbers in the
	// Buddhist and the Islamic calendar and in Bikram Sambat. Years of the Ethiopian calendar, such as 2016 for 2024,
	// and of India's Saka look like Gregorian ones, and must be converted before.
	Gregorian bool
}

// Times are equally spaced times, from the first date to the last.
type Times struct {
	Unit  Unit
	Cells int
	Of    []int // the cell of each row

	first int
}

// Read returns the times of the dates of rows. Dates that stand twice or are not in ascending order are refused unless
// they are Repeated.
func (c Calendar) Read(dates ...string) (*Times, error) {
	if c.Unit < FromDates || c.Unit > Year {
		return nil, fmt.Errorf("calendar: the Unit is %d; take Day, Week, EpiWeek, Month or Year", int(c.Unit))
	}
	if len(dates) == 0 {
		return nil, errors.New("calendar: there are no dates; give one for each row")
	}
	units, days, iso, err := c.parse(dates)
	if err != nil {
		return nil, fmt.Errorf("calendar: %w", err)
	}
	unit, weekly := units[0], true
	for i, t := range days {
		if units[i] != unit {
			return nil, fmt.Errorf("calendar: row %d is %q, a %v, and row 0 is %q, a %v; give all dates alike", i,
				dates[i], units[i], dates[0], unit)
		}
		weekly = weekly && t.Sub(days[0])%(7*24*time.Hour) == 0
	}
	switch {
	case c.Unit != FromDates && unit > c.Unit:
		return nil, fmt.Errorf("calendar: %q is a %v, which is longer than a %v; give shorter dates or that Unit",
			dates[0], unit, c.Unit)
	case c.Unit != FromDates:
		unit = c.Unit
	case unit == Day && weekly && len(dates) > 1:
		unit = Week
		if days[0].Weekday() == time.Sunday && !iso {
			unit = EpiWeek
		}
	}
	t := &Times{Unit: unit, Of: make([]int, len(dates)), first: math.MaxInt}
	for i, d := range days {
		t.Of[i] = unit.number(d)
		if i > 0 && !c.Repeated && t.Of[i] <= t.Of[i-1] {
			if t.Of[i] == t.Of[i-1] {
				return nil, fmt.Errorf("calendar: rows %d and %d are both of the %v %s; add them up, or set Repeated "+
					"for several rows of one date", i-1, i, unit, unit.label(t.Of[i]))
			}
			return nil, fmt.Errorf("calendar: row %d, %q, is before row %d, %q; sort the rows, or set Repeated for "+
				"several rows of one date", i, dates[i], i-1, dates[i-1])
		}
		t.first = min(t.first, t.Of[i])
	}
	for i := range t.Of {
		t.Of[i] -= t.first
		t.Cells = max(t.Cells, t.Of[i]+1)
	}
	if row, years := t.alone(c.Gregorian); row >= 0 {
		other := ""
		if d, err := tabular.ParseDate(dates[row]); err == nil && tabular.Era(d.Year) != "" {
			other = " (" + tabular.Era(d.Year) + ")"
		}
		return nil, fmt.Errorf("calendar: row %d, %q, is %d years from other rows%s; correct it, or leave it out",
			row, dates[row], years, other)
	}
	return t, nil
}

// alone returns the first row whose date is far from those of most rows, and how far in years, or −1. Far is a gap of
// more than five years, or fifty between cells of a year, that is ten times as long as any gap among at least three
// quarters of the rows. Between cells that are shorter than a year a gap of two hundred years is far in any case, and
// so is one from years of our time to those of Bikram Sambat.
func (t *Times) alone(gregorian bool) (row, years int) {
	cells := slices.Sorted(slices.Values(t.Of))
	year := map[Unit]int{Day: 366, Week: 53, EpiWeek: 53, Month: 12, Year: 1}[t.Unit]
	most := 5 * year
	if t.Unit == Year {
		most = 50
	}
	from := 0 // the first cell of a group without such gaps
	for i := range cells {
		if i+1 < len(cells) {
			if cells[i+1]-cells[i] <= most {
				continue
			}
			if near, far := t.year(cells[i]), t.year(cells[i+1]); !gregorian && tabular.Era(near) == "" &&
				tabular.Era(far) != "" {
				return slices.Index(t.Of, cells[i+1]), far - near
			}
		}
		group := cells[from : i+1]
		gap := 1 // the largest of the group
		for k := 1; k < len(group); k++ {
			gap = max(gap, group[k]-group[k-1])
		}
		limit := math.MaxInt
		if 2*len(group) >= len(cells) && t.Unit != Year {
			limit = 200 * year
		}
		if 4*len(group) >= 3*len(cells) {
			limit = min(limit, max(most, 10*gap))
		}
		for row, cell := range t.Of {
			if far := max(group[0]-cell, cell-group[len(group)-1]); far > limit {
				return row, t.year(cell+far) - t.year(cell)
			}
		}
		from = i + 1
	}
	return -1, 0
}

// year returns the year of a cell.
func (t *Times) year(cell int) int { return t.Unit.start(t.first + cell).Year() }

// Labels returns the names of all cells, such as 2026-W05.
func (t *Times) Labels() []string {
	labels := make([]string, t.Cells)
	for i := range labels {
		labels[i] = t.Unit.label(t.first + i)
	}
	return labels
}

// Missing returns the cells without a row.
func (t *Times) Missing() (cells []int) {
	seen := make([]bool, t.Cells)
	for _, i := range t.Of {
		seen[i] = true
	}
	for i, s := range seen {
		if !s {
			cells = append(cells, i)
		}
	}
	return cells
}

// uneven returns the first cell that has rows, but not as many as the fullest cell, and both numbers, or −1.
func (t *Times) uneven() (cell, rows, most int) {
	n := make([]int, t.Cells)
	for _, i := range t.Of {
		n[i]++
	}
	most = slices.Max(n)
	cell = slices.IndexFunc(n, func(rows int) bool { return rows > 0 && rows < most })
	if cell >= 0 {
		rows = n[cell]
	}
	return cell, rows, most
}

// Spread returns the values of the rows in their cells, and NaN in cells without a row. Rows of one cell are added up.
// Every cell that has rows must have as many, because the sum of some areas is not the sum of all. A list of events has
// any number of rows in a cell, each with the value 1. See [Panel] for a table of areas and dates.
func (t *Times) Spread(values ...float64) ([]float64, error) {
	if len(values) != len(t.Of) {
		return nil, fmt.Errorf("calendar: %d values of %d rows; give one for each", len(values), len(t.Of))
	}
	events := !slices.ContainsFunc(values, func(v float64) bool { return v != 1 })
	if cell, rows, most := t.uneven(); cell >= 0 && !events {
		return nil, fmt.Errorf("calendar: the %v %s has %d rows and others have %d, so that its sum would be of fewer "+
			"areas; add the missing rows, as 0 or NaN, or name the areas of the rows by calendar.Panel", t.Unit,
			t.Unit.label(t.first+cell), rows, most)
	}
	cells := make([]float64, t.Cells)
	for _, i := range t.Missing() {
		cells[i] = math.NaN()
	}
	for row, i := range t.Of {
		cells[i] += values[row]
	}
	return cells, nil
}

// Ahead returns the same times with n more cells without rows at the end.
func (t *Times) Ahead(n int) *Times {
	longer := *t
	longer.Cells += max(0, n)
	return &longer
}

// String tells the span and the missing cells.
func (t *Times) String() string {
	last := t.Unit.label(t.first + t.Cells - 1)
	text := fmt.Sprintf("%d cells of a %v, %s to %s", t.Cells, t.Unit, t.Unit.label(t.first), last)
	if missing := t.Missing(); len(missing) > 0 {
		text += fmt.Sprintf(", %d of them without a row, first %s", len(missing), t.Unit.label(t.first+missing[0]))
	}
	if cell, rows, most := t.uneven(); cell >= 0 {
		text += fmt.Sprintf(", up to %d rows a cell, but %d in %s", most, rows, t.Unit.label(t.first+cell))
	}
	return text
}

// Starts returns the first moment of each cell, such as the Monday of a week; viz.Days puts them on an axis of dates.
func (t *Times) Starts() []time.Time {
	out := make([]time.Time, t.Cells)
	for i := range out {
		out[i] = t.Unit.start(t.first + i)
	}
	return out
}
