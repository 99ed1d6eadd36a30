package viz

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// shifted are the draws of threeDraws and by more.
func shifted(cells int, by float64) *mat.Dense {
	x := threeDraws(cells)
	x.Apply(func(_, _ int, v float64) float64 { return v + by }, x)
	return x
}

func TestComparison(t *testing.T) {
	for _, c := range []struct {
		name       string
		cells      int
		rows, cols int
		kind, text string
	}{
		{"one cell", 1, 0, 0, "density", "in cell 0, by 2 standard deviations"},
		{"few cells", 4, 0, 0, "intervals", "by 2 standard deviations"},
		{"a line", 70, 0, 0, "lines", "… 61 more rows"},
		{"a grid", 6, 2, 3, "maps", "largest difference: row 0, column 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := drawn{threeDraws(c.cells), c.rows, c.cols}, drawn{shifted(c.cells, 2), c.rows, c.cols}
			v := Compare(a, b)
			cells := must.Get(v.read())(t)
			fig := must.Get(v.picture(cells))(t)
			if text, _ := fig.Encode(Text); !strings.HasPrefix(string(text), "["+c.kind+": ") {
				t.Errorf("the figure is %s, want %s", text, c.kind)
			}
			text, err := v.Encode(Text)
			must.Be(t, err == nil && strings.Contains(string(text), c.text) &&
				strings.HasPrefix(string(text), "first: 3 draws <of θ>; by hand\nsecond: 3 draws"),
				"%v, text without %q:\n%s", err, c.text, text)
			for _, f := range []Format{SVG, PNG, PDF, HTML, CSV} {
				out, err := v.Encode(f)
				must.Be(t, err == nil && len(out) != 0, "%s: %d bytes, %v", f, len(out), err)
			}
		})
	}
}

// Names are in the order of the posteriors; a comparison that was made before keeps its own.
func TestComparisonNamed(t *testing.T) {
	three := []Posterior{drawn{threeDraws(2), 0, 0}, drawn{shifted(2, 1), 0, 0}, drawn{shifted(2, 2), 0, 0}}
	v := Compare(three...)
	csv := must.Get(v.Named("exp", "softplus", "square").Encode(CSV))(t)
	header, _, _ := strings.Cut(string(csv), "\n")
	for _, want := range []string{"\"mean, exp\"", "\"mean, softplus\"", "\"mean, square\""} {
		must.Be(t, strings.Contains(header, want), "no %s in %s", want, header)
	}
	must.Be(t, v.Methods[0].Name != "exp", "a name was put into the comparison that it was made of")
}

// Means 1 and 3, deviations 1: the difference is 2, and as many standard deviations.
func TestComparisonNumbers(t *testing.T) {
	v := Comparison{Methods: []Method{{Name: "a", Draws: threeDraws(2)}, {Name: "b", Draws: shifted(2, 2)}}}
	csv, err := v.Encode(CSV)
	want := "cell,\"mean, a\",\"sd, a\",\"mean, b\",\"sd, b\",difference,in " +
		"sd\n0,1,1,3,1,2,2\n1,2,1,4,1,2,2\naverage,1.5,1,3.5,1,2,2\n"
	got := string(csv)
	must.Be(t, err == nil && got == want, "%v\n%swant\n%s", err, got, want)
	same := mat.NewDense(2, 1, []float64{1, 1}) // no spread: a dash
	equal := Comparison{Methods: []Method{{Draws: same}, {Draws: same}}}
	must.Get(equal.Encode(SVG))(t, "no density")
	csv, err = equal.Encode(CSV)
	got = string(csv)
	must.Be(t, err == nil && strings.HasSuffix(got, "\n0,1,0,1,0,0,\n"), "%v\n%s", err, got)
	three, err := Comparison{Methods: []Method{{Draws: threeDraws(2)}, {Draws: threeDraws(2)},
		{Draws: threeDraws(2)}}}.Encode(CSV)
	must.Be(t, err == nil && strings.HasPrefix(string(three), "cell,\"mean, method 1\"") &&
		!strings.Contains(string(three), "difference"),
		"%v\n%s", err, three)
}

func TestComparisonRefuses(t *testing.T) {
	d := threeDraws(2)
	for name, c := range map[string]struct {
		of   Comparison
		says string
	}{
		"one":      {Comparison{Methods: []Method{{Draws: d}}}, "1 posteriors; give at least two"},
		"no draws": {Comparison{Methods: []Method{{Draws: d}, {Name: "b"}}}, `"b" has no draws`},
		"other cells": {Comparison{Methods: []Method{{Name: "a", Draws: d}, {Name: "b", Draws: threeDraws(3)}}},
			`"b" has 3 cells and "a" 2; compare posteriors of the same cells`},
		"other truth": {Comparison{Methods: []Method{{Draws: d}, {Draws: d}}, Truth: []float64{1}},
			"truth has 1 values for 2 cells"},
		"other blanks": {Comparison{Methods: []Method{{Draws: d}, {Draws: d}}, Blank: []bool{true}},
			"1 cells of Blank for 2 cells"},
		"another field": {Comparison{Methods: []Method{{Draws: d}, {Draws: d}}, On: upward{}},
			"draws of 2 cells on a field of 2 rows and 2 columns"},
		"nil posteriors": {Compare(nil, nil), `"first" has no draws`},
		"nil pointers":   {Compare((*drawn)(nil), (*drawn)(nil)), `"first" has no draws`},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(c.of.Encode(SVG))(t, c.says) })
	}
}
