package survey

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// months are the first letters of months in English, French, Portuguese and Spanish, without accents.
const months = `jan|feb|fev|ene|mar|apr|abr|avr|may|mai|jun|jui|jul|aug|ago|aou|sep|set|oct|out|nov|dec|dez|dic`

// clock is the time of day that may follow a date.
const clock = `(?:[t ]+\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]m)?(?:z|[+-]\d\d:?\d\d)?)?`

// dates are the forms of dates whose year does not depend on the order of day and month. Each has the parts y, m and d,
// or a and b for a day and a month of either order.
var dates = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)$`),
	regexp.MustCompile(`^(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})` + clock + `$`),
	regexp.MustCompile(`^(?P<y>\d{4})-(?P<m>\d{1,2})$`),
	regexp.MustCompile(`^(?P<a>\d{1,2})[-/. ](?P<b>\d{1,2})[-/. ](?P<y>\d{4})` + clock + `$`),
	regexp.MustCompile(`^(?P<m>\d{1,2})[-/.](?P<y>\d{4})$`),
	regexp.MustCompile(`^(?:(?P<d>\d{1,2})(?:st|nd|rd|th)?[-/., ]+(?:de )?)?(?:` + months +
		`)\pL*\.?[-/., ]+(?:de )?(?P<y>\d{4})` + clock + `$`),
	regexp.MustCompile(`^(?:` + months + `)\pL*\.?[-/. ]+(?P<d>\d{1,2})(?:st|nd|rd|th)?[-/., ` +
		`]+(?P<y>\d{4})` + clock + `$`),
	regexp.MustCompile(`^(?P<y>\d{4})[-/., ]+(?:` + months + `)\pL*\.?(?:[-/. ]+(?P<d>\d{1,2}))?$`),
}

// plainLetters replaces accented letters of months.
var plainLetters = strings.NewReplacer("é", "e", "û", "u", "ç", "c")

// yearOf reads the year of a cell that has a year or a date. Forms whose year is not certain are refused: years of two
// digits, and the numbers that Excel has for dates, because two of its versions count days from different years.
func yearOf(cell string, comma rune) (year int, missing bool, f *fault) {
	text := strings.ToLower(strings.TrimSpace(cell))
	v, missing, ok := number(text, comma)
	refused := func(hint string) *fault { return &fault{badYear, "year is " + excerpt(cell), hint} }
	switch {
	case missing:
		return 0, true, nil
	case ok && !thousands(text, comma) && v == math.Trunc(v) && v >= 1000 && v <= 3000:
		return int(v), false, nil
	}
	for _, form := range dates {
		found := form.FindStringSubmatch(plainLetters.Replace(text))
		if found == nil {
			continue
		}
		part := func(name string, otherwise int) int {
			if i := form.SubexpIndex(name); i >= 0 && found[i] != "" {
				n, _ := strconv.Atoi(found[i])
				return n
			}
			return otherwise
		}
		y, m, d, a, b := part("y", 0), part("m", 1), part("d", 1), part("a", 1), part("b", 1)
		if y >= 1000 && y <= 3000 && in(m, 12) && in(d, 31) && in(max(a, b), 31) && in(min(a, b), 12) {
			return y, false, nil
		}
	}
	if day := int(v); ok && v >= 10000 && v < 80000 {
		date := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day)
		return 0, false, refused(fmt.Sprintf("Excel has this number for %s, or for a day four years later; format "+
			"the column as dates with years in four digits, and save the table again", date.Format("2 January 2006")))
	}
	return 0, false, refused("write the year in four digits, or a date such as 2015-03-01")
}

// in reports whether n is within 1 to most.
func in(n, most int) bool { return n >= 1 && n <= most }
