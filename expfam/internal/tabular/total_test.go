package tabular

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestTotals: the number alone tells that a first or a last row is the sum of the others, whatever its name is, and the
// rows of a series may grow as they like.
func TestTotals(t *testing.T) {
	for name, c := range map[string]struct {
		rows string // the cells beside the value, and the value
		line int    // of the sum, 0 if there is none
	}{
		"the last":             {"A,31 B,57 C,12 Landet,100", 5},
		"the first":            {"Kingdom,100 A,31 B,57 C,12", 2},
		"without a name":       {"A,31 B,57 C,12 ,100", 5},
		"Greek":                {"A,31 B,57 Σύνολο,88", 4},
		"with a missing value": {"A,31 B,NA C,12 D,7 Landet,50", 6},
		"sums of some as well": {"A,10 B,20 North,30 C,30 D,40 South,70 Land,100", 8},
		"behind a number":      {"1,A,31 2,B,57 3,C,12 4,Landet,100", 5},
		"behind a year":        {"2020,A,31 2020,B,57 2020,C,12 2020,Landet,100", 5},
		"by a code":            {"1,31 2,57 3,12 99,100", 5},
		"a code above":         {"0,100 37001,31 37003,57 37005,12", 2},
		"a year of months":     {"2021-01,31 2021-02,57 2021-03,12 2021,100", 5},
		"no name at all":       {"31 57 12 100", 5},
		"doubling weeks":       {"2021-W01,10 2021-W02,10 2021-W03,20 2021-W04,40", 0},
		"doubling days":        {"1,10 2,10 3,20 4,40", 0},
		"every other year":     {"2010,10 2012,10 2014,20 2016,40", 0},
		"a mean":               {"A,31 B,57 C,12 Landet,33.3", 0},
		"that is named":        {"A,31 B,57 C,12 Mittelwert,33.3", 5},
		"a mean above":         {"Moyenne,33.333 A,31 B,57 C,12", 2},
		"a place of that name": {"A,31 B,57 C,12 Media,47", 0},
		"named with a gap":     {"A,31 B,NA C,12 Total,57", 5},
		"named of rates":       {"Total,.12 A,.1 B,.2 C,.1", 2},
		"named and sorted":     {"A,.12 Total,.22 Z,.31", 3},
		"two, of rates":        {"A,.1 B,.2 Total,.16 C,.3 D,.5 Total,.44", 4},
		"two, with the rates":  {"1,A,.1 2,B,.2 3,Total,.16 4,C,.3 5,D,.5 6,Total,.44", 4},
		"one of each":          {"A,Total,.3 A,m,.2 B,Total,.5 B,m,.7", 0},
		"only totals":          {"2020,Total,.3 2021,Total,.5 2022,Total,.7", 0},
		"Soma in Turkey":       {"Salihli,31 Soma,57 Yunusemre,12", 0},
		"all of each":          {"A,all,31 B,all,57 C,all,12", 0},
		"two, by its words":    {"A,31 B,57 Whole_country,88", 4},
		"two in Spanish":       {"TOTAL_PAÍS,88 A,31 B,57", 2},
		"a country of another": {"A,31 B,57 Country,90", 0},
		"shares":               {"A,.31 B,.57 C,.12 Landet,1", 5},
		"small shares":         {"A,.1 B,.1 C,.1 D,.3", 0},
		"small numbers":        {"A,1 B,1 C,1 D,3", 0},
		"only two":             {"A,31 B,57 C,88", 0},
		"with negative ones":   {"A,31 B,-7 C,12 D,36", 0},
	} {
		var sums Totals
		for i, row := range strings.Fields(c.rows) {
			cells := strings.Split(row, ",")
			v, _, _ := Number(cells[len(cells)-1], ';', 0)
			if cells[len(cells)-1] == "NA" {
				v = math.NaN()
			}
			cells[0] = strings.ReplaceAll(cells[0], "_", " ")
			sums.Add(i+2, cells, len(cells)-1, v)
		}
		err := sums.Check()
		must.Be(t, (err != nil) == (c.line > 0), "%s: %v", name, err)
		if c.line > 0 {
			must.Err(t, err, "line "+string(rune('0'+c.line))+",", "of other lines")
		}
	}
}
