package survey_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

const header = "longitude,latitude,examined,positive\n"

func scan(t survey.Table, text string) ([]survey.Site, survey.Report, error) {
	var sites []survey.Site
	r, err := t.Scan(strings.NewReader(text), func(s survey.Site) { sites = append(sites, s) })
	return sites, r, err
}

// balance is the promise of every report.
func balance(r survey.Report) error {
	filtered, refused := 0, 0
	for _, t := range r.Filtered {
		filtered += t.Rows
	}
	for _, t := range r.Reasons {
		refused += t.Rows
	}
	if r.Used+filtered+refused != r.Rows || refused != r.Refused || filtered != r.FilteredRows() ||
		len(r.Refusals) > r.Refused {
		return fmt.Errorf("%d rows, but %d used, %d filtered, %d of %d refused", r.Rows, r.Used, filtered, refused,
			r.Refused)
	}
	return nil
}

func TestRefusedRows(t *testing.T) {
	for _, c := range []struct{ name, row, reason, hint string }{
		{"missing coordinate", ",5,10,1", "no coordinates", "look the place up"},
		{"NA coordinate", "NA,5,10,1", "no coordinates", "look the place up"},
		{"degrees and minutes", "5°30'E,5,10,1", "no numbers", "decimal degrees"},
		{"infinite", "Inf,5,10,1", "no numbers", "decimal degrees"},
		{"hexadecimal", "0x1p3,5,10,1", "no numbers", "decimal degrees"},
		{"latitude 120", "8,120,10,1", "out of range", "swapped?"},
		{"0 to 360", "351.5,12,10,1", "out of range", "subtract 360"},
		{"metres", "500000,9990000,10,1", "out of range", "metres"},
		{"no number of degrees", "200,95,10,1", "out of range", "decimal degrees"},
		{"exchanged, Kenya", "-1,37,10,1", "exchanged", "exchange them"},
		{"exchanged, Ghana", "7,-1,10,1", "exchanged", "exchange them"},
		{"exchanged, Lagos", "6.45,3.39,10,1", "exchanged", "exchange them"},
		{"null island", "0,0,10,1", "coordinates 0, 0", "unknown place"},
		{"more positive", "8,9,10,11", "more positive than examined", "exchanged"},
		{"not whole", "8,9,100,69.1", "not whole", "number of people"},
		{"rate", "8,9,100,0.69", "not whole", "rate"},
		{"negative", "8,9,-9999,1", "negative", "-9999"},
		{"nobody", "8,9,0,0", "nobody", "leave the row out"},
		{"missing count", "8,9,100,", "no counts", "rate"},
		{"words", "8,9,many,1", "no numbers", "digits"},
		{"thousands", `8,9,"1,200",1`, "no numbers", "separators"},
		{"huge", "8,9,1e300,1", "impossibly many", "column"},
		{"short", "8,9,10", "unlike the header", "all cells"},
		{"long", "8,9,10,1,Lagos", "unlike the header", "quote cells"},
		{"bare quote", `8,9,10,"1"2`, "quotes", "double the quotes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sites, r, err := scan(survey.Table{}, header+"8,9,10,1\n"+c.row+"\n8,9,10,2\n")
			must.Need(t, err == nil && len(sites) == 2 && r.Rows == 3 && r.Refused == 1 && balance(r) == nil,
				"%v, %v", r, err)
			got := r.Refusals[0]
			must.Be(t, got.Line == 3 && strings.Contains(got.Reason, c.reason) && strings.Contains(got.Hint, c.hint),
				"%v", got)
			must.Equal(t, sites[1].Line, 4, "the row below is on line")
		})
	}
}

func TestUsedRows(t *testing.T) {
	for _, c := range []struct {
		name, text string
		table      survey.Table
		want       survey.Site
	}{
		{"byte order mark, CRLF", "\ufeffLongitude,Latitude,Examined,Positive\r\n8.5,9.25,10,1\r\n", survey.Table{},
			survey.Site{Lon: 8.5, Lat: 9.25, Examined: 10, Positive: 1, Line: 2}},
		{"semicolons, decimal commas", "lon;lat;tested;positive\n8,5;9,25;10,0;1\n", survey.Table{},
			survey.Site{Lon: 8.5, Lat: 9.25, Examined: 10, Positive: 1, Line: 2}},
		{"tabs, Snow", "COUNTRY\tLat\tLong\tMM\tYY\tEx\tPf\tPfPR2-10\nKenya\t-1.5\t37\t5\t1998\t60\t20\t33,1\n",
			survey.Table{Columns: survey.Snow, Years: survey.Range{Low: 1990}}, survey.Site{Lon: 37, Lat: -1.5,
				Examined: 60, Positive: 20, Year: 1998, Line: 2}},
		{"quoted line breaks, HTML", "latitude,longitude,examined,pf_pos,citation,site_name,year_start\n" +
			"9,8,10,1,\"<b>A\n\nB</b>, \"\"C\"\"\",\"<script>x</script>\n \",2009\n",
			survey.Table{Columns: survey.MalariaAtlas}, survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1,
				Year: 2009, Name: "<script>x</script>", Line: 2}},
		{"columns by name", "a,b,n,y,n_total\n8,9,10,1,5\n",
			survey.Table{Columns: survey.Columns{Longitude: "a", Latitude: "b", Examined: "n", Positive: "y"}},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Line: 2}},
		{"an accent as a mark", "lon,lat,examine\u0301s,positive\n8,9,10,1\n",
			survey.Table{Columns: survey.Columns{Examined: "examin\u00e9s"}},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Line: 2}},
		{"spreadsheet", "sep=;\nlon;lat;examined;positive;;\n8;9;10;1;;\n;;;;;\n", survey.Table{},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Line: 3}},
		{"Latin-1", "lon,lat,examined,positive,site\n8,9,10,1,Yaound\xe9\n", survey.Table{},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Name: "Yaound�", Line: 2}},
		{"three decimals", header + "8,9,10.000,1.000\n", survey.Table{},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Line: 2}},
		{"quotes in cells", "lon,lat,examined,positive,site\n8,9,10,1,5\" well\n", survey.Table{LazyQuotes: true},
			survey.Site{Lon: 8, Lat: 9, Examined: 10, Positive: 1, Name: `5" well`, Line: 2}},
		{"coast", header + "9.55,3.9,10,1\n", survey.Table{},
			survey.Site{Lon: 9.55, Lat: 3.9, Examined: 10, Positive: 1, Line: 2}},
		{"Asia", header + "105,12,10,1\n", survey.Table{Window: land.World},
			survey.Site{Lon: 105, Lat: 12, Examined: 10, Positive: 1, Line: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sites, r, err := scan(c.table, c.text)
			must.Need(t, err == nil && len(sites) == 1 && sites[0] == c.want && balance(r) == nil,
				"%+v, %v, %v", sites, r, err)
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		table      survey.Table
		want       string
	}{
		{"empty", "", survey.Table{}, "is empty"},
		{"only a mark and lines", "\ufeff\n\n \n", survey.Table{}, "is empty"},
		{"only a header", header, survey.Table{}, "no row"},
		{"only sep", "sep=;", survey.Table{}, "no column looks like longitude"},
		{"a title", "Surveys of 2020\nlon,lat,n,k\n8,9,1,1\n", survey.Table{},
			`is one cell, "Surveys of 2020": remove it if it is a title`},
		{"missing column", "longitude,latitude,examined\n8,9,1\n", survey.Table{},
			`no column looks like positive among "longitude"`},
		{"no header", "8,9,10,1\n8,9,10,2\n", survey.Table{}, "no column looks like longitude"},
		{"same name twice", "lon,lat,lat,examined,positive\n8,9,9,10,1\n", survey.Table{},
			`columns 2, "lat", and 3, "lat"`},
		{"two names", "lon,lat,latitude,examined,positive\n8,9,9,10,1\n", survey.Table{}, `may both be latitude`},
		{"one column for two", header + "8,9,10,1\n", survey.Table{Columns: survey.Columns{Positive: "examined"}},
			"both Examined and Positive"},
		{"percentages that are asked for", "lon,lat,n,positive (%)\n8,9,10,30\n",
			survey.Table{Columns: survey.Columns{Positive: "positive (%)"}},
			`column "positive (%)" seems to have percentages; positive is a number of people`},
		{"degrees to the west that are asked for", "long (°W),lat,n,k\n8,9,10,3\n",
			survey.Table{Columns: survey.Columns{Longitude: "long (°W)"}}, `column "long (°W)" counts to the west`},
		{"no such column", header + "8,9,10,1\n", survey.Table{Columns: survey.Columns{Year: "jahr"}},
			`no column "jahr"`},
		{"filter without column", header + "8,9,10,1\n", survey.Table{Years: survey.Range{Low: 2000}},
			"looks like year"},
		{"HTML", "<!DOCTYPE html><html>", survey.Table{}, "web page"},
		{"JSON", `{"type":"FeatureCollection"}`, survey.Table{}, "JSON"},
		{"workbook", "PK\x03\x04\x14\x00", survey.Table{}, "spreadsheet"},
		{"UTF-16", "\xff\xfel\x00o\x00", survey.Table{}, "UTF-16"},
		{"old Macintosh", "lon,lat,examined,positive\r8,9,10,1\r", survey.Table{}, "CR alone"},
		{"endless header", strings.Repeat("a,", 1<<16), survey.Table{}, "line 1 is longer"},
		{"open quote", header + "8,9,10,1\n8,\"9,10,1\n8,9,10,1\n", survey.Table{},
			"a quote below line 2 is not closed"},
		{"open quote, long", header + "8,9,10,1\n8,\"9,10,1\n" + strings.Repeat("8,9,10,1\n", 200000), survey.Table{},
			"a quote below line 2 is not closed"},
		{"window", header, survey.Table{Window: land.Box{West: 5, East: 1}}, "west below east"},
		{"window to 360", header, survey.Table{Window: land.Box{West: 350, South: -5, East: 360, North: 5}},
			"a window of 350 to 360° east; longitudes of a table are within ±180: subtract 360"},
		{"filter", header, survey.Table{Years: survey.Range{Low: 2015, High: 2000}}, "keeps nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r, err := scan(c.table, c.text)
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && len(err.Error()) <= 600,
				"%v, %v", err, r)
		})
	}
}

func TestFilters(t *testing.T) {
	text := "longitude,latitude,examined,positive,year_start,lower_age,upper_age\n" +
		"8,9,10,1,2001,2,10\n8,9,10,1,1999,2,10\n8,9,10,1,,2,10\n8,9,10,1,2010,0,99\n8,9,10,1,2010,,\n" +
		"8,9,10,1,20x0,2,10\n105,12,10,1,2015,2,10\n8,9,10,1,2015,3,9\n,,,,,,\n8,9,10,11,1999,2,10\n"
	sites, r, err := scan(survey.Table{Columns: survey.MalariaAtlas, Years: survey.Range{Low: 2001, High: 2015},
		Ages: survey.Range{Low: 2, High: 10}}, text)
	must.Need(t, err == nil && len(sites) == 2 && balance(r) == nil, "%v %v", r, err)
	want := "of other years than 2001 to 2015 2, without a year 1, of other ages than 2 to 10 1, without ages 1, " +
		"outside of sub-Saharan Africa (set Window for other places) 1, empty 1, "
	got := ""
	for _, f := range r.Filtered {
		got += fmt.Sprintf("%s %d, ", f.Reason, f.Rows)
	}
	must.Be(t, got == want && r.Refused == 1 && r.Refusals[0].Line == 7, "%v", r)
}

// endless writes rows without a file.
type endless struct {
	row  string
	left int
	rest string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.left == 0 {
			return 0, io.EOF
		}
		n := min(e.left, 100)
		e.rest, e.left = strings.Repeat(e.row, n), e.left-n
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestMillionRows(t *testing.T) {
	rows := fulltest.N(100_000, 1_000_000)
	// Every second row is wrong, and has a long cell with line breaks.
	row := "8.51,9.02,120,31,\"" + strings.Repeat("a long\n<i>citation</i> ", 10) + "\"\n8,9,10,11,b\n"
	in := io.MultiReader(strings.NewReader("longitude,latitude,examined,positive,site_name\n"),
		&endless{row: row, left: rows / 2})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, peak := 0, uint64(0)
	r, err := survey.Table{}.Scan(in, func(s survey.Site) {
		if n++; n%10_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapAlloc)
		}
	})
	must.Need(t, err == nil && r.Rows == rows && r.Used == rows/2 && r.Refused == rows/2 && len(r.Refusals) == 20 &&
		balance(r) == nil,
		"%v %v", r, err)
	// The map of Natural Earth, the buffers and 20 refusals are below 4 MiB; the
	// table has 130 bytes per row, 13 MB at the least.
	grown := int64(peak) - int64(before.HeapAlloc)
	must.Be(t, grown <= 4<<20, "%d bytes kept", grown)
	s := r.String()
	must.Be(t, len(s) <= 6000 && strings.Contains(s, fmt.Sprintf("and %d more", rows/2-20)), "%v", s)
}

// TestRealSurveys accounts for every row of real tables, if EXPFAM_TEST_DATA has them.
func TestRealSurveys(t *testing.T) {
	dir := filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "malaria")
	files, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	if os.Getenv("EXPFAM_TEST_DATA") == "" || len(files) == 0 {
		t.Skip("set EXPFAM_TEST_DATA to a folder with malaria/*.csv")
	}
	for _, path := range files {
		s, err := survey.Table{}.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		raw := must.Get(os.ReadFile(path))(t)
		t.Log(s)
		lines := bytes.Count(raw, []byte("\n")) - 1
		if raw[len(raw)-1] != '\n' {
			lines++
		}
		if err := balance(s.Report); err != nil || s.Report.Rows != lines || s.Report.Used != len(s.Sites) {
			t.Errorf("%s: %d lines below the header; %v", path, lines, err)
		}
		m := must.Get(land.Frame{Rows: 256}.Map())(t)
		cells := must.Get(survey.Aggregate(m, s.Sites))(t)
		t.Log(cells)
		err = balance(cells.Report)
		must.Be(t, err == nil && cells.Report.Rows == len(s.Sites) && cells.Report.Refused <= len(s.Sites)/100,
			"%v %v %v", path, cells.Report, err)
	}
}

// The names that people give to columns, and what is not guessed.
func TestColumnNames(t *testing.T) {
	for _, c := range []struct{ header, says string }{
		{"lon,lat,N,pos", ""}, {"lon,lat,n,positive", ""}, {"LON,LAT,tested,pos", ""}, {"x,y,n,k", ""},
		{"Long,Lat,total,cases", ""},
		{"lon,lat,n_tested,n_pos", ""}, {"lon,lat,sample size,infected", ""},
		{"gps_longitude,gps_latitude,Num. tested,Num. pos.", ""},
		{"lon,lat,n,pos,examined", ""}, // n is something else where there is a better name
		{"lon,lat,n,total,pos", `columns 3, "n", and 4, "total", may both be examined; name one in Columns.Examined`},
		{"lon,lat,tested,screened,pos", `may both be examined`},
		{"Longitude (°E),Latitude (°N),n,pos", ""}, {"longitude (decimal degrees),latitude (decimal degrees),n,pos",
			""},
		{"long_dd,lat_dd,n,pos", ""}, {"Lon [deg],Lat [deg],n,pos", ""}, {"lon_wgs84,lat_wgs84,n,pos", ""},
		{"Longitude E,Latitude N,n,pos", ""}, {"GPS longitude (WGS 84),GPS latitude (WGS 84),n,pos", ""},
		{"lon,lat,n,pos,lat_dd", ""}, // the plain name is better
		{"Longitude (°W),Latitude (°N),n,pos",
			`column "Longitude (°W)" counts to the west or to the south; change the signs`},
		{"lon,lat_south,n,pos", `column "lat_south" counts to the west or to the south`},
		{"lon_deg,lat_deg,n,pos,lon_min", `columns "lon_deg" and "lon_min" seem to have degrees and minutes; write decimal`},
		{"lon,lat,n,pos,Latitude minutes", `columns "lat" and "Latitude minutes" seem to have degrees and minutes`},
		{"Longitude degrees,Latitude degrees,n,pos,Latitude minutes",
			`columns "Latitude degrees" and "Latitude minutes"`},
		{"lon,lat,n,pos,lat_min,lat_max", ""},
		{"lon (N),lat (E),n,pos", `no column looks like longitude among "lon (N)"`},
		{"lon,lat (m),n,pos", `no column looks like latitude`},
		{"lon,lat,n,positive (%)", `no column looks like positive among "lon", "lat", "n", "positive (%)"`},
		{"lon,lat,n,% positive", `no column looks like positive`}, {"lon,lat,n,pos_%", `no column looks like positive`},
		{"lon,lat,n,Positive ‰", `no column looks like positive`},
		{"# surveys of 2020,,,", `no column looks like longitude among "8"`},
		{"lon,lat,people,pos", `no column looks like examined among "lon", "lat", "people", "pos"; name it in Columns.Examined`},
	} {
		t.Run(c.header, func(t *testing.T) {
			row := []string{"8", "9", "10", "1", "20", "21"}[:strings.Count(c.header, ",")+1]
			sites, r, err := scan(survey.Table{}, c.header+"\n"+strings.Join(row, ",")+"\n")
			if c.says != "" {
				must.Err(t, err, c.says)
				return
			}
			examined := 10
			if strings.Contains(c.header, "examined") {
				examined = 20
			}
			must.Be(t, err == nil && len(sites) == 1 && sites[0].Lon == 8 && sites[0].Lat == 9 &&
				sites[0].Positive == 1 && sites[0].Examined == examined,
				"%v, %v, %v", sites, r, err)
		})
	}
}

// A window of one's own is named as such.
func TestWindowOfOnesOwn(t *testing.T) {
	table := survey.Table{Window: land.Box{West: 100, South: 5, East: 110, North: 20}}
	sites, r, err := scan(table, header+"105,12,10,1\n8,9,10,1\n")
	if err != nil || len(sites) != 1 || len(r.Filtered) != 1 || r.Filtered[0].Reason != "outside of the window" {
		t.Error(sites, r, err)
	}
}

// TestOneReader: what tables of every kind have around and among their rows is what it is for package raster: comments
// above the header, dashes, thousands and sums.
func TestOneReader(t *testing.T) {
	const rows = "8,9,10,1\n8.5,9.5,20,2\n"
	for _, c := range []struct {
		name, text string
		table      survey.Table
		used       int
		says       string
	}{
		{"a comment", "# made by hand\n" + header + rows, survey.Table{}, 2, "2 rows: 2 used"},
		{"two comments", "#\n# a, b\n\n" + header + rows, survey.Table{}, 2, "2 rows: 2 used"},
		{"names in a comment", "# by numpy\n# longitude,latitude,examined,positive\n" + rows, survey.Table{}, 2, "2 " +
			"used"},
		{"a dash", header + "8,9,-,1\n" + rows, survey.Table{}, 2, "it may stand for 0 or for no value"},
		{"a dash of another kind", header + "8,9,10,–\n" + rows, survey.Table{}, 2, "it may stand for 0"},
		{"thousands", "longitude;latitude;examined;positive\n8,5;9;1.234;300\n", survey.Table{}, 0, "set Decimal"},
		{"thousands, said", "longitude;latitude;examined;positive\n8,5;9;1.234;300\n", survey.Table{Decimal: ','}, 1,
			"1 used"},
		{"a total", "name," + header + "A,8,9,100,10\nB,8.5,9,200,20\nTotal,8,9,300,30\n", survey.Table{}, 2,
			"line 4: sums of other rows: 30 positive of 300 examined are those of the rows above together"},
		{"a subtotal", "name," + header + "A,8,9,100,10\nB,8.5,9,200,20\nSum,8,9,300,30\nC,9,9,40,4\nD,9,8,60,5\n" +
			"Subtotal,9,8,100,9\n", survey.Table{}, 4, "2 sums of other rows"},
		{"by the numbers", header + "8,9,100,10\n8.5,9,200,20\n9,9,30,3\n8,9,330,33\n", survey.Table{}, 3,
			"line 5: sums of other rows"},
		{"numbers alone", header + "8,9,100,10\n8.5,9,200,20\n9,9,300,30\n", survey.Table{}, 3, "3 used"},
		{"one number", header + "8,9,100,10\n8.5,9,200,20\n9,9,30,3\n8,9,330,32\n", survey.Table{}, 4, "4 used"},
	} {
		sites, r, err := scan(c.table, c.text)
		must.Be(t, err == nil && len(sites) == c.used && balance(r) == nil && strings.Contains(r.String(), c.says),
			"%s: %d used, %v, %v; want %d and %s", c.name, len(sites), r, err, c.used, c.says)
	}
	_, _, err := scan(survey.Table{}, header+"8,9,330,33\n8,9,100,10\n8.5,9,200,20\n9,9,30,3\n")
	must.Err(t, err, "line 2: 33 positive of 330 examined are those of the rows below together")
	_, _, err = scan(survey.Table{}, "name,"+header+"All,8,9,300,30\nA,8,9,100,10\nB,8.5,9,200,20\n")
	must.Err(t, err, "line 2: 30 positive of 300 examined")
	_, _, err = scan(survey.Table{Comma: ','}, "sep=;\n"+header+rows)
	must.Err(t, err, "the first line says that ';' parts the cells")
}
