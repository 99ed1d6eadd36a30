package survey

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// TestPlaces: a layer of points is read like a table of the same numbers, with the same refusals.
func TestPlaces(t *testing.T) {
	site := func(lon, lat float64, properties map[string]any) land.Place {
		return land.Place{Name: "Kisumu", At: land.Position{Lon: lon, Lat: lat}, Properties: properties}
	}
	s := must.Get(Table{}.Places([]land.Place{
		site(34.75, -0.1, map[string]any{"Examined": 120., "Positive": 30., "year": "2019", "lat": -99.,
			"note": "two\nlines"}),
		site(36.5, -1.25, map[string]any{"Examined": 10., "Positive": 30.}),
		site(36.5, -1.25, map[string]any{"Examined": 50., "Positive": 0.}),
	}))(t)
	must.Equal(t, s.Sites, []Site{{34.75, -0.1, 120, 30, 2019, "Kisumu", 2}, {36.5, -1.25, 50, 0, 0, "Kisumu", 4}})
	must.Equal(t, s.Report.Refused, 1, "refused")
	must.Equal(t, s.Report.Refusals[0].Line, 3, "line")
	must.Refuse(Table{}.Places([]land.Place{site(36, -1, map[string]any{"tested": 3.})}))(t, "survey: 1 places: ",
		"no column looks like positive")
	must.Be(t, strings.Contains(s.String(), "2 surveys, 30 positive of 170 examined"), "%v", s)
}
