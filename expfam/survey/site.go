package survey

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/expfam/lab/expfam/land"
)

// Site is one survey: Positive of Examined people at a place.
type Site struct {
	Lon, Lat           float64 // degrees, east and north positive
	Examined, Positive int
	Year               int // 0 if it is not known
	// Name is the name of the site in the table. Escape it before showing it as HTML.
	Name string
	// Line is the line of the table where the row of the site begins, 0 for a site from no
	// table.
	Line int
}

// Place returns the place of the site.
func (s Site) Place() land.Position { return land.Position{Lon: s.Lon, Lat: s.Lat} }

// maxExamined is more than any survey examines, and far below the largest count that float64
// holds exactly.
const maxExamined = 1e9

// fault returns what makes the counts or the place of a site impossible, nil if both are
// possible.
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

// WriteCSV writes sites as a table that [Table] reads without further settings.
func WriteCSV(w io.Writer, sites []Site) error {
	out := csv.NewWriter(w)
	out.Write([]string{"longitude", "latitude", "examined", "positive", "year", "site_name"})
	for _, s := range sites {
		year := ""
		if s.Year != 0 {
			year = strconv.Itoa(s.Year)
		}
		degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		out.Write([]string{degrees(s.Lon), degrees(s.Lat), strconv.Itoa(s.Examined), strconv.Itoa(s.Positive), year,
			s.Name})
	}
	out.Flush()
	return out.Error()
}
