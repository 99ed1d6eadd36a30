package calibrate

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// The scores of fifty draws of three cells are those of the single functions; a cell without data has none.
func TestScoreHeldOut(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.05}, Link: expfam.SigmoidLink}
	x := mat.NewDense(50, 3, nil)
	rng := expfam.Stream(1, "test/heldout")
	for i := range 50 {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	post := &expfam.Posterior{X: x, Likelihood: like, Info: expfam.Info{Seconds: 2}}
	held := expfam.Observations{{Stat: 3, Size: 10}, {}, {Stat: 5, Size: 8}}
	got := must.Get(ScoreHeldOut(post, held))(t)
	cells, rates := []int{0, 2}, []float64{0.3, 0, 0.625}
	want := HeldOut{
		Median:   expfam.Must(AbsError(post.Median(), rates, cells)).Mean(),
		Mean:     expfam.Must(AbsError(post.Mean(), rates, cells)).Mean(),
		Log:      expfam.Must(LogScore(post, held, nil)).Mean(),
		CRPS:     expfam.Must(PredictiveCRPS(post, held, nil, 1)).Mean(),
		Coverage: expfam.Must(Coverage{}.Predictive(post, held)).Mean(),
		Seconds:  2,
	}
	must.Be(t, got == want, "got %+v, want %+v", got, want)
	row := got.Row()
	must.Be(t, len(row) == 6 && row[0] == got.Median && row[5] == 2.0, "row %v", row)
	// The rate of a negative binomial is no estimate of its θ.
	post.Likelihood = expfam.Likelihood{Family: expfam.NegativeBinomial{}}
	must.Refuse(ScoreHeldOut(post, held))(t)
	must.Refuse(ScoreHeldOut(nil, held))(t, "the posterior is nil")
}
