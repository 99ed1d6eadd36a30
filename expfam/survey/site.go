package survey

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/expfam/lab/expfam/internal/tabular"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/safefile"
)

// Site is one survey: Positive of Examined people at a place.
type Site struct {
	Lon, Lat           float64 // degrees, east and north positive
	Examined, Positive int
	Year               int // 0 if it is not known
	// Name is the name of the site in the table. Escape it before showing it as HTML.
	Name string
	// Line is the line of the table where the row of the site begins, 0 for a site from no table.
	Line int
}

// Place returns the place of the site.
func (s Site) Place() land.Position { return land.Position{Lon: s.Lon, Lat: s.Lat} }

// maxExamined is more than any survey examines, and far below the largest count that float64 holds exactly.
const maxExamined = 1e9

// fault returns what makes the counts or the place of a site impossible, nil if both are possible.
func (s Site) fault() *fault {
	switch {
	case !land.World.Contains(s.Place()): // also NaN
		return &fault{outOfRange, fmt.Sprintf("longitude %g, latitude %g", s.Lon, s.Lat), hintRange(s.Lon, s.Lat)}
	case s.Lon == 0 && s.Lat == 0:
		return &fault{nullIsland, "longitude and latitude are 0",
			"that is what programs write for an unknown place; look the place up"}
	case s.Examined < 0 || s.Positive < 0:
		return &fault{negative, fmt.Sprintf("%d positive of %d examined", s.Positive, s.Examined),
			"negative codes such as -9999 stand for missing counts; look them up, or leave the row out"}
	case s.Positive > s.Examined:
		return &fault{tooPositive, fmt.Sprintf("%d positive of %d examined", s.Positive, s.Examined),
			"the columns may be exchanged, or positives be of another test"}
	case s.Examined == 0:
		return &fault{nobody, "0 examined", "a survey of nobody says nothing; leave the row out"}
	case s.Examined > maxExamined:
		return &fault{tooMany, fmt.Sprintf("%d examined", s.Examined), "more than 10⁹ people; check the column"}
	}
	return nil
}

// hintRange returns a hint about the possible cause of coordinates out of range.
func hintRange(lon, lat float64) string {
	switch {
	case math.Abs(lat) > 90 && land.World.Contains(land.Position{Lon: lat, Lat: lon}):
		return "exchanged they would be in range: are longitude and latitude swapped?"
	case lon > 180 && lon <= 360 && math.Abs(lat) <= 90:
		return "subtract 360 from longitudes above 180"
	case math.Abs(lon) > 1000 || math.Abs(lat) > 1000:
		return "decimal degrees are needed; these may be metres of a projection, or have lost their decimal point"
	}
	return "give decimal degrees, longitude in [-180, 180] and latitude in [-90, 90]"
}

// WriteCSV writes sites as a table that [Table] reads without further settings. A name that a spreadsheet would take
// for a formula, such as =1+1, is written behind an apostrophe.
func WriteCSV(w io.Writer, sites []Site) error {
	out := csv.NewWriter(w)
	out.Write([]string{"longitude", "latitude", "examined", "positive", "year", "site_name"})
	for _, s := range sites {
		year := ""
		if s.Year != 0 {
			year = strconv.Itoa(s.Year)
		}
		out.Write([]string{decimal(s.Lon), decimal(s.Lat), strconv.Itoa(s.Examined), strconv.Itoa(s.Positive), year,
			safefile.Cell(s.Name)})
	}
	out.Flush()
	return out.Error()
}

// yearOf reads the year of a cell that has a year or a date. Forms whose year is not certain are refused: years of two
// digits, those before 1800 or after 2043, and the numbers that Excel has for dates, because two of its versions count
// days from different years.
func yearOf(cell string, d dialect) (year int, missing bool, f *fault) {
	text := strings.ToLower(strings.TrimSpace(cell))
	v, missing, ok := number(text, d)
	refused := func(hint string) *fault { return &fault{badYear, "year is " + excerpt(cell), hint} }
	switch {
	case missing:
		return 0, true, nil
	case ok && !thousands(text, d) && v == math.Trunc(v) && surveyed(int(v)):
		return int(v), false, nil
	}
	other := ""
	if d, err := tabular.ParseDate(text); err == nil && d.Span != tabular.SixDigits {
		if surveyed(d.Year) {
			return d.Year, false, nil
		}
		other = tabular.Era(d.Year)
	}
	if day := int(v); ok && v >= 10000 && v < 80000 {
		date := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day)
		return 0, false, refused(fmt.Sprintf("Excel has this number for %s, or for a day four years later; format "+
			"the column as dates with years in four digits, and save the table again", date.Format("2 January 2006")))
	}
	hint := "write the year in four digits, 1800 to 2043, or a date such as 2015-03-01"
	if other != "" {
		hint = other + "; " + hint + " of the Gregorian calendar"
	}
	return 0, false, refused(hint)
}

// surveyed reports whether a survey can be of a year. Others, such as 1021, 2079 and 2567, have a wrong digit or are of
// another calendar.
func surveyed(year int) bool { return year >= 1800 && year <= 2043 }

// number reads the number in a cell. If commas do not separate the cells, a comma is a decimal
// point, as in many languages. missing reports a cell without a value, such as NA.
func number(cell string, d dialect) (v float64, missing, ok bool) {
	if tabular.Missing(cell) || tabular.Dash(cell) {
		return 0, true, false
	}
	v, _, ok = tabular.Number(cell, d.comma, d.decimal)
	return v, false, ok
}

// thousands reports whether a mark of a cell may separate thousands as well as decimals. In a table separated by
// commas a point is always a decimal point.
func thousands(cell string, d dialect) bool {
	_, form, _ := tabular.Number(cell, d.comma, d.decimal)
	return form&(tabular.DotEither|tabular.CommaEither) != 0
}

// wholeNumber reads a count.
func wholeNumber(name, cell string, d dialect) (int, *fault) {
	v, missing, ok := number(cell, d)
	detail := func() string { return name + " is " + excerpt(cell) }
	switch {
	case tabular.Dash(cell):
		return 0, &fault{noCount, detail(), tabular.DashHint}
	case missing:
		return 0, &fault{noCount, detail(), "a rate alone does not say how many people it is of; look the numbers " +
			"up, or leave the row out"}
	case thousands(cell, d):
		return 0, &fault{badCount, detail(), "this may be thousands or a fraction; set Decimal, or write counts " +
			"without separators"}
	case !ok:
		return 0, &fault{badCount, detail(), "write a whole number in digits"}
	case v != math.Trunc(v):
		return 0, &fault{fraction, detail(), "give the number of people, neither a rate nor an estimate"}
	case math.Abs(v) > maxExamined:
		return 0, &fault{tooMany, detail(), "more than 10⁹ people; check the column"}
	}
	return int(v), nil
}

// rate returns the fault f of a row, or that its number of positives, the text of a cell, is a rate of 0 or 1 that
// looks like a count, such as 1.00: it is written with decimals, or no row has more than 1, and other rows of the table
// have rates between.
func (r *Report) rate(s Site, filter string, f *fault, cell string) *fault {
	switch {
	case f != nil:
		r.rates = r.rates || f.reason == fraction && strings.HasPrefix(f.detail, "positive is ")
	case filter == "" && r.rates && s.Positive <= 1 && (r.shares || strings.ContainsAny(cell, ".,")):
		return &fault{fraction, "positive is " + excerpt(cell),
			"other rows have rates there; give the number of people, neither a rate nor an estimate"}
	case filter == "" && s.Positive > 1:
		r.counted = true
	}
	return f
}
