package gp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Normal data have a posterior in closed form, of the cells and of a blur with an offset. A blur that is none is what
// cells see by themselves.
func TestStationaryIsExactForNormalData(t *testing.T) {
	s, dense := lattice(t, 6, 7)
	obs := make(expfam.Observations, s.Dim())
	for k := range obs {
		if k%5 != 0 {
			obs[k] = observe(t, math.Cos(float64(k)), 0.2)
		}
	}
	blur := operator.Offset{Of: &operator.Convolution{Rows: 6, Cols: 7, Kernel: operator.Gaussian{SD: 1}}, By: 0.2}
	for _, of := range []expfam.Operator{nil, blur} {
		like := expfam.Likelihood{Family: expfam.Normal{}, Operator: of}
		exact := expfam.Must(Exact(dense, like, obs))
		mode, _, _, steps, err := s.mode(t.Context(), expfam.Must(expfam.Must(like.Terms()).Forward(s.Dim())), obs)
		must.Need(t, err == nil && steps <= 2, "%d steps to the top of a parabola, %v", steps, err)
		post := expfam.Must(s.Sample(like, obs, Options{Draws: 1000, Seed: 3, Fresh: true}))
		for j := range obs {
			// A thousand times the residual of the conjugate gradients, and the dense
			// covariance has what was clipped of the spectrum.
			within(t, "mode", mode[j], exact.Mean[j], 1e-7)
		}
		nearDraws(t, post, exact)
	}
	like := expfam.Likelihood{Family: expfam.Normal{}, Operator: &operator.Select{Cells: s.Dim()}}
	through := expfam.Must(s.Sample(like, obs, Options{Draws: 2, Fresh: true}))
	like.Operator = nil
	plain := expfam.Must(s.Sample(like, obs, Options{Draws: 2, Fresh: true}))
	must.Be(t, mat.EqualApprox(through.X, plain.X, 1e-8), "H = I has other draws")
}

// At the mode of sums of intensities x̂ − μ is K times the slope of the log-likelihood.
func TestStationaryModeOfSums(t *testing.T) {
	s, _ := lattice(t, 6, 7)
	areas := &operator.Areas{Labels: make([]int, 42)}
	for j := range areas.Labels {
		areas.Labels[j] = j / 14
	}
	like := expfam.Likelihood{Family: expfam.Poisson{},
		Operator: expfam.SumOf{Operator: operator.Offset{Of: areas, By: 0.5}}}
	obs := expfam.Observations{{Stat: 90, Size: 2}, {Stat: 20, Size: 1}, {Stat: 15, Size: 1}}
	terms := expfam.Must(like.Terms())
	forward := expfam.Must(terms.Forward(s.Dim()))
	x, _, _, _, err := s.mode(t.Context(), forward, obs)
	must.Do(t, err)
	slope, want := make([]float64, len(x)), make([]float64, len(x))
	forward.LogLikSlope(x, obs, slope)
	s.multiply(newTorus(12, 14), slope, want)
	for j, v := range want {
		// Steps end where entries of K⁻¹(x̂ − μ), up to 3, change by less than 1e-5.
		within(t, "x̂ − μ", x[j]-0.3, v, 1e-3)
	}
}

func TestStationaryRefusesOperators(t *testing.T) {
	s, _ := lattice(t, 6, 7)
	one := expfam.Likelihood{Family: expfam.Normal{}, Operator: &operator.Select{Cells: 42, Keep: []int{3}}}
	_, dense := lattice(t, 6, 7)
	must.Refuse(Exact(dense, one, expfam.Observations{{Stat: math.NaN()}}))(t, "datum 0 has statistic NaN")
	for _, c := range []struct {
		op   expfam.Operator
		data int
		want string
	}{
		{&operator.Select{Cells: 41}, 41, "looks at 41 cells, and the prior has 42"},
		{&operator.Select{Cells: 42, Keep: []int{3, 4}}, 42, "42 observations and 2 data"},
	} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: c.op}
		must.Refuse(s.Sample(like, make(expfam.Observations, c.data), Options{}))(t, c.want)
	}
}
