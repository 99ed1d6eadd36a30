package land_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// A property of all regions is a column of numbers, or an error that names the region and what stands there.
func TestNumbers(t *testing.T) {
	regions := func(values ...any) (all []land.Region) {
		for k, v := range values {
			r := land.Region{Name: string(rune('a' + k)), Properties: map[string]any{"people": 5.0}}
			if v != "absent" {
				r.Properties["cases"] = v
			}
			all = append(all, r)
		}
		return all
	}
	got := must.Get(land.Numbers(regions(3.0, 4, int64(5), " 6.5 ", nil, "absent", "NA"), "cases"))(t)
	for k, want := range []float64{3, 4, 5, 6.5, math.NaN(), math.NaN(), math.NaN()} {
		must.Be(t, got[k] == want || math.IsNaN(got[k]) && math.IsNaN(want), "value %d is %g, want %g", k, got[k], want)
	}
	for words, values := range map[string][]any{
		`of region 1, "b", is the text "1,234"`: {1.0, "1,234"},
		"is true, which is no number":           {true},
		"an identifier":                         {json.Number("9007199254740993")},
		"is +Inf":                               {math.Inf(1)},
		"is -9999, by which files mark missing": {1.0, 2.0, 3.0, -9999.0},
	} {
		must.Refuse(land.Numbers(regions(values...), "cases"))(t, words)
	}
	must.Refuse(land.Numbers(regions(1.0), "case"))(t, `the nearest names are "cases"`)
	accents := []land.Region{{Properties: map[string]any{"me\u0301nages": 3.0}}}
	must.Equal(t, must.Get(land.Numbers(accents, "m\u00e9nages"))(t), []float64{3}, "an accent as a mark")
}
