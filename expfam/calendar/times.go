package calendar

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Calendar says how dates are read.
type Calendar struct {
	// Unit is the distance of cells. By default the text says it: 2026-W05 is a week, 2026-01 a month, and days are
	// days, or weeks if all of them are whole weeks apart. It must be given for 202605.
	Unit Unit
	// Repeated allows several rows of one date in any order, as in a table with a row for each area and week.
	Repeated bool
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
	days, unit := make([]time.Time, len(dates)), FromDates
	weekly := true
	for i, text := range dates {
		of, t, err := c.parse(text)
		if err != nil {
			return nil, fmt.Errorf("calendar: row %d: %w", i, err)
		}
		if i > 0 && of != unit {
			return nil, fmt.Errorf("calendar: row %d is %q, a %v, and row 0 is %q, a %v; give all dates alike", i, text,
				of, dates[0], unit)
		}
		days[i], unit = t, of
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
		if days[0].Weekday() == time.Sunday {
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
	return t, nil
}

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

// Spread returns the values of the rows in their cells, and NaN in cells without a row. Rows of one cell are added up.
func (t *Times) Spread(values ...float64) ([]float64, error) {
	if len(values) != len(t.Of) {
		return nil, fmt.Errorf("calendar: %d values of %d rows; give one for each", len(values), len(t.Of))
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
	return text
}
