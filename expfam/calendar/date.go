package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parse returns the unit that the text of a date has and the first day of its cell.
func (c Calendar) parse(text string) (Unit, time.Time, error) {
	text = strings.TrimSpace(text)
	fields := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return r == '-' || r == '/' || r == ' ' })
	numbers := make([]int, len(fields))
	week := false
	for k, f := range fields {
		if rest, found := strings.CutPrefix(f, "W"); found && k == 1 {
			f, week = rest, true
		} else if year, after, found := strings.Cut(f, "W"); found && k == 0 && len(fields) == 1 {
			fields, week = []string{year, after}, true // 2026W05
			numbers = make([]int, 2)
			numbers[1], _ = strconv.Atoi(after)
			f = year
		}
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 {
			return 0, time.Time{}, fmt.Errorf("%q is no date; give days as 2026-01-31, weeks as 2026-W05, months as "+
				"2026-01, or years", text)
		}
		numbers[k] = n
	}
	plain := len(fields) == 1 && len(fields[0]) == 6 // 199005: the fifth week or the fifth month
	if plain {
		numbers = []int{numbers[0] / 100, numbers[0] % 100}
		if c.Unit != Week && c.Unit != EpiWeek && c.Unit != Month {
			return 0, time.Time{}, fmt.Errorf("%q may be a week or a month; set Unit to Week, EpiWeek or Month", text)
		}
		week = c.Unit != Month
	}
	wrong := fmt.Errorf("%q is no date; give days as 2026-01-31, weeks as 2026-W05, months as 2026-01, or years", text)
	if len(numbers) == 0 || len(fields[0]) < 4 || numbers[0] < 1000 || numbers[0] > 9999 {
		return 0, time.Time{}, wrong
	}
	switch {
	case week && len(numbers) == 2:
		unit := Week
		if c.Unit == EpiWeek {
			unit = EpiWeek
		}
		t := unit.start(unit.number(time.Date(numbers[0], 1, 4, 0, 0, 0, 0, time.UTC)) + numbers[1] - 1)
		if unit.label(unit.number(t)) != fmt.Sprintf("%d-W%02d", numbers[0], numbers[1]) {
			return 0, time.Time{}, fmt.Errorf("%q: the year %d has no week %d", text, numbers[0], numbers[1])
		}
		return unit, t, nil
	case len(numbers) == 1:
		return Year, time.Date(numbers[0], 1, 1, 0, 0, 0, 0, time.UTC), nil
	case len(numbers) == 2 && numbers[1] >= 1 && numbers[1] <= 12:
		return Month, time.Date(numbers[0], time.Month(numbers[1]), 1, 0, 0, 0, 0, time.UTC), nil
	case len(numbers) == 3:
		t := time.Date(numbers[0], time.Month(numbers[1]), numbers[2], 0, 0, 0, 0, time.UTC)
		if t.Year() == numbers[0] && int(t.Month()) == numbers[1] && t.Day() == numbers[2] {
			return Day, t, nil
		}
	}
	return 0, time.Time{}, wrong
}
