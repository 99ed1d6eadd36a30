package expfam_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
)

// Three draws of three cells, of which every number is known.
func ExamplePosterior_String() {
	post := &Posterior{X: mat.NewDense(3, 3, []float64{1, 10, -1, 2, 20, -2, 3, 30, -3}),
		Likelihood: Likelihood{Family: Normal{SD: 2}},
		Info:       Info{Method: "exact", Engine: "go", Seconds: 0.25}}
	fmt.Println(post)
	// Output:
	// 3 draws of θ in 3 cells: normal(sd=2) with theta = x
	// exact, on go, 0.25 s
	//      cell   mean    sd   2.5%  median  97.5%
	//         0      2     1   1.05       2   2.95
	//         1     20    10   10.5      20   29.5
	//         2     -2     1  -2.95      -2  -1.05
	//   average  6.667  3.33    3.5   6.667  9.833
}

func TestSummaryOfManyCells(t *testing.T) {
	text := (&Posterior{X: mat.NewDense(4, 40, nil)}).String()
	if lines := strings.Split(text, "\n"); len(lines) != 2+1+2*5+1+1 || !strings.Contains(text, "…") || !strings.Contains(lines[0], "x₀ in 40 cells") {
		t.Errorf("the summary is\n%s", text)
	}
	if got := (*Posterior)(nil).String(); got != "no posterior" {
		t.Error(got)
	}
}
