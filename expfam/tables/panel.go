package tables

import (
	"fmt"
	"regexp"

	"github.com/expfam/lab/expfam/calendar"
)

// Panel reads a table in long form, with a row for each area and date, into the cells of graph.SpaceTime:
//
//	cells, err := tables.Panel{Area: "district", Date: "week", Value: "cases", Areas: districts.Names()}.Read("cases.csv")
//	fmt.Println(cells) // the pairs of a district and a week that have no row
type Panel struct {
	File
	// Area, Date and Value are the names of the columns.
	Area, Date, Value string
	// Areas and Calendar are as in [calendar.Panel].
	Areas    []string
	Calendar calendar.Calendar
}

// Read reads a file.
func (p Panel) Read(path string) (*calendar.Cells, error) {
	t, err := p.File.Read(path)
	if err != nil {
		return nil, err
	}
	areas, err := t.Column(p.Area)
	if err != nil {
		return nil, err
	}
	dates, err := t.Column(p.Date)
	if err != nil {
		return nil, err
	}
	at, err := t.index(p.Value)
	if err != nil {
		return nil, err
	}
	values, err := t.numbers(at)
	if err != nil {
		return nil, err
	}
	cells, err := calendar.Panel{Areas: p.Areas, Calendar: p.Calendar}.Read(areas, dates, values)
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", path, err)
	}
	if p.Calendar.Unit == calendar.FromDates && cells.Times.Unit == calendar.Month && week.MatchString(p.Date) {
		return nil, fmt.Errorf("tables: %s: the column %q has months, such as %q; write weeks as 2026-W05, or set "+
			"Calendar.Unit to calendar.Month if they are months", path, p.Date, dates[0])
	}
	return cells, nil
}

// week finds the word in the name of a column, whose first twelve weeks of a year look like months.
var week = regexp.MustCompile(`(?i)week|woche|semaine|semana|settimana|недел|(?:^|_)(?:kw|wk|se)(?:$|_)`)
