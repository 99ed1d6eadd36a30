package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// linear is a prior whose x₀ | x_t has mean 0 at x_t = 0 and the covariance C
// at whatever level it is asked: all that a guidance sees of a Gaussian.
type linear struct{ cov mat.Matrix }

// point is what a guidance gets at √α = 0.8, v = 0.36, for rows of means.
func (p linear) point(mean, stat, size *g.Node, terms *expfam.Terms) *Point {
	const sqrtAlpha, v = 0.8, 0.36
	gr, dtype := mean.Graph(), mean.DType()
	d, _ := p.cov.Dims()
	// dm/dx = (√α/v) C, and x is what has the mean that is wanted.
	var full mat.Dense
	full.Scale(sqrtAlpha/v, p.cov)
	variance := make([]float64, d)
	for j := range variance {
		variance[j] = p.cov.At(j, j)
	}
	constant := func(m *mat.Dense) *g.Node {
		r, c := m.Dims()
		return g.ConvertDType(g.Const(gr, tensors.FromFlatDataAndDimensions(m.RawMatrix().Data, r, c)), dtype)
	}
	x := g.ZerosLike(mean)
	at := level.Nodes{
		SqrtAlpha: g.ConvertDType(g.Const(gr, [][]float64{{sqrtAlpha}}), dtype),
		V:         g.ConvertDType(g.Const(gr, [][]float64{{v}}), dtype),
	}
	return &Point{
		X: x, Level: at, Mean: g.Add(mean, g.MatMul(x, constant(&full))),
		Var:  constant(mat.NewDense(1, d, variance)),
		Stat: stat, Size: size, Terms: terms,
	}
}

// solved is the solution for data of single cells.
func solved(p *Point, pull, root *g.Node, steps int) *g.Node {
	return correlated(p, p.own(), pull, root, steps)
}

// tensorOf is m in a precision.
func tensorOf(dtype dtypes.DType, m *mat.Dense) *tensors.Tensor {
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

// covariance is a random one with unequal variances and correlations up to nearly 1.
func covariance(d int, rng *rand.Rand) *mat.SymDense {
	factor := mat.NewDense(d, d, nil)
	factor.Apply(func(i, j int, _ float64) float64 {
		return rng.NormFloat64() * math.Exp(-0.7*float64(j)) * (1 + float64(i%3))
	}, factor)
	c := mat.NewSymDense(d, nil)
	c.SymOuterK(1, factor)
	return c
}

// denseShift returns C Hᵀ (H C Hᵀ + W⁻¹)⁻¹ r as C Hᵀ √W (I + √W H C Hᵀ √W)⁻¹ √W r. A nil H is the identity.
func denseShift(c *mat.SymDense, h *mat.Dense, w, r []float64) []float64 {
	d := len(w)
	across, seen := mat.DenseCopyOf(c), mat.DenseCopyOf(c)
	if h != nil {
		across.Mul(c, h.T())
		seen.Mul(h, across)
	}
	system, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			system.SetSym(i, j, math.Sqrt(w[i])*seen.At(i, j)*math.Sqrt(w[j]))
		}
		system.SetSym(i, i, system.At(i, i)+1)
		right.SetVec(i, math.Sqrt(w[i])*r[i])
	}
	var chol mat.Cholesky
	if !chol.Factorize(system) {
		panic("I + √W H C Hᵀ √W is singular")
	}
	if err := chol.SolveVecTo(right, right); err != nil {
		if _, condition := err.(mat.Condition); !condition {
			panic(err)
		}
	}
	for i := range d {
		right.SetVec(i, right.AtVec(i)*math.Sqrt(w[i]))
	}
	right.MulVec(across, right)
	return right.RawVector().Data
}

func TestCorrelatedAgainstDenseSolve(t *testing.T) {
	const d = 8
	rng := expfam.Stream(3, "solve")
	for _, c := range []struct {
		name  string
		w     func(j int) float64 // log10
		steps int
		tol   float64 // relative to the largest shift
	}{
		// In exact arithmetic d steps end it; rounding asks for some more, the
		// more so the wider the spectrum, and loses the condition number.
		{"moderate", func(j int) float64 { return float64(j%3) - 1 }, 2 * d, 1e-10},
		{"one scale, weak", func(int) float64 { return -9 }, d, 1e-12},
		{"one scale, strong", func(int) float64 { return 9 }, 20 * d, 1e-6},
		{"from 1e-9 to 1e9", func(j int) float64 { return -9 + 18*float64(j)/(d-1) }, 10 * d, 1e-6},
		{"missing cells", func(j int) float64 { return []float64{0, math.Inf(-1)}[j%2] }, 2 * d, 1e-10},
	} {
		t.Run(c.name, func(t *testing.T) {
			cov := covariance(d, rng)
			w, root, pull := make([]float64, d), mat.NewDense(2, d, nil), mat.NewDense(2, d, nil)
			residual := mat.NewDense(2, d, nil)
			for j := range d {
				w[j] = math.Pow(10, c.w(j))
				for k := range 2 {
					residual.Set(k, j, rng.NormFloat64())
					root.Set(k, j, math.Sqrt(w[j]))
					pull.Set(k, j, math.Sqrt(w[j])*residual.At(k, j))
				}
			}
			e := must.Get(engine.Float64())(t)
			got := enginetest.Call(t, e, func(pull, root *g.Node) *g.Node {
				return solved(linear{cov}.point(g.ZerosLike(pull), nil, nil, nil), pull, root, c.steps)
			}, tensorOf(dtypes.Float64, pull), tensorOf(dtypes.Float64, root))[0]
			for k := range 2 {
				want := denseShift(cov, nil, w, residual.RawRowView(k))
				var scale float64
				for _, v := range want {
					scale = math.Max(scale, math.Abs(v))
				}
				for j := range d {
					must.Be(t, math.Abs(got[k*d+j]-want[j]) <= c.tol*scale,
						"draw %d, cell %d: %.12g, want %.12g", k, j, got[k*d+j], want[j])
				}
			}
		})
	}
}

// After it has converged, and from a residual of 0, more steps change nothing and divide nothing by 0.
func TestCorrelatedAtRest(t *testing.T) {
	cov := covariance(4, expfam.Stream(4, "solve"))
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, dtype := range enginetest.Short(e, 1, enginetest.DTypes) {
			t.Run(dtype.String(), func(t *testing.T) {
				pull := mat.NewDense(2, 4, []float64{0, 0, 0, 0, 1, -1, 0, 2})
				out := enginetest.Call(t, e, func(pull *g.Node) *g.Node {
					return solved(linear{cov}.point(g.ZerosLike(pull), nil, nil, nil), pull, g.OnesLike(pull), 24)
				}, tensorOf(dtype, pull))[0]
				for i, got := range out {
					want := denseShift(cov, nil, []float64{1, 1, 1, 1}, pull.RawRowView(i/4))[i%4]
					// 1e-5 for roundings of float32 at condition numbers of a hundred.
					must.Be(t, math.Abs(got-want) <= 1e-5*(1+math.Abs(want)),
						"draw %d, cell %d: %g, want %g", i/4, i%4, got, want)
				}
			})
		}
	})
}

// A matrix that is no covariance has directions in which a step of conjugate gradients would be endless or go
// backwards: |p|² takes the place of a smaller pᵀ(I + C)p. With W = 1 and r = 1:
//
//   - C = (9, −.6; −.6, 0) gives p = (.1, 1), C p = (.3, −.06) and pᵀ(I + C)p = .98, in place of which |p|² = 1.01, so
//     that the step is rᵀp/|p|² = 1.1/1.01.
//   - C with the diagonal 1 and −3 elsewhere gives p = (½, …) for four cells, and C p = −4. The data ask for a shift
//     upwards, so the restraint leaves none.
func TestCorrelatedWithoutCovariance(t *testing.T) {
	opposed := mat.NewSymDense(4, nil)
	for i := range 4 {
		for j := range i {
			opposed.SetSym(i, j, -3)
		}
		opposed.SetSym(i, i, 1)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range []struct {
			cov  *mat.SymDense
			want []float64
		}{
			{mat.NewSymDense(2, []float64{9, -0.6, -0.6, 0}), []float64{0.3 * 1.1 / 1.01, -0.06 * 1.1 / 1.01}},
			{opposed, make([]float64, 4)},
		} {
			ones := mat.NewDense(1, len(c.want), slices.Repeat([]float64{1}, len(c.want)))
			got := enginetest.Call(t, e, func(ones *g.Node) *g.Node {
				return solved(linear{c.cov}.point(g.ZerosLike(ones), nil, nil, nil), ones, ones, 1)
			}, tensorOf(dtypes.Float64, ones))[0]
			for j, v := range got {
				// Rounding of a few operations in float64.
				must.Be(t, math.Abs(v-c.want[j]) < 1e-12,
					"%d cells, cell %d: %.15g, want %.15g", len(c.want), j, v, c.want[j])
			}
		}
	})
}

// normalData returns the term of a measurement y with standard deviation sd.
func normalData(y, sd float64) expfam.Term {
	return expfam.Must(expfam.Normal{}.Reduce(y, expfam.Given(sd)))
}

var closeTo = must.Absolute
