package gp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// priors under test, by name: the benchmark's, one with a mean and cells of unequal variance, one of rank 2.
func priors(t *testing.T) map[string]*Gaussian {
	uneven := mat.NewSymDense(3, []float64{4, 1, 0, 1, 0.5, -0.1, 0, -0.1, 0.09})
	low := mat.NewSymDense(4, nil)
	low.SymOuterK(1, mat.NewDense(4, 2, []float64{1, 0, 1, 0.5, -1, 2, 0.3, 0.3}))
	all := map[string]*Gaussian{"benchmark": RBF{}.Gaussian()}
	for name, c := range map[string]struct {
		mean []float64
		cov  *mat.SymDense
	}{"uneven": {[]float64{1, -2, 0.5}, uneven}, "rank 2": {nil, low}} {
		g := must.Get(New(c.mean, c.cov))(t)
		all[name] = g
	}
	return all
}

// conditional is x₀ | x_t by dense linear algebra: the gain √α K (αK + vI)⁻¹ and the covariance K − α K (αK + vI)⁻¹ K.
func conditional(t *testing.T, g *Gaussian, l level.Level) (gain, cov *mat.Dense) {
	t.Helper()
	d, alpha := g.Dim(), l.SqrtAlpha*l.SqrtAlpha
	total := mat.NewSymDense(d, nil)
	total.ScaleSym(alpha, g.Cov())
	for i := range d {
		total.SetSym(i, i, total.At(i, i)+l.V)
	}
	var chol mat.Cholesky
	must.Need(t, chol.Factorize(total), "αK + vI is singular")
	gain, cov = new(mat.Dense), new(mat.Dense)
	must.Do(t, chol.SolveTo(gain, g.Cov()))
	cov.Mul(g.Cov(), gain)
	cov.Scale(-alpha, cov)
	cov.Add(cov, g.Cov())
	gain.Scale(l.SqrtAlpha, mat.DenseCopyOf(gain.T()))
	return gain, cov
}

func TestMomentsAgainstDenseAlgebra(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for name, g := range priors(t) {
			for _, time := range []float64{1, 0.3, 0.02, 1e-3} {
				for _, dtype := range enginetest.DTypes {
					t.Run(fmt.Sprintf("%s/%g/%v", name, time, dtype), func(t *testing.T) {
						at := level.VP{}.Level(time)
						d := g.Dim()
						const batch = 3
						x := mat.NewDense(batch, d, nil)
						rng := expfam.Stream(1, "x")
						for k := range batch {
							x0 := x.RawRowView(k)
							g.Draw(rng, x0)
							for j := range x0 {
								x0[j] = at.SqrtAlpha*x0[j] + math.Sqrt(at.V)*rng.NormFloat64()
							}
						}
						out := enginetest.Call(t, e, func(x *graph.Node) []*graph.Node {
							one := graph.OnesLike(graph.Reshape(graph.Slice(x, graph.AxisElem(0), graph.AxisElem(0)), 1,
								1))
							m, v := g.Moments(x, level.Nodes{
								SqrtAlpha: graph.MulScalar(one, at.SqrtAlpha), V: graph.MulScalar(one, at.V)})
							return []*graph.Node{m, v}
						}, matrix(dtype, x))

						gain, cov := conditional(t, g, at)
						// float32: a dozen roundings of sums over d terms. float64:
						// the reference loses K's condition at t = 0.001, 4e5.
						tol := 1e-9
						if dtype == dtypes.Float32 {
							tol = 1e-5
						}
						for j := range d {
							scale := math.Sqrt(g.Cov().At(j, j))
							for k := range batch {
								want := g.mean[j]
								for i := range d {
									want += gain.At(j, i) * (x.At(k, i) - at.SqrtAlpha*g.mean[i])
								}
								within(t, fmt.Sprintf("mean of draw %d, cell %d", k, j), out[0][k*d+j], want,
									tol*(scale+math.Abs(want)))
							}
							within(t, fmt.Sprintf("variance of cell %d", j), out[1][j], cov.At(j, j), tol*scale*scale)
						}
					})
				}
			}
		}
	})
}

func matrix(dtype dtypes.DType, m *mat.Dense) *tensors.Tensor {
	r, c := m.Dims()
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(append([]float64{}, m.RawMatrix().Data...), r, c)
	}
	single := make([]float32, r*c)
	for i, v := range m.RawMatrix().Data {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, r, c)
}

// A level of its own for every draw gives what the draws give one by one.
func TestMomentsOfMixedLevels(t *testing.T) {
	g := priors(t)["uneven"]
	moments := func(x, sqrtAlpha, v *graph.Node) []*graph.Node {
		m, s2 := g.Moments(x, level.Nodes{SqrtAlpha: sqrtAlpha, V: v})
		return []*graph.Node{m, s2}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		a, b := level.At(0.1), level.At(3)
		x := [][]float64{{1, 2, 3}, {-1, 0, 2}}
		both := enginetest.Call(t, e, moments, x, [][]float64{{a.SqrtAlpha}, {b.SqrtAlpha}}, [][]float64{{a.V}, {b.V}})
		for k, l := range []level.Level{a, b} {
			one := enginetest.Call(t, e, moments, x[k:k+1], [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
			for i := range one {
				for j, want := range one[i] {
					within(t, fmt.Sprintf("output %d of draw %d", i, k), both[i][3*k+j], want, 1e-14)
				}
			}
		}
	})
}

func TestCoupling(t *testing.T) {
	for name, g := range priors(t) {
		for _, sigma := range []float64{0.02, 0.3, 3, 100} {
			t.Run(fmt.Sprintf("%s/%g", name, sigma), func(t *testing.T) {
				_, cov := conditional(t, g, level.At(sigma))
				d := g.Dim()
				corr := mat.NewSymDense(d, nil)
				for i := range d {
					for j := i; j < d; j++ {
						corr.SetSym(i, j, cov.At(i, j)/math.Sqrt(cov.At(i, i)*cov.At(j, j)))
					}
				}
				var eigen mat.EigenSym
				must.Need(t, eigen.Factorize(corr, false), "no eigenvalues")
				// The reference subtracts two matrices that agree to σ² of their size, 1e-4 or more.
				within(t, "coupling", g.Coupling(sigma), eigen.Values(nil)[d-1], 1e-8*float64(d))
			})
		}
	}

	// Values of the benchmark to two digits, from an independent implementation of its diffusion.
	for time, want := range map[float64]float64{1: 7.0, 0.5: 6.2, 0.3: 4.6, 0.1: 3.2, 0.02: 2.4} {
		t.Run(fmt.Sprintf("published/%g", time), func(t *testing.T) {
			within(t, "coupling", RBF{}.Coupling(level.VP{}.Level(time).Sigma()), want, 0.051)
		})
	}

	t.Run("independent cells", func(t *testing.T) {
		g := must.Get(New(nil, mat.NewSymDense(3, []float64{1, 0, 0, 0, 5, 0, 0, 0, 0})))(t)
		within(t, "coupling", g.Coupling(0.7), 1, 1e-14)
	})
	t.Run("one common mode", func(t *testing.T) {
		g := must.Get(New(nil, mat.NewSymDense(3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9})))(t)
		// The two modes of rounding error have variance 1e-16.
		within(t, "coupling", g.Coupling(0.7), 3, 1e-12)
	})
}

func TestDrawHasTheCovariance(t *testing.T) {
	for name, g := range priors(t) {
		t.Run(name, func(t *testing.T) {
			const n = 20000
			d := g.Dim()
			rng, x := expfam.Stream(5, "draws"), make([]float64, d)
			mean, second := make([]float64, d), mat.NewSymDense(d, nil)
			for range n {
				g.Draw(rng, x)
				for i := range d {
					x[i] -= g.mean[i]
					mean[i] += x[i] / n
				}
				second.SymRankOne(second, 1.0/n, mat.NewVecDense(d, x))
			}
			// 5 standard errors: √(Kᵢᵢ/n), and √((KᵢᵢKⱼⱼ + Kᵢⱼ²)/n) for covariances (Isserlis).
			k := g.Cov()
			for i := range d {
				within(t, fmt.Sprintf("mean %d", i), mean[i], 0, 5*math.Sqrt(k.At(i, i)/n))
				for j := range d {
					within(t, fmt.Sprintf("covariance (%d, %d)", i, j), second.At(i, j), k.At(i, j),
						5*math.Sqrt((k.At(i, i)*k.At(j, j)+k.At(i, j)*k.At(i, j))/n))
				}
			}
		})
	}
	t.Run("stays in the range of a singular covariance", func(t *testing.T) {
		g := priors(t)["rank 2"]
		var eigen mat.EigenSym
		eigen.Factorize(g.Cov(), true)
		var basis mat.Dense
		eigen.VectorsTo(&basis)
		x := make([]float64, 4)
		for range 100 {
			g.Draw(expfam.Stream(1, "x"), x)
			for k := range 2 { // ascending: the first two are null
				within(t, "null component", mat.Dot(basis.ColView(k), mat.NewVecDense(4, x)), 0, 1e-7)
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		mean []float64
		cov  []float64
		want string
	}{
		{"NaN", nil, []float64{1, math.NaN(), math.NaN(), 1}, "covariance (0, 1) is NaN"},
		{"infinity", nil, []float64{1, 0, 0, math.Inf(1)}, "covariance (1, 1) is +Inf"},
		{"negative eigenvalue", nil, []float64{1, 2, 2, 1}, "is no covariance"},
		{"negative definite", nil, []float64{-1, 0, 0, -1}, "is no covariance"},
		{"mean too long", []float64{1, 2, 3}, []float64{1, 0, 0, 1}, "mean has 3 entries and covariance 2 rows"},
		{"mean not a number", []float64{1, math.NaN()}, []float64{1, 0, 0, 1}, "mean 1 is NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.mean, mat.NewSymDense(2, c.cov))
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && strings.HasPrefix(err.Error(), "gp: "),
				"error %v, want %q in it", err, c.want)
		})
	}
	must.Refuse(New(nil, nil))(t, "there is no covariance")
	must.Refuse(latent.Factor("gp", nil))(t, "there is no covariance")
}

func TestGaussianName(t *testing.T) {
	names := map[string]string{}
	for _, c := range []struct {
		name string
		mean []float64
		cov  []float64
	}{
		{"base", nil, []float64{1, 0.1, 0.1, 1}},
		{"mean", []float64{0, 1e-16}, []float64{1, 0.1, 0.1, 1}},
		{"variance", nil, []float64{1, 0.1, 0.1, math.Nextafter(1, 2)}},
		{"covariance", nil, []float64{1, 0.2, 0.2, 1}},
	} {
		g := must.Get(New(c.mean, mat.NewSymDense(2, c.cov)))(t)
		other, taken := names[g.String()]
		must.Be(t, !taken, "%s has the name of %s: %v", c.name, other, g)
		names[g.String()] = c.name
	}
	again, _ := New([]float64{0, 0}, mat.NewSymDense(2, []float64{1, 0.1, 0.1, 1}))
	must.Equal(t, names[again.String()], "base", "equal priors have different names", again)

	t.Run("a covariance that changes afterwards", func(t *testing.T) {
		mean, cov := []float64{0, 0}, mat.NewSymDense(2, []float64{1, 0.1, 0.1, 1})
		g := must.Get(New(mean, cov))(t)
		mean[0] = 7
		cov.SetSym(0, 0, 9)
		must.Be(t, g.Mean()[0] == 0 && g.Cov().At(0, 0) == 1, "the prior changed with its arguments")
	})
}

func TestRBF(t *testing.T) {
	t.Run("zero value", func(t *testing.T) {
		full := RBF{Cells: 30, Variance: 1, Length: 0.1}
		must.Be(t, (RBF{}).String() == full.String() && (RBF{}).Dim() == 30, "%v, want %v", RBF{}, full)
		// Two orders of the same operations, rounded.
		must.Be(t, mat.EqualApprox(RBF{}.Cov(), squaredExponential(30, 0.1).cov, 1e-14),
			"the kernel is not that of the benchmark")
		u := (RBF{}).Points()
		must.Be(t, u[0] == 0 && u[29] == 1 && len(u) == 30, "points %v", u)
	})
	t.Run("options", func(t *testing.T) {
		k := RBF{Cells: 4, Variance: 2.5, Length: 0.7}
		within(t, "covariance", k.Cov().At(0, 3), 2.5*math.Exp(-1/(2*0.49)), 1e-15)
		must.Equal(t, k.String(), "rbf(cells=4, variance=2.5, length=0.7)")
	})
	t.Run("one cell", func(t *testing.T) {
		k := (RBF{Cells: 1})
		must.Be(t, k.Cov().At(0, 0) == 1 && k.Points()[0] == 0, "%v", k.Cov())
	})
}

// An impossible field is refused at once by its name and value, wherever a prior goes.
func TestImpossiblePriorsAreRefused(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 1}}
	obs := must.Get(like.Observe1(make([]float64, 30)...))(t)
	for _, c := range []struct {
		prior RBF
		want  string
	}{
		{RBF{Cells: -1}, "gp: RBF has -1 Cells; give at least 1"},
		{RBF{Variance: -1}, "gp: RBF has a Variance of -1; it must be positive and finite"},
		{RBF{Variance: math.NaN()}, "gp: RBF has a Variance of NaN"},
		{RBF{Variance: math.Inf(1)}, "gp: RBF has a Variance of +Inf"},
		{RBF{Length: -0.1}, "gp: RBF has a Length of -0.1"},
		{RBF{Length: math.NaN()}, "gp: RBF has a Length of NaN"},
		{RBF{Length: math.Inf(1)}, "gp: RBF has a Length of +Inf"},
	} {
		for name, try := range map[string]func() error{
			"Check": c.prior.Check,
			"Sample": func() error {
				_, err := diffusion.Sample(c.prior, like, obs, diffusion.Sampler{Draws: 2})
				return err
			},
			"Compile": func() error {
				_, err := diffusion.Compile(c.prior, like, diffusion.Sampler{Draws: 2})
				return err
			},
			"Train":     func() error { _, err := learn.Train(c.prior, learn.Training{Steps: 1}); return err },
			"Exact":     func() error { _, err := Exact(c.prior, like, obs); return err },
			"Empirical": func() error { _, err := Empirical(c.prior, 5, 6, 10, 1); return err },
			"Gaussian": func() (err error) {
				defer func() { err, _ = recover().(error) }()
				c.prior.Gaussian()
				return nil
			},
		} {
			t.Run(fmt.Sprintf("%v/%s", c.prior, name), func(t *testing.T) {
				// What went through the graph came back with a page of calls.
				if err := try(); err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 150 {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		}
	}
	field := func(edit func(*Stationary)) *Stationary {
		s, _ := must.Get2(NewStationary(5, 6, 0, func(r, c int) float64 { return math.Exp(-float64(r*r + c*c)) }))(t)
		edit(s)
		return s
	}
	for name, c := range map[string]struct {
		field *Stationary
		want  string
	}{
		"a literal":      {&Stationary{Rows: 5, Cols: 6}, "gp: Stationary of 5 Rows and 6 Cols without"},
		"other rows":     {field(func(s *Stationary) { s.Rows = 7 }), "gp: Stationary of 7 Rows"},
		"a level of NaN": {field(func(s *Stationary) { s.Level = math.NaN() }), "gp: Stationary has a Level of NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errTrain := learn.Train(c.field, learn.Training{Steps: 1})
			_, errSample := c.field.Sample(like, obs, Options{Draws: 2})
			for _, err := range []error{errTrain, errSample} {
				must.Err(t, err, c.want)
			}
		})
	}
}

// A line of too many cells is refused before its covariance is made; samplers ask Check first.
func TestRBFRefusesMoreThanMemory(t *testing.T) {
	must.Err(t, RBF{Cells: 1 << 22}.Check(), "the covariance of 4194304 cells with its eigenvectors takes "+"about")
}
