package survey_test

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// Dates whose year is certain have it; the others are refused by a filter of years, and remarked on without one.
func TestYears(t *testing.T) {
	for _, c := range []struct {
		cell string
		year int
		says string // of the hint, for a year that is not read
	}{
		{"2015", 2015, ""}, {" 2015.0 ", 2015, ""}, {"2015-03-01", 2015, ""}, {"2015/3/1", 2015, ""},
		{"2015.03.01", 2015, ""},
		{"2015-03-01T10:30:00Z", 2015, ""}, {"2015-03-01 10:30", 2015, ""}, {"2015-03-01 10:30:00.000+03:00",
			2015, ""}, {"2015-03", 2015, ""},
		{"01/03/2015", 2015, ""}, {"3/31/2015", 2015, ""}, {"31.3.2015", 2015, ""}, {"3/1/2015 12:00:00 AM", 2015,
			""}, {"03/2015", 2015, ""},
		{"20150301", 2015, ""}, {"Mar-2015", 2015, ""}, {"15-Mar-2015", 2015, ""}, {"March 2015", 2015, ""},
		{"March 15, 2015", 2015, ""},
		{"15th March 2015", 2015, ""}, {"1 août 2015", 2015, ""}, {"1 de março de 2015", 2015, ""},
		{"15 févr. 2015", 2015, ""}, {"2015 Mar 1", 2015, ""},
		{"2015-W01-1", 2015, ""}, {"2015W011", 2015, ""}, {"2015-W53", 2015, ""}, {"2015-060", 2015, ""},
		{"1021", 0, "1800 to 2043"}, {"2824-05-01", 0, "1800 to 2043"},
		{"2079", 0, "2079 of the calendar Bikram Sambat is 2022; write"}, {"2080-05-01", 0, "Bikram Sambat is 2023"},
		{"2567", 0, "2567 of the Buddhist calendar is 2024; write"},
		{"01/03/2564", 0, "2564 of the Buddhist calendar is 2021; write"},
		{"1442", 0, "1442 of the Islamic calendar (Hijri) is 2020; write"},
		{"1445-03-01", 0, "1445 of the Islamic calendar (Hijri) is 2023"},
		{"1299", 0, "1299 of the Persian calendar is 1920; write"}, {"2015-W54-1", 0, "four digits"},
		{"NA", 0, ""}, {"", 0, ""},
		{"Mar-15", 0, "the year in four digits"}, {"15-Mar", 0, "four digits"}, {"01/03/15", 0,
			"four digits"}, {"1.3.15", 0, "four digits"},
		{"15", 0, "four digits"}, {"2015/16", 0, "four digits"}, {"2015-16", 0, "four digits"}, {"2010-2015", 0,
			"four digits"}, {"FY2015", 0, "four digits"},
		{"before 2015", 0, "four digits"}, {"2015.5", 0, "four digits"}, {"2.015", 0, "four digits"},
		{"32/13/2015", 0, "four digits"}, {"13/13/2015", 0, "four digits"},
		{"20151301", 0, "four digits"}, {"42064", 0, "Excel has this number for 1 March 2015, or for a day four " +
			"years later; format the column"}, {"42064.5", 0, "Excel has this number for 1 March 2015"},
	} {
		t.Run(c.cell, func(t *testing.T) {
			text := "longitude,latitude,examined,positive,date\n8,9,10,1,\"" + c.cell + "\"\n"
			sites, r, err := scan(survey.Table{}, text)
			must.Need(t, err == nil && len(sites) == 1 && sites[0].Year == c.year && balance(r) == nil,
				"%v, %v, %v", sites, r, err)
			if (c.says != "") != (len(r.Remarks) == 1) || c.says != "" && !strings.Contains(r.String(),
				"remark: 1 rows with a year that cannot be read, first line 2: year is ") ||
				!strings.Contains(r.String(), c.says) {
				t.Errorf("%v, want a remark with %q", r, c.says)
			}
			sites, r, err = scan(survey.Table{Years: survey.Range{Low: 2015, High: 2015}}, text)
			must.Be(t, err == nil && (len(sites) == 1) == (c.year == 2015) && (r.Refused == 1) == (c.says != "") &&
				balance(r) == nil,
				"with a filter: %v, %v, %v", sites, r, err)
		})
	}
}

// What is odd about rows is in the report, in a line for each kind.
func TestRemarks(t *testing.T) {
	kenya := must.Get(land.Country("Kenya"))(t)
	head := "longitude,latitude,examined,positive,year\n"
	for _, c := range []struct {
		name, text string
		table      survey.Table
		used       int
		says       string
	}{
		{"repeated rows", head + "37,-1,10,1,2015\n38,-1,10,1,2015\n37,-1,10,1,2015\n37,-1,10,1,2015\n",
			survey.Table{}, 4,
			"remark: 2 rows that repeat the place, the year and the counts of an earlier row, first line 4, that " +
				"of line 2; leave one out"},
		{"another year", head + "37,-1,10,1,2015\n37,-1,10,1,2016\n", survey.Table{}, 2, ""},
		{"other counts", head + "37,-1,10,1,2015\n37,-1,10,2,2015\n", survey.Table{}, 2, ""},
		{"neighbours", head + "37,-1,10,1,2015\n32.58,0.35,10,1,2015\n32.6,0.35,10,1,2015\n36.68,-3.37,10,1," +
			"2015\n44,-1,10,1,2015\n", survey.Table{Within: []land.Region{kenya}}, 1,
			"filtered: 2 in Uganda, outside of Within, 1 in Tanzania, outside of Within, 1 outside of Within"},
		{"at the border", head + "34.12,0.46,10,1,2015\n", survey.Table{Within: []land.Region{kenya}}, 1, ""},
		{"exchanged in a window of one's own", head + "106,-6,10,1,2015\n-6,106,10,1,2015\n-6,85,10,1,2015\n",
			survey.Table{Window: land.Box{West: 80, South: -12, East: 142, North: 7}}, 1,
			"line 4: longitude and latitude exchanged: longitude -6, latitude 85 is outside of the window, " +
				"exchanged it is inside; exchange them"},
		{"HXL's tags", head + "#geo+lon,#geo+lat,#n,#pos,#date\n37,-1,10,1,2015\n", survey.Table{}, 1,
			"1 rows: 1 used, 0 filtered"},
		{"a row that begins with #", "id,longitude,latitude,examined,positive\n#1,37,-1,10,1\n#2,38,-1,10,1\n",
			survey.Table{}, 2, ""},
		{"NumPy's header", "# longitude,latitude,examined,positive\n37,-1,10,1\n", survey.Table{}, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sites, r, err := scan(c.table, c.text)
			if err != nil || len(sites) != c.used || balance(r) != nil || !strings.Contains(r.String(), c.says) ||
				c.says == "" && len(r.Remarks) > 0 {
				t.Errorf("%v, %v; want %s", r, err, c.says)
			}
		})
	}
}
