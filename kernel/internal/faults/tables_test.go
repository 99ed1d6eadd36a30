package faults

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
)

// tables are surveys as people send them.
func tables() format {
	text := new(strings.Builder)
	fmt.Fprintln(text, "longitude,latitude,examined,positive,year,age_low,age_high,site_name")
	for i := range 30 {
		fmt.Fprintf(text, "%.4f,%.4f,%d,%d,%d,2,10,\"Site %d, north\"\n", 8+math.Sin(float64(i)),
			9+math.Cos(float64(i)), 20+i, i, 1990+i, i)
	}
	semicolons := "lon;lat;tested;positive;year\r\n8,5;9,25;10,0;1;1998\r\n7,5;9,5;22;20;1999\r\n"
	atlas := "Long\tLat\tYY\tEx\tPf\tLoAge\tUpAge\n37\t-1\t1998\t60\t20\t2\t10\n36.5\t-1.5\t1999\t50\t2\t2\t10\n"
	read := func(path string) (string, error) {
		s, err := survey.Table{}.Read(path)
		if err != nil {
			return "", refused(err)
		}
		r := s.Report
		if r.Rows != r.Used+r.FilteredRows()+r.Refused {
			return "", wrong("rows are lost: %v", r)
		}
		if len(s.Sites) != r.Used {
			return "", wrong("%d sites of %d", len(s.Sites), r.Used)
		}
		for _, p := range s.Sites {
			if !(p.Positive >= 0 && p.Positive <= p.Examined && p.Examined >= 1) || !land.World.Contains(p.Place()) {
				return "", wrong("a site %+v", p)
			}
		}
		return fmt.Sprint(s.Sites), nil
	}
	return format{name: "table", files: [][]byte{[]byte(text.String()), []byte(semicolons), []byte(atlas)}, read: read,
		ending: ".csv", bytes: 64 << 20}
}

func TestTables(t *testing.T) {
	a := newArea("survey tables")
	testFormat(t, a, tables(), cases(100, 5000))
}
