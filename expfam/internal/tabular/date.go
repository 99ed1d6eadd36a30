package tabular

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Date is what the text of a date says. Fields that its Span lacks are 0.
type Date struct {
	Span                   Span
	Year, Month, Day, Week int
	// Either reports a day and a month that may be exchanged, as in 01/03/2024. Month is then the first number.
	Either bool
	// First reports which of the two numbers is the day if they may not be exchanged in 13/03/2024 and 03/13/2024.
	DayFirst, MonthFirst bool
}

// Span is the time that a date names.
type Span int

// The spans. SixDigits is 202405, which is a week or a month.
const (
	NoDate Span = iota
	OfDay
	OfWeekday // a day of an ISO week, such as 2024-W05-1
	OfWeek
	OfMonth
	OfYear
	SixDigits
)

// months are the names of months in languages of Latin letters, without accents. A name may be cut to three letters or
// more, if these belong to one month: "jui" is none.
var months = [12]string{
	"january januar janvier janeiro enero gennaio januari ianuarie",
	"february februar fevrier fevereiro febrero febbraio februari februarie",
	"march marz mars marco marzo maart maret mart martie",
	"april avril abril aprile aprilie",
	"may mai maio mayo maggio mei",
	"june juni juin junho junio giugno iunie",
	"july juli juillet julho julio luglio iulie julai",
	"august aout agosto augustus agustus agosti",
	"september septembre setembro septiembre setiembre settembre septembrie septemba",
	"october oktober octobre outubro octubre ottobre octombrie oktoba",
	"november novembre novembro noviembre noiembrie novemba",
	"december dezember decembre dezembro diciembre dicembre desember decembrie desemba",
}

const month = `(?P<name>\pL{3,})\.?`

// clock is the time of day that may follow a date.
const clock = `(?:[t ]+(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?: ?[ap]m)?(?:z|[+-]\d\d:?\d\d)?)?`

// forms are the forms of dates, in lower case. Their parts are y for the year, m, d and w for the numbers of the month,
// the day and the week, day for the day of a week, o for the day of a year, and a and b for a day and a month in any
// order. Years have four digits.
var forms = func() (out []*regexp.Regexp) {
	for _, form := range []string{
		`(?P<y>\d{4})(?:\.0+)?`, // as pandas writes years of a column with missing ones
		`(?P<y>\d{4})[- ]?w(?P<w>\d{1,2})`,
		`(?P<y>\d{4})-w(?P<w>\d\d)-(?P<day>\d)`,
		`(?P<y>\d{4})w(?P<w>\d\d)(?P<day>\d)`,
		`(?P<six>\d{6})`,
		`(?P<y>\d{4})-?(?P<o>\d{3})`,
		`(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)`,
		`(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})` + clock,
		`(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})` + clock,
		`(?P<y>\d{4})[. ](?P<m>\d{1,2})[. ](?P<d>\d{1,2})` + clock,
		`(?P<y>\d{4})[-/ ](?P<m>\d{1,2})`,
		`(?P<a>\d{1,2})[-/ ](?P<b>\d{1,2})[-/ ](?P<y>\d{4})` + clock,
		`(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4})` + clock, // with dots the day is first in all countries
		`(?P<m>\d{1,2})[-/.](?P<y>\d{4})`,
		`(?:(?P<d>\d{1,2})(?:st|nd|rd|th)?[-/., ]+(?:de )?)?` + month + `[-/., ]+(?:de )?(?P<y>\d{4})` + clock,
		month + `[-/. ]+(?P<d>\d{1,2})(?:st|nd|rd|th)?[-/., ]+(?P<y>\d{4})` + clock,
		`(?P<y>\d{4})[-/., ]+` + month + `(?:[-/. ]+(?P<d>\d{1,2}))?`,
	} {
		out = append(out, regexp.MustCompile(`^`+form+`$`))
	}
	return out
}()

// plainLetters replaces accented letters of months.
var plainLetters = strings.NewReplacer("é", "e", "û", "u", "ç", "c", "ä", "a")

// ParseDate reads a date: a year, a month, a week of ISO 8601, or a day with or without a time of day, which is left
// out. The error says what is wrong with a text that has the form of a date and is none. Years have four digits.
func ParseDate(text string) (Date, error) {
	flat := plainLetters.Replace(strings.ToLower(strings.TrimSpace(text)))
	for _, form := range forms {
		found := form.FindStringSubmatch(flat)
		if found == nil {
			continue
		}
		part := map[string]int{}
		for i, name := range form.SubexpNames() {
			if n, err := strconv.Atoi(found[i]); err == nil && name != "" {
				part[name] = n
			}
			if name == "name" {
				part["m"] = monthOf(found[i])
			}
		}
		if m, named := part["m"]; named && m == 0 && form.SubexpIndex("name") > 0 {
			break
		}
		if six, is := part["six"]; is {
			return Date{Span: SixDigits, Year: six / 100, Month: six % 100, Week: six % 100}, nil
		}
		date, err := dateOf(text, part)
		if d, m := form.SubexpIndex("d"), form.SubexpIndex("m"); d > 0 && d < m { // 13.3.2024
			date.DayFirst = true
		}
		return date, err
	}
	return Date{}, fmt.Errorf("%.40q is no date; give days as 2026-01-31, weeks as 2026-W05, months as 2026-01, or "+
		"years", text)
}

// monthOf returns the number of the only month whose name begins with some letters, or 0.
func monthOf(letters string) int {
	found := 0
	for m, names := range months {
		if strings.Contains(" "+names, " "+letters) {
			if found != 0 {
				return 0
			}
			found = m + 1
		}
	}
	return found
}

// dateOf makes a date of its parts.
func dateOf(text string, part map[string]int) (Date, error) {
	d := Date{Year: part["y"], Month: part["m"], Day: part["d"], Week: part["w"]}
	has := func(name string) bool { _, is := part[name]; return is }
	wrong := fmt.Errorf("%.40q is no date; there is no such day", text)
	switch {
	case d.Year < 1000:
		return Date{}, fmt.Errorf("%.40q is no date; years begin at 1000", text)
	case has("w"):
		weeks := 52
		if _, last := time.Date(d.Year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek(); last == 53 {
			weeks = 53
		}
		if d.Span = OfWeek; has("day") {
			d.Span, d.Day = OfWeekday, part["day"]
		} else {
			weeks = 53 // how many a year has depends on how they are counted
		}
		if d.Week < 1 || d.Week > weeks {
			return Date{}, fmt.Errorf("%.40q: the year %d has no week %d", text, d.Year, d.Week)
		}
		if has("day") && (d.Day < 1 || d.Day > 7) {
			return Date{}, fmt.Errorf("%.40q is no date; the days of a week are 1 to 7", text)
		}
		return d, nil
	case has("o"):
		day := time.Date(d.Year, 1, part["o"], 0, 0, 0, 0, time.UTC)
		if day.Year() != d.Year {
			return Date{}, fmt.Errorf("%.40q is no date; three digits behind a year are the day of the year", text)
		}
		d.Span, d.Month, d.Day = OfDay, int(day.Month()), day.Day()
		return d, nil
	case has("a"):
		a, b := part["a"], part["b"]
		d.Month, d.Day, d.Either = a, b, a != b && a <= 12 && b <= 12
		d.MonthFirst = b > 12
		if d.DayFirst = a > 12; d.DayFirst {
			d.Month, d.Day = b, a
		}
	case !has("m"):
		d.Span = OfYear
		return d, nil
	}
	switch {
	case d.Month == 13 && d.Day <= 6 && !has("a"):
		return Date{}, fmt.Errorf("%w; a year has 12 months, and the Ethiopian and the Coptic calendar have 13: "+
			"convert all dates to the Gregorian calendar", wrong)
	case d.Day == 32 && !has("a"):
		return Date{}, fmt.Errorf("%w; months of Bikram Sambat have up to 32 days: convert all dates to the Gregorian "+
			"calendar", wrong)
	case d.Month < 1 || d.Month > 12:
		return Date{}, wrong
	}
	if d.Span = OfMonth; !has("d") && !has("a") {
		return d, nil
	}
	if d.Span = OfDay; d.Time().Day() != d.Day || d.Either && d.exchanged().Time().Day() != d.Month {
		return Date{}, wrong
	}
	return d, nil
}

// exchanged returns the date with its day and month exchanged.
func (d Date) exchanged() Date {
	d.Day, d.Month = d.Month, d.Day
	return d
}

// With returns the date with its day first or with its month first, where it may be either.
func (d Date) With(dayFirst bool) Date {
	if d.Either && dayFirst {
		return d.exchanged()
	}
	return d
}

// Time returns the first day of a date of a year, a month or a day.
func (d Date) Time() time.Time {
	switch d.Span {
	case OfWeekday: // 4 January is in the first week
		first := time.Date(d.Year, 1, 4, 0, 0, 0, 0, time.UTC)
		return first.AddDate(0, 0, 7*(d.Week-1)+d.Day-1-(int(first.Weekday())+6)%7)
	case OfYear:
		return time.Date(d.Year, 1, 1, 0, 0, 0, 0, time.UTC)
	case OfMonth:
		return time.Date(d.Year, time.Month(d.Month), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC)
}
