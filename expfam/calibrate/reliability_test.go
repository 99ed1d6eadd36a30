package calibrate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/internal/must"
)

func normalDraws(draws, cells int) *mat.Dense {
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(draws, cells, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

// The values of scikit-learn 1.5, IsotonicRegression().fit_transform([1,2,3,4,5,6], [.1,.4,.2,.6,.5,.9],
// sample_weight=[1,1,2,1,1,1]), found by hand as well: (0.4 + 2·0.2)/3 and (0.6 + 0.5)/2.
func TestReliabilityIsIsotonic(t *testing.T) {
	f := &calibrate.Forecast{Prob: []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, Events: []float64{1, 4, 4, 6, 5, 9},
		Trials: []float64{10, 10, 20, 10, 10, 10}}
	r := must.Get(f.Reliability(0.9, 1))(t)
	must.Be(t, floats.EqualApprox(r.Y, []float64{0.1, 0.8 / 3, 0.8 / 3, 0.55, 0.55, 0.9}, 1e-12), "curve %v", r.Y)
	d := r.Miscalibration - r.Discrimination + r.Uncertainty - r.Brier
	must.Be(t, math.Abs(d) <= 1e-12, "the parts of the Brier score differ from it by %g", d)
	must.Refuse(f.Reliability(1, 1))(t, "level 1")
	f.Prob[2] = 1.1
	must.Refuse(f.Reliability(0.9, 1))(t, "datum 2 has probability 1.1")
	must.Refuse((&calibrate.Forecast{}).Reliability(0.9, 1))(t, "at least 2 data")
}

// The band holds calibrated forecasts point by point with its level, and not forecasts that are too sure.
func TestConsistencyBand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	make1 := func(sure float64) *calibrate.Forecast {
		f := &calibrate.Forecast{}
		for range 150 {
			z := rng.NormFloat64()
			n := 1 + float64(rng.IntN(5))
			f.Prob, f.Trials = append(f.Prob, 1/(1+math.Exp(-sure*z))), append(f.Trials, n)
			f.Events = append(f.Events, distuv.Binomial{N: n, P: 1 / (1 + math.Exp(-z)), Src: rng}.Rand())
		}
		return f
	}
	right, wrong := 0.0, 0.0
	const times = 20
	for k := range uint64(times) {
		right += must.Get(make1(1).Reliability(0.9, k))(t).Outside() / times
		wrong += must.Get(make1(3).Reliability(0.9, k))(t).Outside() / times
	}
	// Points of one curve move together: their mean over 20 curves has a standard error of about 0.03.
	must.Be(t, math.Abs(right-0.1) <= 0.09 && wrong >= 0.4,
		"outside of the 90%% band: %.3f of calibrated and %.3f of overconfident forecasts", right, wrong)
}

// Forecasts of a posterior are those of its draws, and by leave-one-out those of draws without the datum.
func TestForecasts(t *testing.T) {
	x := normalDraws(400, 12)
	x.Scale(0.3, x)
	like := expfam.Likelihood{Family: expfam.Binomial{Trials: 20}}
	post := &expfam.Posterior{X: x, Likelihood: like}
	y := []float64{3, 12, 9, 10, 15, 6, 11, 8, 13, 7, 10, math.NaN()}
	obs := must.Get(like.Observe1(y...))(t)
	all := must.Get(calibrate.Predicted(post, obs, 1))(t)
	out, left := must.Get2(calibrate.LOO{}.Predicted(post, obs))(t)
	must.Be(t, len(all.Prob) == 11 && len(out.Prob)+left == 11 && all.Prob[1] == post.Mean()[1],
		"%d and %d forecasts", len(all.Prob), len(out.Prob))
	few := all.By(func(c int) bool { return c < 5 })
	must.Be(t, len(few.Prob) == 5 && few.Replicates.At(7, 4) == all.Replicates.At(7, 4),
		"a group of forecasts is not that of its data")
	must.Get(few.Reliability(0.9, 1))(t)
	for _, family := range []expfam.Family{expfam.Poisson{}, expfam.NegativeBinomial{Successes: 30}} {
		counts := &expfam.Posterior{X: x, Likelihood: expfam.Likelihood{Family: family}}
		must.Refuse(calibrate.Predicted(counts, must.Get(counts.Likelihood.Observe1(y...))(t), 1))(t,
			"posterior of proportions")
	}
}

// Cells are independent here, so what is left of a cell without its datum is the prior, Beta(4, 4) with mean 0.5.
func TestForecastsWithoutTheDatum(t *testing.T) {
	const draws, trials = 4000, 2
	rng := rand.New(rand.NewPCG(7, 8))
	y := []float64{0, 1, 2, 0, 2}
	x := mat.NewDense(draws, len(y), nil)
	for j, k := range y {
		for i := range draws {
			theta := distuv.Beta{Alpha: 4 + k, Beta: 4 + trials - k, Src: rng}.Rand()
			x.Set(i, j, math.Log(theta/(1-theta)))
		}
	}
	like := expfam.Likelihood{Family: expfam.Binomial{Trials: trials}}
	post := &expfam.Posterior{X: x, Likelihood: like}
	out, left := must.Get2(calibrate.LOO{}.Predicted(post, must.Get(like.Observe1(y...))(t)))(t)
	must.Be(t, left == 0 && len(out.Prob) == len(y), "%d forecasts, %d left out", len(out.Prob), left)
	for j, p := range out.Prob {
		// Weighted means of 4000 draws of sd 0.17 have a standard error of about 0.004.
		must.Be(t, math.Abs(p-0.5) <= 0.02, "cell %d with %g of 2: predicted %.3f without it, want 0.5", j, y[j], p)
	}
}

// Numbers in bins add up to the data, and the expected ones are those of the replicates.
func TestRootogram(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	x := mat.NewDense(500, 200, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = math.Log(4)
	}
	y := make([]float64, 200)
	rng := rand.New(rand.NewPCG(1, 9))
	for j := range y {
		y[j] = distuv.Poisson{Lambda: 4, Src: rng}.Rand()
	}
	obs := must.Get(like.Observe1(y...))(t)
	reps := must.Get(calibrate.Replicated(&expfam.Posterior{X: x, Likelihood: like}, obs, 1))(t)
	r := must.Get(reps.Rootogram(0, 0.95))(t)
	if s := floats.Sum(r.Observed); s != 200 || r.Width != 1 || math.Abs(floats.Sum(r.Expected)-200) > 1e-9 {
		t.Errorf("%g observed and %g expected in bins of %g", s, floats.Sum(r.Expected), r.Width)
	}
	for k, from := range r.From[:len(r.From)-1] {
		want := 200 * distuv.Poisson{Lambda: 4}.Prob(from)
		// 500 replicates of a binomial number of 200
		if se := math.Sqrt(want / 500); math.Abs(r.Expected[k]-want) > 5*se+0.01 {
			t.Errorf("count %g: %.2f expected; the Poisson distribution has %.2f", from, r.Expected[k], want)
		}
	}
	wide := must.Get(reps.Rootogram(4, 0.95))(t)
	must.Be(t, len(wide.From) <= 4 && floats.Sum(wide.Observed) == 200, "4 bins: %v, %v", wide.From, wide.Observed)
	g := reps.By(func(c int) bool { return c%2 == 0 })
	must.Be(t, len(g.Observed) == 100 && g.Draws.At(3, 1) == reps.Draws.At(3, 2), "a group is not that of its data")
	must.Refuse(calibrate.Replicates{}.Rootogram(0, 0.95))(t, "no data")
}
