package calendar

import (
	"fmt"
	"slices"
	"time"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// Order is the order of day and month in dates such as 01/03/2024.
type Order int

// The orders. FromNumbers is the order of a date of the same table whose day is above 12.
const (
	FromNumbers Order = iota
	DayFirst
	MonthFirst
)

// parse returns the units and the first days of the cells of dates. iso reports days of weeks of ISO 8601.
func (c Calendar) parse(dates []string) (units []Unit, days []time.Time, iso bool, err error) {
	read := make([]tabular.Date, len(dates))
	dayFirst, monthFirst, either := -1, -1, -1 // a row of each
	for i, text := range dates {
		d, err := tabular.ParseDate(text)
		if err != nil {
			return nil, nil, false, fmt.Errorf("row %d: %w", i, err)
		}
		switch read[i] = d; {
		case d.Either:
			either = i
		case d.DayFirst:
			dayFirst = i
		case d.MonthFirst:
			monthFirst = i
		}
	}
	switch {
	case dayFirst >= 0 && (monthFirst >= 0 || c.Order == MonthFirst):
		return nil, nil, false, fmt.Errorf("row %d, %q, has the day first, and others or the Order have the month "+
			"first; write days as 2024-01-31", dayFirst, dates[dayFirst])
	case monthFirst >= 0 && c.Order == DayFirst:
		return nil, nil, false, fmt.Errorf("row %d, %q, has the month first, against the Order; write days as "+
			"2024-01-31", monthFirst, dates[monthFirst])
	case either >= 0 && dayFirst < 0 && monthFirst < 0 && c.Order == FromNumbers:
		return nil, nil, false, fmt.Errorf("row %d, %q, may have the day or the month first, and no other date "+
			"tells; set Order to calendar.DayFirst or calendar.MonthFirst", either, dates[either])
	}
	if err := seasons(dates, read); err != nil {
		return nil, nil, false, err
	}
	if !c.Gregorian && !slices.ContainsFunc(read, func(d tabular.Date) bool { return tabular.Era(d.Year) == "" }) {
		return nil, nil, false, fmt.Errorf("row 0 is %q, and all years seem to be of another calendar: %s; write "+
			"dates of the Gregorian calendar, or set Gregorian if they are", dates[0], tabular.Era(read[0].Year))
	}
	units, days = make([]Unit, len(dates)), make([]time.Time, len(dates))
	for i, d := range read {
		iso = iso || d.Span == tabular.OfWeekday
		if units[i], days[i], err = c.start(dates[i], d.With(c.Order == DayFirst || dayFirst >= 0)); err != nil {
			return nil, nil, false, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return units, days, iso, nil
}

// seasons refuses seasons that look like months: 2009/10, 2010/11 and 2011/12.
func seasons(dates []string, read []tabular.Date) error {
	for _, d := range read {
		if d.Span != tabular.OfMonth || d.Month != (d.Year+1)%100 || d.Year == read[0].Year && d != read[0] {
			return nil
		}
	}
	if len(read) < 2 || read[0] == read[len(read)-1] {
		return nil
	}
	return fmt.Errorf("%q and %q, as all rows, may be seasons of two years; write seasons as their first year, and "+
		"months with a day", dates[0], dates[len(dates)-1])
}

// start returns the unit of a date and the first day of its cell.
func (c Calendar) start(text string, d tabular.Date) (Unit, time.Time, error) {
	switch d.Span {
	case tabular.SixDigits:
		switch d.Span = tabular.OfWeek; c.Unit {
		case Week, EpiWeek:
		case Month:
			if d.Span = tabular.OfMonth; d.Month < 1 || d.Month > 12 || d.Year < 1000 {
				return 0, time.Time{}, fmt.Errorf("%q is no date; it has no month %d", text, d.Month)
			}
		default:
			return 0, time.Time{}, fmt.Errorf("%q may be a week or a month; set Unit to Week, EpiWeek or Month", text)
		}
	case tabular.OfWeekday:
		if c.Unit == EpiWeek {
			return 0, time.Time{}, fmt.Errorf("%q is a day of a week of ISO 8601, and the Unit is EpiWeek; write days "+
				"as 2024-01-31", text)
		}
		return Day, d.Time(), nil
	}
	switch d.Span {
	case tabular.OfWeek:
		unit := Week
		if c.Unit == EpiWeek {
			unit = EpiWeek
		}
		t := unit.start(unit.number(time.Date(d.Year, 1, 4, 0, 0, 0, 0, time.UTC)) + d.Week - 1)
		if unit.label(unit.number(t)) != fmt.Sprintf("%d-W%02d", d.Year, d.Week) {
			return 0, time.Time{}, fmt.Errorf("%q: the year %d has no week %d", text, d.Year, d.Week)
		}
		if c.Unit > EpiWeek { // 2020-W01 begins in 2019
			t = t.AddDate(0, 0, 3)
		}
		return unit, t, nil
	case tabular.OfYear:
		return Year, d.Time(), nil
	case tabular.OfMonth:
		return Month, d.Time(), nil
	}
	return Day, d.Time(), nil
}
