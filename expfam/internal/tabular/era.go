package tabular

import "fmt"

// Era names the calendars in which a year of 1900 to 2100 has such a number, "" if there is none: the Buddhist one of
// Thailand, which is 543 ahead, the Islamic one, whose 33 years are about 32, and the Persian one, 621 behind.
func Era(year int) string {
	own := func(year int) bool { return year >= 1900 && year <= 2100 }
	islamic, persian := int(0.970224*float64(year)+621.577), year+621
	switch {
	case own(year - 543):
		return fmt.Sprintf("%d of the Buddhist calendar is %d", year, year-543)
	case own(islamic) && own(persian):
		return fmt.Sprintf("%d of the Islamic calendar (Hijri) is %d, and of the Persian one %d", year, islamic,
			persian)
	case own(islamic):
		return fmt.Sprintf("%d of the Islamic calendar (Hijri) is %d", year, islamic)
	case own(persian):
		return fmt.Sprintf("%d of the Persian calendar is %d", year, persian)
	}
	return ""
}
