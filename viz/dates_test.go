package viz

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// day returns a date as a position on an axis.
func day(text string) float64 { return Days(must1(time.Parse("2006-01-02 15:04", text)))[0] }

func must1(t time.Time, err error) time.Time {
	if err != nil {
		panic(err)
	}
	return t
}

// Ticks stand where people expect them: at midnights, Mondays, first days of months and years. With the year at the
// first and where it changes.
func TestDateTicks(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
		labels   string
	}{
		{"2024-01-01 00:00", "2024-01-02 00:00", 5, "1 Jan 2024|06:00|12:00|18:00|2 Jan"},
		{"2023-12-28 00:00", "2024-01-04 00:00", 8, "28 Dec 2023|29 Dec|30 Dec|31 Dec|1 Jan 2024|2 Jan|3 Jan|4 Jan"},
		{"2023-12-24 00:00", "2024-01-16 00:00", 5, "25 Dec 2023|1 Jan 2024|8 Jan|15 Jan"}, // Mondays
		{"2023-10-02 00:00", "2024-06-24 00:00", 9, "Nov 2023|Dec|Jan 2024|Feb|Mar|Apr|May|Jun"},
		{"2021-01-04 00:00", "2023-12-25 00:00", 8, "Jul 2021|Jan 2022|Jul|Jan 2023|Jul"},
		{"2001-01-01 00:00", "2008-12-29 00:00", 8, "2001|2002|2003|2004|2005|2006|2007|2008"},
		{"1850-01-01 00:00", "2024-01-01 00:00", 8, "1850|1900|1950|2000"},
		{"2024-03-01 10:00", "2024-03-01 10:20", 5, "1 Mar 10:00|10:05|10:10|10:15|10:20"},
		{"2024-03-01 10:00", "2024-03-01 10:01", 5, "1 Mar 10:00:00|10:00:15|10:00:30|10:00:45|10:01:00"},
		{"0003-01-01 00:00", "9999-12-31 00:00", 5, "1000|2000|3000|4000|5000|6000|7000|8000|9000"},
	} {
		var labels []string
		ticks := dateTicks(day(c.from), day(c.to), c.want)
		for _, k := range ticks {
			labels = append(labels, k.Label)
			must.Be(t, k.Value >= day(c.from)-1e-6 && k.Value <= day(c.to)+1e-6, "%s is beyond %s to %s", k.Label,
				c.from,
				c.to)
		}
		if got := strings.Join(labels, "|"); got != c.labels {
			t.Errorf("%s to %s: %s; want %s", c.from, c.to, got, c.labels)
		}
	}
}

// The day of a time is that of the clock where it was taken, whatever the zone; summer time moves no midnight.
func TestDays(t *testing.T) {
	berlin := time.FixedZone("CEST", 2*3600)
	got := Days(time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(1970, 1, 2, 0, 0, 0, 0, berlin),
		time.Date(1969, 12, 31, 12, 0, 0, 0, time.UTC))
	must.Be(t, got[0] == 1 && got[1] == 1 && got[2] == -0.5, "days %v, want 1, 1, −0.5", got)
	must.Be(t, math.IsNaN(Days(time.Time{})[0]), "the zero time is %v", Days(time.Time{}))
	must.Equal(t, dateText(got[2]), "1969-12-31 12:00", "noon")
	must.Equal(t, dateText(1), "1970-01-02", "a midnight")
	must.Equal(t, dateText(1+61./86400), "1970-01-02 00:01:01", "a second")
	seconds := dateTicks(1+10./86400, 1+40./86400, 8)
	must.Be(t, len(seconds) == 7 && seconds[6].Label == "00:00:40", "half a minute has the ticks %v", seconds)
}

// Dates are ticks of the picture, tips, and a time axis of the live figure, also of intervals.
func TestDateAxes(t *testing.T) {
	x := []float64{day("2024-01-01 00:00"), day("2024-01-08 00:00"), day("2024-01-15 00:00")}
	for name, fig := range map[string]Figure{
		"lines":     Lines{Lines: []Line{{Name: "cases", X: x, Y: []float64{1, 3, 2}}}, Dates: true},
		"intervals": Intervals{Draws: threeDraws(3), X: x, Dates: true},
	} {
		c := must.Get(fig.(interface{ Chart() (*Chart, error) }).Chart())(t)
		d := must.Get(c.layout())(t)
		must.Be(t, strings.HasSuffix(d.xticks[0].Label, " Jan 2024"), "%s: the first tick is %q", name,
			d.xticks[0].Label)
		live := string(must.Get(d.option())(t))
		must.Be(t, strings.Contains(live, `"type":"time"`) && strings.Contains(live, `1704672000000`) &&
			strings.Contains(live, `"useUTC":true`), "%s: %s", name, live)
		tips := ""
		for _, m := range d.marks {
			for _, k := range m.tips() {
				tips += k.text
			}
		}
		must.Be(t, strings.Contains(tips, "2024-01-08"), "%s: tips %q", name, tips)
	}
	must.Refuse(Lines{Lines: []Line{{X: []float64{1, 2}, Y: []float64{1, 2}}}, Dates: true, LogX: true}.Encode(SVG))(t,
		"not logarithmic")
	must.Refuse(Lines{Lines: []Line{{X: []float64{1, 1e9}, Y: []float64{1, 2}}}, Dates: true}.Encode(SVG))(t,
		"years 1 to 9999")
	must.Refuse(Lines{Lines: []Line{{X: []float64{math.Inf(1), 1}, Y: []float64{1, 2}}}, Dates: true}.Encode(SVG))(t,
		"no place")
}
