package expfam_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Three draws of three cells, of which every number is known.
func ExamplePosterior_String() {
	post := &expfam.Posterior{X: mat.NewDense(3, 3, []float64{1, 10, -1, 2, 20, -2, 3, 30, -3}),
		Likelihood: expfam.Likelihood{Family: expfam.Normal{SD: 2}},
		Info:       expfam.Info{Method: "exact", Engine: "go", Seconds: 0.25}}
	fmt.Println(post)
	// Output:
	// 3 independent draws of θ in 3 cells: normal(sd=2) with theta = x
	// exact, on go, 0.25 s
	//      cell   mean    sd   2.5%  median  97.5%
	//         0      2     1   1.05       2   2.95
	//         1     20    10   10.5      20   29.5
	//         2     -2     1  -2.95      -2  -1.05
	//   average  6.667  3.33    3.5   6.667  9.833
}

func TestSummaryOfManyCells(t *testing.T) {
	text := (&expfam.Posterior{X: mat.NewDense(4, 61, nil)}).String()
	if lines := strings.Split(text, "\n"); len(lines) != 2+1+2*5+1+1 || !strings.Contains(text, "…") ||
		!strings.Contains(lines[0], "x₀ in 61 cells") {
		t.Errorf("the summary is\n%s", text)
	}
	named := &expfam.Posterior{X: mat.NewDense(4, 60, nil), Info: expfam.Info{Names: make([]string, 60)}}
	named.Info.Names[40] = "Turkana"
	if text := named.String(); strings.Contains(text, "…") || !strings.Contains(text, "40 Turkana  ") {
		t.Errorf("the summary of 60 cells is\n%s", text)
	}
	must.Equal(t, (*expfam.Posterior)(nil).String(), "no posterior")
}

func TestSummaryOfAGrid(t *testing.T) {
	post := &expfam.Posterior{X: mat.NewDense(2, 6, []float64{1, 2, 3, 4, 5, -6, 1, 2, 3, 9, 5, -6}),
		Info: expfam.Info{Method: "m", Rows: 2, Cols: 3}}
	text := post.String()
	for _, want := range []string{"2 independent draws of x₀ in 2 × 3 cells",
		" lowest mean: row 1, column 2     -6 ", "highest mean: row 1, column 0    6.5 ", "average"} {
		must.Be(t, strings.Contains(text, want), "%q is not in\n%s", want, text)
	}
	post.Info.Cols = 4 // of other draws
	rows, cols := post.Shape()
	must.Be(t, rows == 0 && cols == 0, "6 cells are %d × %d", rows, cols)
}

// What draws are worth is said where it is known.
func TestSummaryEffective(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	for want, info := range map[string]expfam.Info{
		"4 draws of x₀ in 1 cell":             {},
		"4 independent draws of x₀ in 1 cell": {Method: "exact"},
		"4 draws (effectively at least 3) of x₀ in 1 cell": {Method: "hmc",
			Diagnostics: map[string]float64{"ess_bulk": 3.2}},
	} {
		what, _ := (&expfam.Posterior{X: x, Info: info}).Describe()
		must.Be(t, what == want, "%q, want %q", what, want)
	}
}

// Times of minutes are whole seconds.
func TestSummaryOfTimes(t *testing.T) {
	for seconds, want := range map[float64]string{0.0123: "0.012 s", 61.7: "62 s", 99.6: "100 s", 1234.5: "1234 s"} {
		must.Equal(t, expfam.Info{Method: "m", Seconds: seconds}.String(), "m, "+want)
	}
}

// One draw has no interval, and no standard deviation.
func TestSummaryOfOneDraw(t *testing.T) {
	text := (&expfam.Posterior{X: mat.NewDense(1, 2, []float64{3, 5})}).String()
	must.Be(t, !strings.Contains(text, "NaN") && strings.Count(text, "–") == 9 &&
		strings.Contains(text, "average     4   –     –       4      –"),
		"%s", text)
}
