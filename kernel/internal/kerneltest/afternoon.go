package kerneltest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Look is a cell that looks at data, with what it has to show: a line that its text begins with, parts of its figure in
// HTML, and whether it has a picture. Without parts it has no figure.
type Look struct {
	Name, Source, Text string
	Parts              []string
}

// Afternoon is what somebody types to look at files of their own: a table of weeks, a raster, districts and a survey.
var Afternoon = []Look{
	{"a column", "cases := expfam.Must(raster.Column{Name: \"cases\"}.Read(\"weeks.csv\"))\ncases",
		"1x24 cells, 2 of 24 missing, mean 4.318, 0 to 11", []string{"Left out: 2 missing values."}},
	{"its first values", "cases.Values[:5]", "[3 5 NaN 0 4]", nil},
	{"all of its values", "cases.Values", "2 of 24 missing, mean 4.318, 0 to 11",
		[]string{"Left out: 2 missing values."}},
	{"on a logarithmic axis",
		`viz.Lines{Title: "Cases a week", LogY: true, Lines: []viz.Line{{Name: "cases", Y: cases.Values}}}`,
		"[lines: Cases a week; cases; Left out: 2 missing values, 2 values of 0 or less",
		[]string{"which a logarithmic axis cannot show"}},
	{"a raster, read at the end of its cell", `raster.ReadASCIIGrid("people.asc")`,
		"4x6 cells, 3 of 24 missing, mean 106.7, 0 to 400", []string{"Grey: missing."}},
	{"its logarithms",
		"people := expfam.Must(raster.ReadASCIIGrid(\"people.asc\"))\n" +
			`viz.Map{Field: people, Scale: &viz.Scale{Label: "people", Log: true}}`,
		"[map: ", []string{"1 cell of 0 or less, which a logarithmic scale cannot show"}},
	{"observations", "like := expfam.Likelihood{Family: expfam.Poisson{}}\nobs := " +
		"expfam.Must(like.ObserveField(cases))\nobs", "2 of 24 missing, mean 4.318, 0 to 11", []string{"observation"}},
	{"a title in Amharic", `viz.Lines{Title: "ወባ በሳምንት", Lines: []viz.Line{{Y: cases.Values}}}`,
		"[lines: ወባ በሳምንት;", []string{"ወባ በሳምንት"}},
	{"districts", "districts := expfam.Must(land.GeoJSON{}.Read(\"districts.geojson\"))\nregion := " +
		"expfam.Must(land.Frame{Regions: districts, Rows: 12, Cols: 24}.Map())\nregion", "12 × 24 cells", nil},
	{"a survey", `columns := survey.Columns{Longitude: "lon", Latitude: "lat", Examined: "examined", Positive: "positive"}
table := expfam.Must(survey.Table{Columns: columns}.Read("survey.csv"))
survey.Aggregate(region, table.Sites)`,
		"4 surveys, 47 positive of 181 examined, in 4 cells", []string{"Grey: no survey."}},
}

// AfternoonFiles writes the files of the afternoon into a folder.
func AfternoonFiles(dir string) error {
	weeks := "week,cases\n"
	for i, c := range strings.Fields("3 5 NA 0 4 2 6 7 - 3 1 0 2 5 8 11 9 6 4 3 5 4 3 4") {
		weeks += fmt.Sprintf("%d,%s\n", i+1, strings.Trim(c, "-"))
	}
	for name, text := range map[string]string{
		"weeks.csv": weeks,
		"people.asc": "ncols 6\nnrows 4\nxllcorner 36\nyllcorner -1\ncellsize 0.1\nNODATA_value -9999\n" +
			"-9999 12 50 130 240 -9999\n3 20 0 210 400 310\n7 35 90 150 220 180\n2 11 40 70 60 -9999\n",
		"survey.csv": "lon,lat,examined,positive\n36.2,-0.3,50,12\n36.9,-0.8,31,2\n37.4,-0.4,80,33\n37.7,-0.2,20,0\n",
		"districts.geojson": `{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"name": "West"},
"geometry": {"type": "Polygon", "coordinates": [[[36, -1], [37, -1], [36.8, 0], [36.1, 0], [36, -1]]]}},
{"type": "Feature", "properties": {"name": "East"},
"geometry": {"type": "Polygon", "coordinates": [[[37, -1], [38, -1], [37.9, -0.1], [36.8, 0], [37, -1]]]}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Compare returns an error that says what of the look is not shown.
func (l Look) Compare(text, html string) error {
	if !strings.HasPrefix(text, l.Text) {
		return fmt.Errorf("the text is %q, want %q", text, l.Text)
	}
	if (html != "") != (l.Parts != nil) {
		return fmt.Errorf("%d bytes of HTML, want a figure: %v", len(html), l.Parts != nil)
	}
	for _, part := range l.Parts {
		if !strings.Contains(html, part) {
			return fmt.Errorf("the figure does not say %q", part)
		}
	}
	return nil
}
