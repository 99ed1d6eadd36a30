package survey

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Columns name the columns of a table. For an empty name common names are tried ("lon", "long", "longitude", …),
// whatever their capitals, spaces and punctuation. If no column fits, short names are tried that may mean other
// things: "N" or "total" for the number examined, "k" or "cases" for positives, "x" and "y" for coordinates. Exactly
// one column must fit each name that is needed. Units behind names of coordinates, such as (°E) and (WGS 84), are left
// out. Degrees to the west or to the south and columns with a percent sign are refused.
type Columns struct {
	// These columns are needed.
	Longitude, Latitude, Examined, Positive string
	// These columns may be missing, unless a filter needs them. Ages are in years. Years may be dates, as in
	// 2015-03-01, 01/03/2015 or March 2015.
	Year, AgeLow, AgeHigh, Name string
}

var (
	// MalariaAtlas names the columns of the tables that the Malaria Atlas Project exports,
	// from its explorer or from the R package malariaAtlas. Positives are in pf_pos or in
	// positive. Ages are in lower_age and upper_age, if they are exported.
	MalariaAtlas = Columns{Longitude: "longitude", Latitude: "latitude", Examined: "examined"}
	// Snow names the columns of the table of Snow et al. 2017, "The prevalence of Plasmodium
	// falciparum in sub-Saharan Africa since 1900", doi:10.7910/DVN/Z29FR0.
	Snow = Columns{Longitude: "Long", Latitude: "Lat", Examined: "Ex", Positive: "Pf", Year: "YY"}
)

// The roles of columns.
const (
	longitude = iota
	latitude
	examined
	positive
	year
	ageLow
	ageHigh
	siteName
	columnCount
	needed = year // the roles before year are needed
)

// roles has the field of Columns for each role, and the names, folded, of columns with that role.
var roles = [columnCount]struct {
	field string
	names []string
	short []string // tried if no column has one of the names
}{
	{"Longitude", []string{"longitude", "long", "lon", "lng", "decimallongitude", "longnum", "gpslongitude", "gpslon",
		"xcoord", "xcoordinate"}, []string{"x"}},
	{"Latitude", []string{"latitude", "lat", "decimallatitude", "latnum", "gpslatitude", "gpslat", "ycoord",
		"ycoordinate"}, []string{"y"}},
	{"Examined", []string{"examined", "numberexamined", "numexamined", "nexamined", "totalexamined", "totaltested",
		"tested", "numbertested", "ntested", "ex",
		"numtested", "screened", "nscreened", "sampled", "nsampled", "samplesize", "denominator", "trials", "ntrials"},
		[]string{"n", "total", "ntotal"}},
	{"Positive", []string{"positive", "positives", "pfpos", "totalpositive", "numberpositive", "numpositive",
		"npositive", "pos", "pf",
		"npos", "posn", "numpos", "infected", "ninfected", "numberinfected", "testedpositive", "numerator"},
		[]string{"k", "cases", "ncases", "successes"}},
	{"Year", []string{"year", "yearstart", "startyear", "surveyyear", "yy", "yearofsurvey", "yearstudy"},
		[]string{"date", "surveydate", "dateofsurvey", "datesurvey", "startdate", "datestart", "interviewdate",
			"collectiondate", "visitdate", "datecollected"}},
	{"AgeLow", []string{"lowerage", "agelow", "agelower", "loage", "minage", "agemin"}, nil},
	{"AgeHigh", []string{"upperage", "agehigh", "ageupper", "upage", "maxage", "agemax"}, nil},
	{"Name", []string{"sitename", "site", "name", "location", "locationname", "village", "place"}, nil},
}

// names returns the names of the columns by role.
func (c Columns) names() [columnCount]string {
	return [columnCount]string{c.Longitude, c.Latitude, c.Examined, c.Positive, c.Year, c.AgeLow, c.AgeHigh, c.Name}
}

// places has the index in a row of the column of each role, −1 for columns that are missing.
type places [columnCount]int

// find finds the columns in a header. must marks the roles that a filter needs.
func (c Columns) find(header []string, must [columnCount]bool) (places, error) {
	var at places
	var first error
	for role, name := range c.names() {
		var err error
		if at[role], err = find(header, role, name, role < needed || must[role]); err != nil && first == nil {
			first = err
		}
	}
	for a := range needed {
		for b := range a {
			if first == nil && at[a] == at[b] {
				first = fmt.Errorf("column %s is to be both %s and %s", excerpt(header[at[a]]), roles[b].field,
					roles[a].field)
			}
		}
	}
	return at, first
}

// find returns the index of the column with a role, or −1 if the column is missing and may be missing. name is the name
// that the caller asks for, or "".
func find(header []string, role int, name string, must bool) (int, error) {
	matches := func(same func(string) bool) (at []int) {
		for i, h := range header {
			if same(h) {
				at = append(at, i)
			}
		}
		return at
	}
	var found []int
	if name != "" {
		found = matches(func(h string) bool { return strings.TrimSpace(h) == name })
		if len(found) == 0 && fold(name) != "" {
			found = matches(func(h string) bool { return fold(h) == fold(name) })
		}
		must = must || len(found) != 1 // a column that is asked for by name must be there
	} else {
		found = matches(func(h string) bool { return slices.Contains(roles[role].names, fold(h)) })
		if role <= latitude && len(found) == 0 {
			found = matches(func(h string) bool {
				bare, _ := unitless(h, role)
				return slices.Contains(roles[role].names, bare)
			})
		}
		if len(found) == 0 {
			found = matches(func(h string) bool { return slices.Contains(roles[role].short, fold(h)) })
		}
	}
	switch {
	case len(found) == 1:
		return found[0], unfit(header, found[0], role)
	case !must && len(found) == 0:
		return -1, nil
	case !must: // the column whose name comes first in the list of names
		return slices.MinFunc(found, func(a, b int) int {
			return slices.Index(roles[role].names, fold(header[a])) - slices.Index(roles[role].names, fold(header[b]))
		}), nil
	case len(found) == 0 && name != "":
		return -1, fmt.Errorf("there is no column %s but %s; change Columns.%s", excerpt(name), list(header),
			roles[role].field)
	case len(found) == 0 && len(header) == 1:
		return -1, fmt.Errorf("no column looks like %s; the first line is one cell, %s: remove it if it is a "+
			"title, or set "+
			"Comma if another character parts its columns", strings.ToLower(roles[role].field), excerpt(header[0]))
	case len(found) == 0:
		return -1, fmt.Errorf("no column looks like %s among %s; name it in Columns.%s",
			strings.ToLower(roles[role].field), list(header), roles[role].field)
	}
	return -1, fmt.Errorf("columns %d, %s, and %d, %s, may both be %s; name one in Columns.%s, and rename columns of "+
		"the same name", found[0]+1, excerpt(header[found[0]]), found[1]+1, excerpt(header[found[1]]),
		strings.ToLower(roles[role].field), roles[role].field)
}

// list quotes the names of the first columns.
func list(header []string) string {
	const most = 12
	words := make([]string, 0, most)
	for _, h := range header[:min(len(header), most)] {
		words = append(words, excerpt(h))
	}
	if more := len(header) - most; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// unit are words behind the name of a coordinate that say nothing but that it is in degrees of WGS 84.
var unit = []string{"decimal", "degree", "degrees", "deg", "dd", "wgs", "wgs84", "84", "1984", "epsg", "4326"}

// unitless returns the folded name of a column of longitudes or latitudes, such as "Longitude (°E)", without its unit,
// and reports whether the column counts to the west or to the south.
func unitless(header string, role int) (name string, back bool) {
	words := strings.FieldsFunc(strings.ToLower(header),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	ways := [][]string{longitude: {"e", "east", "w", "west"}, latitude: {"n", "north", "s", "south"}}[role]
	for ; len(words) > 1; words = words[:len(words)-1] {
		last := words[len(words)-1]
		if way := slices.Index(ways, last); way >= 2 {
			back = true
		} else if way < 0 && !slices.Contains(unit, last) {
			break
		}
	}
	return strings.Join(words, ""), back
}

// minutes is the folded name of a column of minutes of arc.
var minutes = regexp.MustCompile(`^(?:gps|decimal)?(?:longitude|long|lon|lng|latitude|lat)(?:mins?|minutes?)$`)

// unfit refuses a column whose header says that it is counted in another way: coordinates to the west or to the south,
// degrees whose minutes are in another column, and percentages of people.
func unfit(header []string, at, role int) error {
	switch role {
	case longitude, latitude:
		name, back := unitless(header[at], role)
		if back {
			return fmt.Errorf("column %s counts to the west or to the south; change the signs of its numbers, because "+
				"those in the east and in the north are positive, and rename it", excerpt(header[at]))
		}
		for _, h := range header { // but lon_min beside lon_max is the least longitude
			if part := fold(h); minutes.MatchString(part) && strings.HasPrefix(part, name) &&
				!slices.ContainsFunc(header,
					func(h string) bool { return strings.HasPrefix(fold(h), name+"max") }) {
				return fmt.Errorf("columns %s and %s seem to have degrees and minutes; write decimal degrees into one "+
					"column", excerpt(header[at]), excerpt(h))
			}
		}
	case examined, positive:
		if name := fold(header[at]); strings.ContainsAny(name, "%‰") || strings.Contains(name, "percent") ||
			strings.Contains(name, "pct") {
			return fmt.Errorf("column %s seems to have percentages; %s is a number of people: write that number, or "+
				"rename the column if it is one", excerpt(header[at]), strings.ToLower(roles[role].field))
		}
	}
	return nil
}

// fold returns the letters, digits and percent signs of a name in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' && r != '‰' {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFC.String(name))
}

// describe says which columns were read.
func (at places) describe(header []string, comma rune) string {
	var words []string
	for role, i := range at {
		if i >= 0 {
			words = append(words, fmt.Sprintf("%s %s", roles[role].field, excerpt(header[i])))
		}
	}
	return fmt.Sprintf("%s; separated by %q", strings.Join(words, ", "), comma)
}
