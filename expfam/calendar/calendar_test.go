package calendar

import (
	"fmt"
	"slices"
	"strconv"
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
		"week days": {Calendar{}, []string{"2020-W52-1", "2020-W53-1", "2021-W02-1"}, "2020-W52"},
		"Sundays":   {Calendar{}, []string{"2020-W52-7", "2020-W53-7", "2021-W02-7"}, "2020-W52"},
		"basic":     {Calendar{}, []string{"2020W521", "2020W531", "2021W021"}, "2020-W52"},
		"of a year": {Calendar{}, []string{"2020-059", "2020-060", "2020-062"}, "2020-02-28"},
		"eight":     {Calendar{}, []string{"20200228", "20200229", "20200302"}, "2020-02-28"},
		"clock": {Calendar{}, []string{"2020-02-28T10:00:00Z", "2020-02-29 " +
			"23:59", "2020-03-02T00:00:00.000+02:00"}, "2020-02-28"},
		"day first": {Calendar{}, []string{"28/02/2020", "29/02/2020", "02/03/2020"}, "2020-02-28"},
		"ordered":   {Calendar{Order: MonthFirst}, []string{"03/01/2020", "03/02/2020", "03/04/2020"}, "2020-03-01"},
		"American":  {Calendar{}, []string{"02/28/2020", "02/29/2020", "03/02/2020"}, "2020-02-28"},
		"dots":      {Calendar{}, []string{"01.03.2020", "2.3.2020", "4. 3. 2020"}, "2020-03-01"},
		"letters":   {Calendar{}, []string{"28 février 2020", "Feb 29, 2020", "2 de março de 2020"}, "2020-02-28"},
		"German":    {Calendar{}, []string{"28. Februar 2020", "29. Feb. 2020", "2. März 2020"}, "2020-02-28"},
		"month":     {Calendar{}, []string{"nov. 2020", "12/2020", "2021 Feb"}, "2020-11"},
		"pandas":    {Calendar{}, []string{"1999.0", "2000.0", "2002.0"}, "1999"},
		"each day":  {Calendar{}, []string{"2020-02-28", "2020-02-29", "2020-03-02"}, "2020-02-28"},
		"by year":   {Calendar{Unit: Year}, []string{"2018-W01", "2019-W52", "2021-W01"}, "2018"},
		"by month":  {Calendar{Unit: Month}, []string{"2020-W01", "2020-W06", "2020-W14"}, "2020-01"},
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
	long := must.Get(Calendar{Repeated: true}.Read("2020-W02", "2020-W01", "2020-W02", "2020-W01"))(t)
	sums := must.Get(long.Spread(1, 2, 4, 3))(t)
	must.Be(t, slices.Equal(sums, []float64{5, 5}), "sums %v, want 5 and 5", sums)
	for _, dates := range [][]string{{"2001", "1921", "2011", "1991"}, {"2020-01-01", "2024-01-01", "2022-01-01"},
		{"1900-01-01", "2000-01-01"}, {"2010/11", "2010/12"}} { // far from one another, and right
		must.Get(Calendar{Repeated: true}.Read(dates...))(t, dates)
	}
}

// TestIncomplete: a week in which an area has no row is no sum, and a list of events may have any number of rows a
// week.
func TestIncomplete(t *testing.T) {
	times := must.Get(Calendar{Repeated: true}.Read("2021-W01", "2021-W01", "2021-W02", "2021-W03", "2021-W03"))(t)
	must.Refuse(times.Spread(5, 7, 6, 4, 8))(t, "the week 2021-W02 has 1 rows and others have 2")
	must.Be(t, strings.Contains(times.String(), "up to 2 rows a cell, but 1 in 2021-W02"), "%v", times)
	events := must.Get(times.Spread(1, 1, 1, 1, 1))(t)
	must.Be(t, slices.Equal(events, []float64{2, 1, 2}), "events %v", events)
}

// TestPanel: rows in any order are in the cells of a field of areas and times, and pairs without a row have a name.
func TestPanel(t *testing.T) {
	areas := []string{"B", "A", "Benin\u0301", "A", "B "}
	dates := []string{"2021-W02", "2021-W01", "2021-W02", "2021-W02", "2021-W01"}
	cells := must.Get(Panel{Areas: []string{"B", "Beni\u0144", "A"}}.Read(areas, dates, []float64{1, 2, 3, 4, 5}))(t)
	must.Equal(t, fmt.Sprint(cells.Values), "[5 NaN 2 1 3 4]", "values")
	must.Equal(t, cells.String(), "3 areas in 2 cells of a week, 2021-W01 to 2021-W02, 1 of 6 without a value: "+
		"Beni\u0144 "+
		"in 2021-W01", "text")
	must.Equal(t, cells.Name(5), "A in 2021-W02", "name")
	sorted := must.Get(Panel{}.Read(areas, dates, []float64{1, 2, 3, 4, 5}))(t)
	must.Be(t, sorted.Areas[0] == "A" && len(sorted.Areas) == 3, "areas %q", sorted.Areas)
	for want, p := range map[string]func() (*Cells, error){
		"rows 0 and 1 are both of A in the week 2021-W01": func() (*Cells, error) {
			return Panel{}.Read([]string{"A", "A"}, []string{"2021-W01", "2021-W01"}, []float64{1, 2})
		},
		`row 1: there is no area "Bb"; the nearest names are "B"`: func() (*Cells, error) {
			return Panel{Areas: []string{"A", "B"}}.Read([]string{"A", "Bb"}, dates[:2], []float64{1, 2})
		},
		"the areas 0 and 1 are both named": func() (*Cells, error) {
			return Panel{Areas: []string{"A", "A"}}.Read(areas[:1], dates[:1], []float64{1})
		},
		"give one of each": func() (*Cells, error) { return Panel{}.Read(areas, dates[:1], nil) },
	} {
		must.Refuse(p())(t, want)
	}
}

// TestPanelTotals: an area that is the sum of the others at every time is refused, however small some sums are.
func TestPanelTotals(t *testing.T) {
	for _, c := range []struct {
		values string // a line for each week: those of A, B, … and of Land
		sum    bool
	}{
		{"31 57 12 100/1 0 0 1", true}, {"3 5 8/2 2 4/1 3 4", true}, {"3 5 8/2 2 4/0 0 0/1 3 4", true},
		{"3 5 8/2 2 4", false}, {"31 57 12 100/1 0 0 2", false}, {"31 57 12 100/1 0 0 1/4 5 6 14", false},
	} {
		var areas, dates []string
		var values []float64
		for week, line := range strings.Split(c.values, "/") {
			for i, text := range strings.Fields(line) {
				v := must.Get(strconv.ParseFloat(text, 64))(t)
				areas = append(areas, "area "+string(rune('A'+i)))
				dates = append(dates, fmt.Sprintf("2021-W%02d", week+1))
				values = append(values, v)
			}
		}
		_, err := Panel{}.Read(areas, dates, values)
		must.Be(t, (err != nil) == c.sum, "%s: %v", c.values, err)
	}
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
		{Calendar{}, []string{"05/01/2020"}, `"05/01/2020", may have the day or the month first`},
		{Calendar{}, []string{"13/01/2020", "01/14/2020"}, "has the day first, and others or the Order have"},
		{Calendar{Order: DayFirst}, []string{"01/14/2020"}, "has the month first, against the Order"},
		{Calendar{Order: MonthFirst}, []string{"01.02.2024", "01.03.2024"}, `row 1, "01.03.2024", has the day first`},
		{Calendar{}, []string{"01.02.2024", "02/13/2024"}, `row 0, "01.02.2024", has the day first`},
		{Calendar{Order: MonthFirst}, []string{"14/01/2020"}, "others or the Order have the month first"},
		{Calendar{}, []string{"05/01/20"}, "is no date"},
		{Calendar{}, []string{"2020-W01-0"}, "the days of a week are 1 to 7"},
		{Calendar{}, []string{"2021-W53-1"}, "the year 2021 has no week 53"},
		{Calendar{Unit: EpiWeek}, []string{"2021-W01-1"}, "a day of a week of ISO 8601"},
		{Calendar{}, []string{"W01-2021"}, "is no date"},
		{Calendar{}, []string{"2021-W1-1"}, "is no date"},
		{Calendar{}, []string{"marraskuu 2020"}, "is no date; give days"}, // November of Finland is no March
		{Calendar{}, []string{"market 2020"}, "is no date; give days"},
		{Calendar{}, []string{"jui 2020"}, "is no date; give days"}, // juin or juillet
		{Calendar{}, []string{"2021-01-02T25:61"}, "is no date; give days"},
		{Calendar{}, []string{"2021-366"}, "the day of the year"},
		{Calendar{}, []string{"2021Q1"}, "is no date"},
		{Calendar{}, []string{"2021W5W"}, "is no date"},
		{Calendar{}, []string{"-2021-05"}, "is no date"},
		{Calendar{}, []string{"2021--05"}, "is no date"},
		{Calendar{}, []string{"29/02/2021"}, "there is no such day"},
		{Calendar{}, []string{"45292"}, "is no date"},
		{Calendar{}, []string{"2009/10", "2010/11", "2011/12"}, "may be seasons"},
		{Calendar{}, []string{"1021-05-06", "2024-05-06", "2024-05-13", "2024-05-20"}, "row 0, \"1021-05-06\", is " +
			"1003 years"},
		{Calendar{}, []string{"2024-W05", "2024-W06", "2024-W08", "2824-W07"}, "row 3, \"2824-W07\", is 800 years"},
		{Calendar{Repeated: true}, []string{"2020", "1021", "2021", "2021", "2022", "2022", "2023", "2923"}, "row 1"},
		{Calendar{}, []string{"1021-01-04", "2021-01-11", "2021-01-18"}, "row 0, \"1021-01-04\", is 1000 years"},
		{Calendar{}, []string{"1021-01-04", "2021-01-11"}, "is 1000 years"},
		{Calendar{Repeated: true}, []string{"2020-01", "1924-01", "2020-05", "2021-02"}, "is 96 years"},
		{Calendar{}, []string{"2564-05-06", "2564-05-13"}, "2564 of the Buddhist calendar is 2021; write dates of the"},
		{Calendar{}, []string{"13/01/2564", "20/01/2564"}, "2564 of the Buddhist calendar is 2021"},
		{Calendar{}, []string{"2562", "2563", "2565"}, "2562 of the Buddhist calendar is 2019"},
		{Calendar{Unit: Month}, []string{"256405", "256406"}, "2564 of the Buddhist calendar is 2021"},
		{Calendar{}, []string{"1442-01-01", "1442-01-08"}, "1442 of the Islamic calendar (Hijri) is 2020; write"},
		{Calendar{}, []string{"1400-01-01", "1400-01-08"}, "1400 of the Islamic calendar (Hijri) is 1979, and of the " +
			"Persian one 2021"},
		{Calendar{}, []string{"2079-01-05", "2079-01-12"}, "2079 of the calendar Bikram Sambat is 2022"},
		{Calendar{}, []string{"2079", "2080", "2081"}, "2079 of the calendar Bikram Sambat is 2022"},
		{Calendar{}, []string{"2022-05-01", "2022-06-01", "2079-04-01", "2079-05-01"}, "row 2, \"2079-04-01\", is 57 " +
			"years from other rows (2079 of the calendar Bikram Sambat is 2022)"},
		{Calendar{}, []string{"5784-01-01", "5784-01-08"}, "5784 of the Hebrew calendar is 2024"},
		{Calendar{}, []string{"2079-02-32"}, "Bikram Sambat"},
		{Calendar{}, []string{"2016-13-05"}, "the Ethiopian and the Coptic calendar have 13"},
		{Calendar{}, []string{"1442-W05", "1442-W06"}, "1442 of the Islamic calendar (Hijri) is 2020"},
		{Calendar{}, []string{"1299", "1301", "1303"}, "1299 of the Persian calendar is 1920"},
		{Calendar{}, []string{"2021-05-06", "2021-05-13", "2021-05-20", "2564-05-27"}, "from other rows (2564 of " +
			"the Buddhist calendar is 2021); correct it"},
		{Calendar{}, []string{"soon"}, `row 0: "soon" is no date`},
		{Calendar{}, []string{""}, `"" is no date`},
		{Calendar{}, []string{"2020", "2021-01"}, `row 1 is "2021-01", a month, and row 0 is "2020", a year`},
		{Calendar{Unit: Week}, []string{"2020"}, "longer than a week"},
		{Calendar{Unit: 9}, []string{"2020"}, "the Unit is 9"},
	} {
		must.Refuse(c.of.Read(c.dates...))(t, c.want)
	}
	must.Get(Calendar{Gregorian: true}.Read("1442", "1443"))(t)
	must.Get(Calendar{Gregorian: true}.Read("2050", "2051", "2150"))(t)
	must.Get(Calendar{}.Read("2024", "2050", "2100"))(t)         // of a forecast
	must.Get(Calendar{}.Read("1250", "1280", "1310", "1442"))(t) // of trees
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
