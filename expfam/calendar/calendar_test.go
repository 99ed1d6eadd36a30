package calendar

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// TestLabels: weeks are those of Go's ISOWeek on every day of 50 years, and epidemiological weeks are those of the CDC.
func TestLabels(t *testing.T) {
	for day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2040; day = day.AddDate(0, 0, 1) {
		year, week := day.ISOWeek()
		got, want := Week.label(Week.number(day)), fmt.Sprintf("%d-W%02d", year, week)
		must.Need(t, got == want, "%v: %s, want %s", day, got, want)
		for _, u := range []Unit{Day, Week, EpiWeek, Month, Year} {
			if first := u.start(u.number(day)); first.After(day) || u.number(first) != u.number(day) {
				t.Fatalf("%v: the %v begins on %v", day, u, first)
			}
		}
	}
	// First days of week 1 in the CDC's calendars of MMWR weeks.
	for year, first := range map[int]string{2014: "2013-12-29", 2015: "2015-01-04", 2020: "2019-12-29",
		2021: "2021-01-03",
		2026: "2026-01-04"} {
		day := must.Get(time.Parse(time.DateOnly, first))(t)
		must.Equal(t, EpiWeek.label(EpiWeek.number(day)), fmt.Sprintf("%d-W01", year), first)
	}
}

// TestRead: gaps are cells, and every way to write a date gives the same cells.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		of    Calendar
		dates []string
		first string
	}{
		"weeks":     {Calendar{}, []string{"2020-W52", "2020-W53", "2021-W02"}, "2020-W52"},
		"compact":   {Calendar{Unit: Week}, []string{"202052", "202053", "202102"}, "2020-W52"},
		"short":     {Calendar{}, []string{"2020W52", "2020W53", "2021W02"}, "2020-W52"},
		"mondays":   {Calendar{}, []string{"2020-12-21", "2020-12-28", "2021-01-11"}, "2020-W52"},
		"days":      {Calendar{Unit: Week}, []string{"2020-12-24", "2020-12-29", "2021-01-17"}, "2020-W52"},
		"sundays":   {Calendar{}, []string{"2020-12-20", "2020-12-27", "2021-01-10"}, "2020-W52"},
		"months":    {Calendar{}, []string{"2020-11", "2020-12", "2021-02"}, "2020-11"},
		"months, c": {Calendar{Unit: Month}, []string{"202011", "202012", "202102"}, "2020-11"},
		"years":     {Calendar{}, []string{"1999", "2000", "2002"}, "1999"},
		"each day":  {Calendar{}, []string{"2020-02-28", "2020-02-29", "2020-03-02"}, "2020-02-28"},
	} {
		times := must.Get(c.of.Read(c.dates...))(t, name)
		must.Be(t, slices.Equal(times.Of, []int{0, 1, 3}) && times.Cells == 4 && times.Labels()[0] == c.first,
			"%s: rows in the cells %v of %d, first %s, want %s", name, times.Of, times.Cells, times.Labels()[0],
			c.first)
		values := must.Get(times.Ahead(2).Spread(3, 5, 2))(t, name)
		want := "[3 5 NaN 2 NaN NaN]"
		must.Be(t, fmt.Sprint(values) == want, "%s: %v, want %s", name, values, want)
		must.Be(t, strings.Contains(times.String(), "1 of them without a row"), "%s: %v", name, times)
	}
	long := must.Get(Calendar{Repeated: true}.Read("2020-W02", "2020-W01", "2020-W02"))(t)
	sums := must.Get(long.Spread(1, 2, 4))(t)
	must.Be(t, slices.Equal(sums, []float64{2, 5}) && !math.IsNaN(sums[0]), "sums %v, want 2 and 5", sums)
}

// TestRefused: every wrong date is one sentence that names the row.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		of    Calendar
		dates []string
		want  string
	}{
		{Calendar{}, nil, "there are no dates"},
		{Calendar{}, []string{"2020-W01", "2020-W01"}, "rows 0 and 1 are both of the week 2020-W01"},
		{Calendar{}, []string{"2020-W02", "2020-W01"}, `row 1, "2020-W01", is before row 0`},
		{Calendar{}, []string{"2021-W53"}, "the year 2021 has no week 53"},
		{Calendar{}, []string{"2020-W00"}, "has no week 0"},
		{Calendar{}, []string{"202005"}, "may be a week or a month"},
		{Calendar{}, []string{"2020-02-30"}, `"2020-02-30" is no date`},
		{Calendar{}, []string{"05/01/2020"}, `"05/01/2020" is no date`},
		{Calendar{}, []string{"soon"}, `row 0: "soon" is no date`},
		{Calendar{}, []string{""}, `"" is no date`},
		{Calendar{}, []string{"2020", "2021-01"}, `row 1 is "2021-01", a month, and row 0 is "2020", a year`},
		{Calendar{Unit: Week}, []string{"2020"}, "longer than a week"},
		{Calendar{Unit: 9}, []string{"2020"}, "the Unit is 9"},
	} {
		must.Refuse(c.of.Read(c.dates...))(t, c.want)
	}
	times := must.Get(Calendar{}.Read("2020"))(t)
	must.Refuse(times.Spread(1, 2))(t, "2 values of 1 rows")
}

// FuzzRead: no text makes Read panic or tell a cell that does not contain the date.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"2020-W01", "2020-02-29", "2020W5", "2020", "W", "202005"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range []Unit{FromDates, Day, Week, EpiWeek, Month, Year} {
			times, err := (Calendar{Unit: u}).Read(s)
			must.Be(t, err != nil || times.Cells == 1, "%q: %v", s, times)
		}
	})
}
