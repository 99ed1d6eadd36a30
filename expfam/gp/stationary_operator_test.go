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
		post := expfam.Must(s.Sample(like, obs, Options{Draws: 1000, Seed: 3, Fresh: true}))
		nearDraws(t, post, exact)
	}
	like := expfam.Likelihood{Family: expfam.Normal{}, Operator: &operator.Select{Cells: s.Dim()}}
	through := expfam.Must(s.Sample(like, obs, Options{Draws: 2, Fresh: true}))
	like.Operator = nil
	plain := expfam.Must(s.Sample(like, obs, Options{Draws: 2, Fresh: true}))
	must.Be(t, mat.EqualApprox(through.X, plain.X, 1e-8), "H = I has other draws")
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
		{&operator.Select{Cells: 42, Keep: []int{3, 4}}, 42, "42 observations of 2 data"},
	} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: c.op}
		must.Refuse(s.Sample(like, make(expfam.Observations, c.data), Options{}))(t, c.want)
	}
}
