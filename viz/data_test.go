package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// reduced are data as expfam.Observations are.
type reduced struct{ stats, sizes []float64 }

func (r reduced) Stats() []float64 { return r.stats }
func (r reduced) Sizes() []float64 { return r.sizes }
func (r reduced) Missing() []bool {
	out := make([]bool, len(r.sizes))
	for j, n := range r.sizes {
		out[j] = n == 0
	}
	return out
}

// told is a field that describes itself.
type told struct{ Rows }

func (told) String() string { return "a <field>\nof two lines" }

// coastal is a field with the sea around it.
type coastal struct{ Rows }

func (coastal) NotMapped() []bool { return []bool{true, false, false, false} }
func (coastal) Unseen() string    { return "no survey" }
func (coastal) Quantity() string  { return "Prevalence" }

type column []float64

// An infinite value makes the mean infinite, and two of both signs leave none.
func TestDescribe(t *testing.T) {
	inf := math.Inf(1)
	for want, values := range map[string][]float64{
		"3 values, mean +Inf, 1 to +Inf":   {inf, 1, 2},
		"4 values, mean −Inf, −Inf to 3":   {3, -inf, 1, -inf},
		"4 values, mean NaN, −Inf to +Inf": {3, -inf, inf, 1},
		"2 values, mean 2, 1 to 3":         {1, 3},
	} {
		must.Equal(t, must.Get(describe("", values))(t), want)
	}
}

// Data are shown by a figure and a line of text, whose numbers are exact.
func TestData(t *testing.T) {
	long := make([]float64, 40)
	for i := range long {
		long[i] = float64(i % 5)
	}
	long[3] = nan
	for name, c := range map[string]struct {
		of         any
		text, kind string
		parts      []string // of the HTML
	}{
		"a column": {long, "1 of 40 missing, mean 1.974, 0 to 4", "lines",
			[]string{"Left out: 1 missing value."}},
		"a named column": {column{1, 2, nan}, "1 of 3 missing, mean 1.5, 1 to 2", "lines", nil},
		"one number":     {[]float64{7}, "1 value, mean 7, 7 to 7", "lines", nil},
		"a series":       {Rows{{3, nan, 5}}, "1 of 3 missing, mean 4, 3 to 5", "lines", nil},
		"a tall series":  {Rows{{3}, {nan}, {5}}, "1 of 3 missing, mean 4, 3 to 5", "lines", nil},
		"a raster": {Rows{{1, 2}, {nan, 5}}, "1 of 4 missing, mean 2.667, 1 to 5", "map",
			[]string{"Grey: missing."}},
		"a whole raster": {Rows{{1, 2}, {3, 5}}, "4 values, mean 2.75, 1 to 5", "map", nil},
		"a field": {told{Rows{{1, 2}, {3, 5}}}, "a <field>\nof two lines", "map",
			[]string{"a &lt;field&gt;<br>of two lines"}},
		"surveys": {coastal{Rows{{1, 2}, {nan, 5}}}, "1 of 4 missing, mean 2.667, 1 to 5", "map",
			[]string{"Grey: no survey."}},
		"trials": {reduced{[]float64{1, 0, 3}, []float64{10, 0, 5}},
			"1 of 3 missing, mean 0.35, 0.1 to 0.6; 4 of 15 in all, 0.2667", "lines",
			[]string{`cell 2: 0.6\n3 of 5`, "a proportion of trials"}},
		"counts": {reduced{[]float64{1, 4}, []float64{1, 1}}, "2 values, mean 2.5, 1 to 4", "lines", nil},
	} {
		t.Run(name, func(t *testing.T) {
			fig := must.Get(figure(c.of))(t)
			text, err := fig.Encode(Text)
			must.Be(t, err == nil && strings.HasSuffix(strings.TrimSpace(string(text)), c.text),
				"%q, %v; want %q", text, err, c.text)
			inner, _, _ := fig.(Data).figure()
			words, _ := inner.Encode(Text)
			must.Be(t, strings.HasPrefix(string(words), "["+c.kind+": "), "the figure is %s", words)
			page := must.Get(fig.Encode(HTML))(t)
			for _, part := range c.parts {
				must.Be(t, strings.Contains(string(page), part), "the page has no %q", part)
			}
			for _, format := range []Format{SVG, PNG, PDF} {
				must.Get(fig.Encode(format))(t, format)
			}
		})
	}
	for want, of := range map[string]any{
		"data: no values; there is nothing to show":                         []float64{},
		"data: all 2 values are missing; there is nothing to draw":          []float64{nan, nan},
		"data: all 1 values are missing; there is nothing to draw":          Rows{{nan}},
		"data: column 1, row 1 is +Inf; values must be finite, or NaN wher": Rows{{1, inf}, {1, 2}},
		"data: 1 sums, 2 sizes and 2 marks of missing cells; give one of e": reduced{[]float64{1}, []float64{1, 2}},
	} {
		err := Display(of)
		must.Be(t, err != nil && strings.HasPrefix(err.Error(), want), "got %v, want %s", err, want)
	}
	var none *told
	for _, of := range []any{[]float64{1, 2, 3}, []float64{nan}, Rows{{nan}}, "text", 3, []int{1}, none, nil} {
		must.Be(t, !Look(of), "a figure for %s", fmt.Sprint(of))
	}
}
