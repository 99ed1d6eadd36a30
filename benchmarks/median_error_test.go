package benchmarks

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// TestPredictiveAbsError compares with the median that the beta-binomial's probabilities add up to.
func TestPredictiveAbsError(t *testing.T) {
	const n, theta, rho = 200, 0.1, 0.05
	a, b := theta*(1/rho-1), (1-theta)*(1/rho-1)
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	want, sum := 0.0, 0.0
	for y := 0.0; sum < 0.5; y++ {
		want = y
		sum += math.Exp(lgamma(n+1) - lgamma(y+1) - lgamma(n-y+1) + lgamma(y+a) + lgamma(n-y+b) - lgamma(
			n+a+b) - lgamma(a) - lgamma(b) + lgamma(a+b))
	}
	must.Need(t, want <= 0.9*n*theta, "the median %g is hardly below the mean %g", want, n*theta)
	post := &expfam.Posterior{
		X:          mat.NewDense(200, 2, slices.Repeat([]float64{math.Log(theta / (1 - theta))}, 400)),
		Likelihood: expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: rho}},
	}
	got := must.Get(predictiveAbsError(post, expfam.Observations{{}, {Stat: 3, Size: n}}, nil, 1))(t)
	must.Need(t, len(got) == 1, "%d errors for one cell with data", len(got))
	// Counts have sd 14, the median of 5000 of them 1.25·14/√5000 = 0.25.
	must.Be(t, math.Abs(got[0]-(want-3)) < 4*0.25, "the error %g, want %g", got[0], want-3)
}
