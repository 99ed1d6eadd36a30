package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// Draws of the exact posterior score as they must: the mean of n of them misses by 1 + 1/n of the exact mean's error,
// and sets and intervals hold what they should.
func TestExactDrawsScore(t *testing.T) {
	p := must.Get(New(Gauss{}, Whole))(t)
	const signals, draws = 150, 50
	var scores []Score
	for k := range signals {
		s := p.Test(k)
		// independent, as the scales are constant
		truth := must.Get(Gibbs{Burn: 1, Sweeps: draws, Seed: uint64(k)}.Sample(p, s.Y))(t)
		scores = append(scores, p.Score(truth.Draws, s, truth))
	}
	s := Summarise(scores)
	if want := 10 * math.Log10(1+1.0/draws); math.Abs(s.Gap.Value-want) > 4*s.Gap.Error {
		t.Errorf("the gap is %.3f ± %.3f dB, want %.3f", s.Gap.Value, s.Gap.Error, want)
	}
	// Of 50 draws and the signal in any order, the signal is above the interpolated 0.1 quantile in 0.886, and between
	// the quantiles 0.05 and 0.95 in 0.87 of cases.
	if math.Abs(s.Inside.Value-0.886) > 4*0.026 { // √(0.886·0.114/150)
		t.Errorf("the set of highest density holds %.3f of the signals", s.Inside.Value)
	}
	must.Be(t, math.Abs(s.Covered.Value-0.87) <= 4*s.Covered.Error,
		"intervals hold %.3f ± %.3f of the cells", s.Covered.Value, s.Covered.Error)
	must.Be(t, math.Abs(s.Width.Value-1) <= 1e-9 && s.Distance.Value <= 1e-9,
		"draws that are the truth's have the width %g and the distance %g", s.Width.Value, s.Distance.Value)
}

func TestSummary(t *testing.T) {
	s := Summarise([]Score{{Error: 2, Exact: 1, Inside: true}, {Error: 4, Exact: 2}, {Lost: "diverged"}})
	must.Be(t, math.Abs(s.Gap.Value-10*math.Log10(2)) <= 1e-12 && s.Gap.Error <= 1e-12 && s.Inside.Value == 0.5 &&
		s.Signals == 3 && s.Lost == 1,
		"summary %+v", s)
	// A spread of twice the size has twice the width.
	p := small(Gauss{}, mat.NewDense(1, 1, []float64{1}), 1)
	truth := &Truth{Mean: []float64{0}, Draws: mat.NewDense(3, 1, []float64{-1, 0, 1})}
	got := p.Score(mat.NewDense(3, 1, []float64{-2, 0, 2}), Signal{[]float64{3}, []float64{0}}, truth)
	must.Be(t, got.Width == 2 && got.Covered == 0 && !got.Inside && got.Error == 9, "score %+v", got)
}
