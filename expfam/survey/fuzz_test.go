package survey_test

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// FuzzRead: whatever the bytes, there is an error or every row is accounted for,
// what is used is possible, and what is printed is bounded.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"",
		header,
		header + "8,9,10,1\n",
		header + "8,9,10,11\n-1,37,10,1\n0,0,1,1\n,,,\n\n8,9\n",
		"\ufefflon;lat;tested;positive;year\r\n8,5;9,25;10,0;1;1998\r\n",
		"sep=;\nlon;lat;examined;positive;;\n8;9;10;1;;\n",
		"Long\tLat\tYY\tEx\tPf\tLoAge\tUpAge\n37\t-1\t1998\t60\t20\t2\t10\n",
		"latitude,longitude,examined,pf_pos,citation,site_name\n9,8,10,1,\"<b>A\n\nB</b>, \"\"C\"\"\",\"<i>x</i>\n " +
			"\"\n",
		header + "8,\"9,10,1\n8,9,10,1\n",
		header + "8,9,10,\"1\"2\n8,9,10,1\n",
		header + "NaN,Inf,0x10,1_0\n1e3,−1,1e300,.\n",
		"lon,lat,lat,examined,positive\n1,2,2,3,1\n",
		"\xff\xfel\x00", "PK\x03\x04", "<html>", "a\rb",
	} {
		f.Add(text, uint8(0), false)
		f.Add(text, uint8(1), true)
	}
	tables := []survey.Table{{}, {Columns: survey.Snow, Years: survey.Range{Low: 1980, High: 2020}},
		{Columns: survey.MalariaAtlas, Window: land.World, Refusals: 3},
		{Comma: ';', Ages: survey.Range{Low: 2, High: 10}}}
	m := must.Get(land.Frame{Rows: 16}.Map())(f)
	f.Fuzz(func(t *testing.T, text string, kind uint8, lazy bool) {
		table := tables[int(kind)%len(tables)]
		table.LazyQuotes = lazy
		cells := must.Get(survey.NewCells(m))(t)
		used := 0
		r, err := table.Scan(strings.NewReader(text), func(s survey.Site) {
			used++
			cells.Add(s)
			must.Be(t, s.Positive >= 0 && s.Positive <= s.Examined && s.Examined >= 1 &&
				land.World.Contains(s.Place()) && len(s.Name) <= 480 && s.Line >= 2,
				"used: %+v", s)
		})
		b := balance(r)
		must.Be(t, b == nil && used == r.Used, "%v; %d sites", b, used)
		b = balance(cells.Report)
		must.Be(t, b == nil && cells.Report.Rows == used, "%v", b)
		must.Be(t, len(r.String()) <= 40_000 && (err == nil || len(err.Error()) <= 4000), "the report is long")
		must.Be(t, err == nil || !strings.ContainsAny(err.Error(), "\n\x1b"),
			"the error has control characters: %q", err)
	})
}
