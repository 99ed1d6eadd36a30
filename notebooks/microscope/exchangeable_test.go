package microscope

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// equicorrelated is (1−ρ) I + ρ 11ᵀ.
func equicorrelated(m int, rho float64) *mat.SymDense {
	k := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			k.SetSym(i, j, rho)
		}
		k.SetSym(i, i, 1)
	}
	return k
}

// alike are likelihoods with six cells of data, one of them missing and one of several observations.
var alike = []struct {
	like expfam.Likelihood
	obs  expfam.Observations
}{
	{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")},
		expfam.Observations{{Stat: 120, Size: 1}, {Stat: 150, Size: 1}, {}, {Stat: 260, Size: 1}, {Stat: 700, Size: 3},
			{Stat: 30, Size: 0.5}}},
	{expfam.Likelihood{Family: expfam.Exponential{}}, expfam.Observations{{Stat: 2, Size: 1}, {Stat: 0.1, Size: 1}, {},
		{Stat: 1, Size: 1}, {Stat: 5, Size: 3}, {Stat: 0.7, Size: 1}}},
	{expfam.Likelihood{Family: expfam.Normal{}}, expfam.Observations{{Stat: 2, Size: 1}, {Stat: -1, Size: 1}, {},
		{Stat: 1, Size: 1}, {Stat: 5, Size: 4}, {Stat: 0.7, Size: 0.25}}},
}

var situations = []Scene{
	{Rho: 0.9, Level: level.At(30), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0.6, Level: level.At(1), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0, Level: level.At(0.4), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0.99, Level: level.At(0.1)},
}

// A Normal likelihood under the identity has all of it in closed form:
// y | x_t ~ N(m, C + σ² I), and the guidances that couple the cells are exact.
func TestExchangeableNormal(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	y := []float64{0.7, -0.4, 1.9}
	e := Exchangeable{like, expfam.Must(like.Observe1(y...))}
	logs, exact := must.Get2(e.Exact(situations...))(t)
	for i, s := range situations {
		sigma := s.Level.Sigma()
		cov := covariance(t, equicorrelated(3, s.Rho), sigma)
		x := s.X
		if x == nil {
			x = make([]float64, 3)
		}
		mean, total := mat.NewVecDense(3, nil), mat.NewSymDense(3, nil)
		mean.MulVec(cov, mat.NewVecDense(3, x))
		mean.ScaleVec(s.Level.SqrtAlpha/s.Level.V, mean)
		total.AddSym(cov, mat.NewDiagDense(3, []float64{0.25, 0.25, 0.25}))
		normal, _ := distmv.NewNormal(mean.RawVector().Data, total, nil)
		near(t, fmt.Sprintf("scene %d: log evidence", i), logs[i], normal.LogProb(y), 1e-9)
		var pull, want mat.VecDense
		pull.SubVec(mat.NewVecDense(3, y), mean)
		must.Do(t, pull.SolveVec(total, &pull))
		want.MulVec(cov, &pull)
		for j := range 3 {
			near(t, fmt.Sprintf("scene %d, cell %d", i, j), exact[i][j], want.AtVec(j), 1e-9)
		}
	}
	for _, guide := range []diffusion.Guidance{diffusion.Corrected{}, diffusion.Quadrature{}} {
		shifts := must.Get(e.Shift(guide, situations...))(t)
		for i := range situations {
			for j := range 3 {
				// Two conjugate gradients solve a system with two eigenvalues.
				near(t, fmt.Sprintf("%v: scene %d, cell %d", guide, i, j), shifts[i][j], exact[i][j], 1e-6)
			}
		}
	}
}

// One cell is what the microscope sees, and cells without correlation are many of them.
func TestExchangeableAlone(t *testing.T) {
	for _, c := range alike {
		c.obs = c.obs[:3]
		t.Run(c.like.String(), func(t *testing.T) {
			s := Scene{Level: level.At(0.8), X: []float64{0.3, -0.2, 1.1}}
			logs, shifts := must.Get2(Exchangeable{c.like, c.obs}.Exact(s))(t)
			var sum float64
			for j, term := range c.obs {
				v := see(t, Cell{Level: s.Level, Likelihood: c.like, Term: term}, s.X[j])[0]
				sum += v.Exact.Log
				near(t, fmt.Sprintf("cell %d", j), shifts[0][j], v.Exact.Slope*s.Level.V/s.Level.SqrtAlpha, 1e-8)
			}
			near(t, "log evidence", logs[0], sum, 1e-8)
		})
	}
}

// The shift is (v/√α) times the gradient of the log-evidence.
func TestExchangeableIsAGradient(t *testing.T) {
	for _, c := range alike {
		e := Exchangeable{c.like, c.obs[:3]}
		t.Run(c.like.String(), func(t *testing.T) {
			for i, s := range situations[:3] {
				_, shifts := must.Get2(e.Exact(s))(t)
				for j := range 3 {
					slope := differences(func(x float64) float64 {
						moved := s
						moved.X = append([]float64{}, s.X...)
						moved.X[j] = x
						logs, _, _ := e.Exact(moved)
						return logs[0]
					}, s.X[j], 0.02*math.Sqrt(s.Level.V))
					near(t, fmt.Sprintf("scene %d, cell %d", i, j), shifts[0][j], slope*s.Level.V/s.Level.SqrtAlpha,
						1e-6)
				}
			}
		})
	}
}

// covariance is Cov(x₀ | x_t) = (K⁻¹ + I/σ²)⁻¹.
func covariance(t *testing.T, k *mat.SymDense, sigma float64) *mat.SymDense {
	t.Helper()
	var chol mat.Cholesky
	precision, out := mat.NewSymDense(k.SymmetricDim(), nil), mat.NewSymDense(k.SymmetricDim(), nil)
	must.Need(t, chol.Factorize(k) && chol.InverseTo(precision) == nil, "the prior is singular")
	for j := range k.SymmetricDim() {
		precision.SetSym(j, j, precision.At(j, j)+1/(sigma*sigma))
	}
	must.Need(t, chol.Factorize(precision) && chol.InverseTo(out) == nil, "the precision is singular")
	return out
}

// Guidances see the same as under the Gaussian prior that this is.
func TestExchangeableShift(t *testing.T) {
	const sigma = 0.8
	prior, e := expfam.Must(gp.New(nil, equicorrelated(6, 0.7))), expfam.Must(engine.Float64())
	x := [][]float64{{0.3, -0.2, 1.1, 0, -0.7, 0.4}, {-1.2, 0.1, 0.2, 0.9, 0.5, -0.3}}
	for _, c := range alike {
		for _, guide := range []diffusion.Guidance{diffusion.Evidence{}, diffusion.Quadrature{Independent: true},
			diffusion.Quadrature{Steps: 3}, diffusion.Corrected{}, diffusion.Tempered{}, diffusion.Delta{}} {
			t.Run(fmt.Sprintf("%v/%v", c.like, guide), func(t *testing.T) {
				at := level.At(sigma)
				got := must.Get(Exchangeable{c.like, c.obs}.Shift(guide, Scene{Rho: 0.7, Level: at, X: x[0]},
					Scene{Rho: 0.7, Level: at, X: x[1]}))(t)
				terms := expfam.Must(c.like.Terms())
				want := graph.MustExecOnce(e.Backend, func(x, stat, size *graph.Node) *graph.Node {
					number := func(v float64) *graph.Node { return graph.Const(x.Graph(), [][]float64{{v}}) }
					p := &diffusion.Point{X: x, Level: level.Nodes{SqrtAlpha: number(at.SqrtAlpha),
						V: number(at.V)}, Stat: stat, Size: size, Terms: terms}
					p.Mean, p.Var = prior.Moments(x, p.Level)
					p.SetCoupling(number(prior.Coupling(sigma)))
					return guide.Shift(p)
				}, x, [][]float64{c.obs.Stats()}, [][]float64{c.obs.Sizes()}).Value().([][]float64)
				for k := range want {
					for j := range want[k] {
						near(t, fmt.Sprintf("draw %d, cell %d", k, j), got[k][j], want[k][j], 1e-9)
					}
				}
			})
		}
	}
}

func TestExchangeableErrors(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}}
	for _, c := range []struct {
		e    Exchangeable
		s    Scene
		want string
	}{
		{Exchangeable{Likelihood: like}, Scene{},
			"exchangeable: there are no observations; give Obs one term for each cell"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{Rho: 1, Level: level.At(1)},
			"exchangeable: scene 0: the correlation is 1; it must be at least 0 and below 1"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{},
			"exchangeable: scene 0: level {SqrtAlpha:0 V:0}; both parts must be positive"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{Level: level.At(1), X: []float64{1}},
			"exchangeable: scene 0: 1 values of x_t for 2 cells"},
	} {
		_, _, err := c.e.Exact(c.s)
		must.Be(t, err != nil && err.Error() == c.want, "got %v, want %s", err, c.want)
	}
}
