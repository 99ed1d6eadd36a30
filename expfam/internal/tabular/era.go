package tabular

import "fmt"

// future is the first year that no data have. Later ones are of another calendar.
const future = 2044

// Era names the calendars in which a year of our time has such a number, "" if there is none: Bikram Sambat of Nepal,
// which is 56 or 57 ahead, the Buddhist one of Thailand, 543 ahead, the Hebrew one, 3760 or 3761 ahead, the Islamic
// one, whose 33 years are about 32, and the Persian one, 621 behind. Years of the Ethiopian calendar, 7 or 8 behind,
// and of India's Saka, 78 behind, look like Gregorian ones.
func Era(year int) string {
	own := func(year int) bool { return year >= 1900 && year < future }
	islamic, persian := int(0.970224*float64(year)+621.577), year+621
	is := func(calendar string, of int) string { return fmt.Sprintf("%d of the %s is %d", year, calendar, of) }
	switch {
	case own(year-57) && !own(year):
		return is("calendar Bikram Sambat", year-57)
	case own(year - 543):
		return is("Buddhist calendar", year-543)
	case own(year - 3760):
		return is("Hebrew calendar", year-3760)
	case own(islamic) && own(persian):
		return fmt.Sprintf("%s, and of the Persian one %d", is("Islamic calendar (Hijri)", islamic), persian)
	case own(islamic):
		return is("Islamic calendar (Hijri)", islamic)
	case own(persian):
		return is("Persian calendar", persian)
	}
	return ""
}
