package calendar

import (
	"fmt"
	"time"
)

// Unit is the distance of two neighbouring cells.
type Unit int

// The units. Week is a week of ISO 8601, which begins on Monday, and EpiWeek one of MMWR, which begins on Sunday. Week
// 1 of either is the first that has four days in its year.
const (
	FromDates Unit = iota // what the text of the dates says
	Day
	Week
	EpiWeek
	Month
	Year
)

func (u Unit) String() string {
	return [...]string{"unit of the dates", "day", "week", "epidemiological week", "month", "year"}[u]
}

// number returns the number of the cell of a date, counted from an early cell.
func (u Unit) number(t time.Time) int {
	days := int(t.Unix()/86400) + 4*146097 // since a Thursday of the year 370, so that no number is negative
	if t.Unix()%86400 < 0 {
		days--
	}
	switch u {
	case Week:
		return (days + 3) / 7
	case EpiWeek:
		return (days + 4) / 7
	case Month:
		return 12*t.Year() + int(t.Month()) - 1
	case Year:
		return t.Year()
	}
	return days
}

// start returns the first day of a cell.
func (u Unit) start(number int) time.Time {
	day := func(days int) time.Time { return time.Unix(int64(days-4*146097)*86400, 0).UTC() }
	switch u {
	case Week:
		return day(7*number - 3)
	case EpiWeek:
		return day(7*number - 4)
	case Month:
		return time.Date(number/12, time.Month(number%12+1), 1, 0, 0, 0, 0, time.UTC)
	case Year:
		return time.Date(number, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return day(number)
}

// label returns the name of a cell: 2026-01-31, 2026-W05, 2026-01 or 2026.
func (u Unit) label(number int) string {
	t := u.start(number)
	switch u {
	case EpiWeek: // its fourth day, a Wednesday, says the year
		middle := t.AddDate(0, 0, 3)
		return fmt.Sprintf("%d-W%02d", middle.Year(), (middle.YearDay()+6)/7)
	case Week:
		year, week := t.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	case Month:
		return t.Format("2006-01")
	case Year:
		return t.Format("2006")
	}
	return t.Format("2006-01-02")
}
