package diffusion

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// tiltCases are observations under a likelihood, in the bulk and in the tail of what θ makes of x in [−2, 2]. The
// tolerances are for the default rule in float32 and a fine one in float64, relative to the tilted density's own sd and
// variance. The links saturate differently: y = 0 or n under a sigmoid makes the tilted density flat on one side and
// steep on the other within one s, where a rule of 7 nodes is some per cent off and of 25 one; a Normal is exact up to
// rounding, which y/σ² magnifies tenfold.
var tiltCases = []struct {
	like    expfam.Likelihood
	y       []float64
	single  float64
	precise float64
}{
	{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, []float64{0, 1, 6}, 0.003, 1e-6},
	{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")}, []float64{0, 40, 160, 700}, 0.003,
		1e-6},
	{expfam.Likelihood{Family: expfam.Binomial{Trials: 30}, Link: expfam.MustLink("sigmoid(5*x)")},
		[]float64{3, 15, 27}, 0.03, 1e-4},
	{expfam.Likelihood{Family: expfam.Binomial{Trials: 30}, Link: expfam.MustLink("sigmoid(5*x)")}, []float64{0, 30},
		0.15, 0.02},
	{expfam.Likelihood{Family: expfam.Exponential{}, Link: expfam.MustLink("1/exp(x)")}, []float64{0.05, 1, 8}, 0.003,
		1e-6},
	{expfam.Likelihood{Family: expfam.Normal{SD: 0.3}, Link: expfam.IdentityLink}, []float64{-2, 0.1}, 1e-5, 1e-13},
}

var (
	tiltMeans     = []float64{-1.5, 0, 0.8}
	tiltVariances = []float64{1, 0.1, 1e-3, 1e-6}
)

// exactTilt integrates the tilted density of z = (x − m)/s: the logarithm of its mass, its mean and its variance. The
// composite Gauss–Legendre rule around the mode resolves peaks down to a hundredth of s, the narrowest here being 1/26.
func exactTilt(terms *expfam.Terms, c expfam.Term, m, s float64) (logMass, mean, variance float64) {
	const reach, panels, nodes = 13.0, 500, 6
	low, high := -1e3, 1e3
	for range 60 { // the slope of a log-concave density falls
		if z := (low + high) / 2; s*terms.Slope(m+s*z, c) > z {
			low = z
		} else {
			high = z
		}
	}
	mode := (low + high) / 2
	x, w := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	z, logs := make([]float64, 0, panels*nodes), make([]float64, 0, panels*nodes)
	const width = 2 * reach / panels
	largest := math.Inf(-1)
	for p := range panels {
		for k := range x {
			at := mode - reach + width*(float64(p)+x[k])
			z = append(z, at)
			logs = append(logs, terms.LogLik(m+s*at, c)-at*at/2+math.Log(w[k]*width))
			largest = math.Max(largest, logs[len(logs)-1])
		}
	}
	var mass, first, second float64
	for i, l := range logs {
		logs[i] = math.Exp(l - largest)
		mass += logs[i]
		first += logs[i] * z[i]
	}
	mean = first / mass
	for i, l := range logs {
		second += l * (z[i] - mean) * (z[i] - mean)
	}
	return largest + math.Log(mass) - math.Log(2*math.Pi)/2, mean, second / mass
}

// tiltOf evaluates Quadrature.tilt for one observation at all means and variances, a cell each.
func tiltOf(t *testing.T, e *engine.Engine, dtype dtypes.DType, q Quadrature, terms *expfam.Terms,
	c expfam.Term) (slope, rho []float64) {
	t.Helper()
	d := len(tiltMeans) * len(tiltVariances)
	means, row := mat.NewDense(1, d, nil), mat.NewDense(2, d, nil)
	variances := mat.NewSymDense(d, nil)
	for j := range d {
		means.Set(0, j, tiltMeans[j/len(tiltVariances)])
		variances.SetSym(j, j, tiltVariances[j%len(tiltVariances)])
		row.Set(0, j, c.Stat)
		row.Set(1, j, c.Size)
	}
	out := enginetest.Call(t, e, func(mean, stat, size *g.Node) []*g.Node {
		slope, rho := q.orDefault().tilt(linear{variances}.point(mean, stat, size, terms))
		return []*g.Node{slope, rho}
	}, tensorOf(dtype, means), tensorOf(dtype, mat.DenseCopyOf(row.Slice(0, 1, 0, d))),
		tensorOf(dtype, mat.DenseCopyOf(row.Slice(1, 2, 0, d))))
	return out[0], out[1]
}

func TestTiltAgainstQuadrature(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range tiltCases {
			terms := must.Get(c.like.Terms())(t)
			y := c.y
			if e.String() != "go" {
				y = y[:1] // the same graph with other numbers, which takes long to compile
			}
			for _, y := range y {
				cell := must.Get(c.like.Family.Reduce(y, expfam.Known{}))(t)
				for _, rule := range []struct {
					name  string
					q     Quadrature
					dtype dtypes.DType
					tol   float64
				}{
					{"default", Quadrature{}, dtypes.Float32, c.single},
					{"fine", Quadrature{Newton: 30, Nodes: 25}, dtypes.Float64, c.precise},
				} {
					if rule.dtype == dtypes.Float64 && e.String() != "go" {
						continue // the same graph; one double precision engine will do
					}
					t.Run(fmt.Sprintf("%v/%g/%s", c.like, y, rule.name), func(t *testing.T) {
						slopes, rhos := tiltOf(t, e, rule.dtype, rule.q, terms, cell)
						for j := range slopes {
							m, v := tiltMeans[j/len(tiltVariances)], tiltVariances[j%len(tiltVariances)]
							s := math.Sqrt(v)
							_, mean, variance := exactTilt(terms, cell, m, s)
							miss := (slopes[j]*s - mean) / math.Sqrt(variance)
							must.Be(t, math.Abs(miss) <= rule.tol,
								"m = %g, s² = %g: slope·s = %g, want %g, %.2g sd off", m, v, slopes[j]*s, mean, miss)
							// float32 forms τ²/s² at a unit in the last place.
							must.Be(t, math.Abs((rhos[j]/variance-1)) <= rule.tol, "m = %g, s² = %g: ρ = %g, want %g",
								m, v, rhos[j], variance)
						}
					})
				}
			}
		}
	})
}

// Slope and curvature are the derivatives of the logarithm of the marginal.
func TestTiltIsTheDerivative(t *testing.T) {
	e := must.Get(engine.Float64())(t)
	for _, c := range tiltCases {
		t.Run(fmt.Sprintf("%v/%g", c.like, c.y[0]), func(t *testing.T) {
			terms := must.Get(c.like.Terms())(t)
			cell := must.Get(c.like.Family.Reduce(c.y[0], expfam.Known{}))(t)
			slopes, rhos := tiltOf(t, e, dtypes.Float64, Quadrature{Newton: 30, Nodes: 25}, terms, cell)
			for j := range slopes {
				m, v := tiltMeans[j/len(tiltVariances)], tiltVariances[j%len(tiltVariances)]
				if v < 0.1 {
					continue // differences of ℓ of less than their rounding
				}
				marginal := func(m float64) float64 {
					value, _, _ := exactTilt(terms, cell, m, math.Sqrt(v))
					return value
				}
				// Central differences at a step of s/100: truncation at 1e-5 of
				// the variation, times the third derivatives of steep links.
				step := math.Sqrt(v) / 100
				tol := c.precise + 1e-3
				slope := fd.Derivative(marginal, m, &fd.Settings{Formula: fd.Central, Step: step})
				must.Be(t, math.Abs(slopes[j]-slope) <= tol*(1+math.Abs(slope)),
					"m = %g, s² = %g: slope %g, differences %g", m, v, slopes[j], slope)
				bend := -fd.Derivative(marginal, m, &fd.Settings{Formula: fd.Central2nd, Step: step})
				if h := (1 - rhos[j]) / v; math.Abs(h-bend) > tol*(1/v+math.Abs(bend)) {
					t.Errorf("m = %g, s² = %g: curvature %g, differences %g", m, v, h, bend)
				}
			}
		})
	}
}

// With Normal data the shift of a converged solve is that of the posterior
// mean, C (C + diag σ²)⁻¹ (y − m) over the observed cells.
func TestQuadratureIsExactForNormalData(t *testing.T) {
	const d = 7
	rng := expfam.Stream(5, "normal")
	for _, c := range []struct {
		name string
		sd   []float64
	}{
		{"equal", []float64{1, 1, 1, 1, 1, 1, 1}},
		{"from 0.003 to 300", []float64{0.003, 300, 1, 0.1, 10, 30, 0.03}},
		{"some missing", []float64{1, 0, 1, 0.1, 0, 0, 0.5}},
		{"one observed", []float64{0, 0, 0, 0.1, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cov := covariance(d, rng)
			mean, obs := make([]float64, d), make(expfam.Observations, d)
			w, r := make([]float64, d), make([]float64, d)
			for j := range d {
				mean[j] = rng.NormFloat64()
				y := rng.NormFloat64()
				if c.sd[j] > 0 { // or else the cell is missing
					obs[j], w[j], r[j] = normalData(y, c.sd[j]), 1/c.sd[j]/c.sd[j], y-mean[j]
				}
			}
			got := shiftOf(t, must.Get(engine.Float64())(t), Quadrature{Steps: 60},
				expfam.Likelihood{Family: expfam.Normal{}}, cov, mean, obs)
			for j, want := range denseShift(cov, nil, w, r) {
				// The floor of 1e-9 under s²W makes a missing cell one that says 1e-9 of nothing.
				must.Absolute(t, fmt.Sprintf("cell %d", j), got[j], want, 1e-6*(1+math.Abs(want)))
			}
		})
	}
}

// A cell without data has slope 0 and ρ = 1, and moves nothing by itself,
// whatever its mean; coupled, it is moved by the others and stays finite.
func TestMissingCellsMoveNothing(t *testing.T) {
	const d = 5
	cov := mat.NewSymDense(d, nil)
	for j := range d {
		cov.SetSym(j, j, 1+float64(j))
	}
	coupled := covariance(d, expfam.Stream(6, "missing"))
	mean := mat.NewDense(1, d, []float64{0, 80, -80, 1e4, 0.3}) // exp of some overflows float32
	stat, size := mat.NewDense(1, d, []float64{0, 0, 0, 0, 2}), mat.NewDense(1, d, []float64{0, 0, 0, 0, 1})
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, like := range enginetest.Short(e, 2,
			[]expfam.Likelihood{{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")},
				{Family: expfam.Binomial{}}, {Family: expfam.Normal{}},
				{Family: expfam.Exponential{}, Link: expfam.MustLink("1/exp(x)")}}) {
			terms := must.Get(like.Terms())(t)
			for _, dtype := range enginetest.DTypes {
				if dtype == dtypes.Float64 && e.String() != "go" {
					continue // overflow is the risk, and float32 overflows first
				}
				t.Run(fmt.Sprintf("%v/%v", like, dtype), func(t *testing.T) {
					out := enginetest.Call(t, e, func(mean, stat, size *g.Node) []*g.Node {
						p := func(c *mat.SymDense) *Point { return linear{c}.point(mean, stat, size, terms) }
						slope, rho := Quadrature{}.orDefault().tilt(p(cov))
						return []*g.Node{slope, rho, Quadrature{Independent: true}.Shift(p(cov)), Delta{}.Shift(p(cov)),
							Quadrature{}.Shift(p(cov)), Quadrature{}.Shift(p(coupled))}
					}, tensorOf(dtype, mean), tensorOf(dtype, stat), tensorOf(dtype, size))
					for j := range d - 1 {
						must.Be(t, out[0][j] == 0 && out[1][j] == 1 && out[2][j] == 0 && out[3][j] == 0,
							"cell %d: slope %g, ρ %g, independent shift %g, delta shift %g", j, out[0][j], out[1][j],
							out[2][j], out[3][j])
						must.Equal(t, out[4][j], 0, "cell", j, "of independent ones: shift")
					}
					must.Be(t, out[0][d-1] != 0 && out[4][d-1] != 0 && out[2][d-1] != 0,
						"the observed cell does not move")
					for j, v := range out[5] {
						must.Be(t, !math.IsNaN(v) && !math.IsInf(v, 0) && v != 0, "coupled cell %d: shift %g", j, v)
					}
				})
			}
		}
	})
}
