package reconstruct

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Two cells with their own counts: either they are one cell of both counts, or each has its
// counts over its exposure, which the weight changes.
func TestTotalVariationOfTwoCells(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: &operator.Select{Cells: 2}}}
	obs := expfam.Observations{{Stat: 12, Size: 2}, {Stat: 3, Size: 2}}
	for _, c := range []struct {
		weight float64
		want   []float64
	}{
		{0.5, []float64{12 / 2.5, 3 / 1.5}},
		{1, []float64{12. / 3, 3. / 1}},
		{3, []float64{15. / 4, 15. / 4}},
	} {
		for _, shape := range [][2]int{{1, 2}, {2, 1}} {
			v := TotalVariation{Rows: shape[0], Cols: shape[1], Weight: c.weight, Iterations: 20000, Tolerance: 1e-13}
			if got := expfam.Must(v.Estimate(like, obs)); !floats.EqualApprox(got, c.want, 1e-8) {
				t.Errorf("weight %g on %v: %v, want %v", c.weight, shape, got, c.want)
			}
		}
	}
}

// A blur with a background, against a quasi-Newton method for a total variation whose corners
// are rounded by 1e-4, from above and from below.
func TestTotalVariationIsTheMinimum(t *testing.T) {
	const rows, cols, corner = 4, 5, 1e-4
	blur := operator.Offset{Of: &operator.Convolution{Rows: rows, Cols: cols, Kernel: operator.Gaussian{SD: 0.7}},
		By: 0.5}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: blur}}
	obs := make(expfam.Observations, rows*cols)
	for k := range obs {
		obs[k] = expfam.Term{Stat: float64((7*k)%11) + 5*float64(k/10), Size: 1}
	}
	v := TotalVariation{Rows: rows, Cols: cols, Weight: 0.3, Iterations: 20000, Tolerance: 1e-12}
	theta := expfam.Must(v.Estimate(like, obs))
	m := expfam.Must(newEvents(like, obs))
	down, across := make([]float64, len(theta)), make([]float64, len(theta))
	smooth := func(u []float64) (sum float64, gradient []float64) { // of θ = u²
		at, z, ratio, slope := make([]float64, len(u)), make([]float64, len(u)), make([]float64, len(u)),
			make([]float64, len(u))
		for j, x := range u {
			at[j] = x * x
		}
		m.h.MulVec(z, at)
		for k := range z {
			z[k] += m.background[k]
			sum += z[k] - m.counts[k]*math.Log(z[k])
			ratio[k] = 1 - m.counts[k]/z[k]
		}
		m.h.MulTransVec(slope, ratio)
		v.gradient(at, down, across)
		for j := range at {
			length := math.Sqrt(down[j]*down[j] + across[j]*across[j] + corner*corner)
			sum += v.Weight * length
			if j+cols < len(at) {
				slope[j+cols] += v.Weight * down[j] / length
			}
			if (j+1)%cols > 0 {
				slope[j+1] += v.Weight * across[j] / length
			}
			slope[j] -= v.Weight * (down[j] + across[j]) / length
		}
		for j, x := range u {
			slope[j] *= 2 * x
		}
		return sum, slope
	}
	start := make([]float64, len(theta))
	for j := range start {
		start[j] = 2
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(u []float64) float64 { s, _ := smooth(u); return s },
		Grad: func(g, u []float64) { _, s := smooth(u); copy(g, s) },
	}, start, &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 5000}, &optimize.BFGS{})
	must.Need(t, result != nil, "%v", err)
	got := v.objective(m, theta)
	// Each of 20 rounded corners adds at most its radius times the weight.
	if low := result.F - 20*v.Weight*corner; got < low-1e-6 || got > result.F+1e-6 {
		t.Errorf("the objective is %.9g, and its minimum between %.9g and %.9g", got, low, result.F)
	}
	best, weight, err := v.Best(like, obs, theta)
	must.Be(t, err == nil && weight == v.Weight && floats.Distance(best, theta, math.Inf(1)) <= 0,
		"what is closest to the estimate has the weight %g, %v", weight, err)
}

// With one subset OSEM is EM; with more it goes faster at first.
func TestOSEM(t *testing.T) {
	const cells = 40
	blur := operator.Offset{Of: &operator.Convolution{Cols: cells, Kernel: operator.Gaussian{SD: 2}}, By: 1.5}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: blur}}
	x, truth := make([]float64, cells), make([]float64, cells)
	for j := range x {
		if x[j] = 1; j%9 < 3 {
			x[j] = 5
		}
		truth[j] = math.Exp(x[j])
	}
	obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(expfam.Must(like.Theta(x)), nil, 1, 3))))
	em := expfam.Must(counts.RichardsonLucy{Iterations: 12}.Estimate(like, obs))
	one := expfam.Must(OSEM{Iterations: 12, Subset: make([]int, cells)}.Estimate(like, obs))
	must.Be(t, floats.EqualApprox(em, one, 1e-10), "with one subset it is not EM")
	f := expfam.Must(expfam.Must(like.Terms()).Forward(cells))
	likelihood := func(theta []float64) float64 {
		for j, v := range theta {
			x[j] = math.Log(v)
		}
		return f.LogLikSlope(x, obs, make([]float64, cells))
	}
	four := make([]int, cells)
	for k := range four {
		four[k] = k % 4
	}
	of := likelihood(expfam.Must(OSEM{Iterations: 1, Subset: four}.Estimate(like, obs)))
	must.Be(t, of > likelihood(expfam.Must(counts.RichardsonLucy{Iterations: 1}.Estimate(like, obs))),
		"an iteration with four subsets is no further than one of EM")
	_, n, err := OSEM{Iterations: 50}.Best(like, obs, truth)
	_, em50, err2 := counts.RichardsonLucy{Iterations: 400}.Best(like, obs, truth)
	must.Be(t, err == nil && err2 == nil && n < em50,
		"best after %d iterations, EM after %d; %v, %v", n, em50, err, err2)
}

func TestSubsetsAndWeightsAreRefused(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: &operator.Select{Cells: 40}}}
	obs := make(expfam.Observations, 40)
	obs[0] = expfam.Term{Stat: 3, Size: 1}
	gap := make([]int, 40)
	gap[3] = 2
	for _, c := range []struct {
		run interface {
			Estimate(expfam.Likelihood, expfam.Observations) ([]float64, error)
		}
		want string
	}{
		{OSEM{Subset: []int{0}}, "1 entries of Subset"},
		{OSEM{Subset: gap}, "subset 1 of OSEM has no data"},
		{TotalVariation{Rows: 6, Cols: 6}, "on a grid of 6 by 6, and the operator looks at 40 cells"},
		{TotalVariation{Rows: 1, Cols: 40, Weight: -1}, "the weight -1"},
	} {
		must.Refuse(c.run.Estimate(like, obs))(t, c.want)
	}
}
