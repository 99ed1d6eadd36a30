package counts_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/internal/must"
)

// Expected cases are shares of all cases by people; a district without a count gets its share and does not count.
func TestExpected(t *testing.T) {
	got := must.Get(counts.Expected([]float64{1, 3, math.NaN()}, []float64{100, 300, 50}))(t)
	must.Be(t, got[0] == 1 && got[1] == 3 && got[2] == 0.5, "expected %v, want 1, 3, 0.5", got)
	must.Refuse(counts.Expected([]float64{1}, []float64{0}))(t, "district 0 has 1 cases among 0")
	must.Refuse(counts.Expected([]float64{0, 0}, []float64{1, 2}))(t, "relative to none")
	must.Refuse(counts.Expected([]float64{1}, nil))(t, "1 cases and 0 numbers")
}
