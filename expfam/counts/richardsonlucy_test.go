package counts

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// blurred is a line of 40 cells behind a blur, with an exposure a datum.
func blurred(background float64) (like expfam.Likelihood, theta, known []float64) {
	const cells = 40
	blur := &operator.Convolution{Cols: cells, Kernel: operator.Gaussian{SD: 2}, Boundary: operator.Zero}
	op := operator.Offset{Of: blur, By: background}
	like = expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: op}}
	for j := range cells {
		theta = append(theta, 12+10*math.Sin(float64(j)/4))
		known = append(known, 1+float64(j%3))
	}
	return like, theta, known
}

// Counts that are what is expected leave the truth as it is.
func TestRichardsonLucyRestsAtNoiselessData(t *testing.T) {
	for _, background := range []float64{0, 1.5} {
		like, theta, known := blurred(background)
		x := make([]float64, len(theta))
		for j, v := range theta {
			x[j] = math.Log(v)
		}
		obs := make(expfam.Observations, len(theta))
		for k, mean := range expfam.Must(like.Theta(x)) {
			obs[k] = expfam.Term{Stat: known[k] * mean, Size: known[k]}
		}
		got := expfam.Must(RichardsonLucy{Iterations: 50, Start: theta}.Estimate(like, obs))
		must.Be(t, floats.EqualApprox(got, theta, 1e-12), "background %g: the truth moves to %v", background, got)
	}
}

// EM never lowers the likelihood, and without a background expected counts add up to counts.
func TestRichardsonLucyClimbs(t *testing.T) {
	for _, background := range []float64{0, 1.5} {
		like, theta, known := blurred(background)
		x := make([]float64, len(theta))
		for j, v := range theta {
			x[j] = math.Log(v)
		}
		data := expfam.Must(like.Simulate(expfam.Must(like.Theta(x)), known, 1, 3))
		obs := expfam.Must(like.Observe(data))
		forward := expfam.Must(expfam.Must(like.Terms()).Forward(len(x)))
		last, slope := math.Inf(-1), make([]float64, len(x))
		watch := func(i int, theta []float64) bool {
			for j, v := range theta {
				x[j] = math.Log(v)
			}
			at := forward.LogLikSlope(x, obs, slope)
			must.Be(t, at >= last-1e-9,
				"background %g, iteration %d: the log-likelihood falls from %.12g to %.12g", background, i, last, at)
			last = at
			expected := floats.Dot(obs.Sizes(), expfam.Must(like.Theta(x)))
			if want := floats.Sum(obs.Stats()); background == 0 && math.Abs(expected-want) > 1e-9*want {
				t.Errorf("iteration %d: %.12g counts are expected, and %.12g were counted", i, expected, want)
			}
			return true
		}
		expfam.Must(RichardsonLucy{Iterations: 400, Watch: watch}.Estimate(like, obs))
		best, n, err := RichardsonLucy{Iterations: 400}.Best(like, obs, theta)
		must.Need(t, err == nil && n >= 2 && n <= 399, "best after %d iterations: %v", n, err)
		for _, other := range []int{n - 1, n + 1} {
			at := expfam.Must(RichardsonLucy{Iterations: other}.Estimate(like, obs))
			must.Be(t, floats.Distance(at, theta, 2) >= floats.Distance(best, theta, 2),
				"%d iterations are better than the best, %d", other, n)
		}
		at := expfam.Must(RichardsonLucy{Iterations: n}.Estimate(like, obs))
		must.Be(t, floats.Equal(at, best), "the best is not what %d iterations give", n)
	}
}

func TestRichardsonLucyRefuses(t *testing.T) {
	like, theta, _ := blurred(0)
	obs := make(expfam.Observations, len(theta))
	some := append(expfam.Observations{{Stat: 3, Size: 1}}, obs[1:]...)
	plain := expfam.Likelihood{Family: expfam.Poisson{}, Operator: &operator.Select{Cells: 40}}
	normal := expfam.Likelihood{Family: expfam.Normal{}, Operator: plain.Operator}
	for _, c := range []struct {
		r    RichardsonLucy
		like expfam.Likelihood
		obs  expfam.Observations
		want string
	}{
		{RichardsonLucy{}, normal, some, "is for Poisson counts"},
		{RichardsonLucy{}, plain, some, "give the likelihood the operator expfam.SumOf"},
		{RichardsonLucy{}, expfam.Likelihood{Family: expfam.Poisson{},
			Operator: expfam.SumOf{Operator: &operator.Select{Cells: 40, Keep: []int{40}}}}, some,
			"datum 0 is cell 40 of 40"},
		{RichardsonLucy{}, like, some[1:], "39 observations and an operator of 40 data"},
		{RichardsonLucy{}, like, obs, "give data with at least one event"},
		{RichardsonLucy{Iterations: -1}, like, some, "-1 iterations"},
		{RichardsonLucy{Start: make([]float64, 40)}, like, some, "starts at 0 in cell 0"},
		{RichardsonLucy{Start: theta[1:]}, like, some, "starts at 39 cells, and the operator looks at 40"},
	} {
		must.Refuse(c.r.Estimate(c.like, c.obs))(t, c.want)
	}
	unknown := append([]float64{math.NaN()}, theta[1:]...)
	must.Refuse2((RichardsonLucy{}).Best(like, some, unknown))(t, "truth of cell 0 is NaN")
	must.Refuse2((RichardsonLucy{}).Best(like, some, theta[1:]))(t, "the truth has 39 cells")
}
