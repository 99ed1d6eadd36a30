package diffusion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// twoParts are a field of six cells and two coefficients that are correlated, apart and as
// one Gaussian with a covariance of two blocks.
func twoParts(t testing.TB) (cells, coefficients expfam.Prior, whole *gp.Gaussian) {
	t.Helper()
	cov := mat.NewSymDense(2, []float64{4, -0.6, -0.6, 0.25})
	beta := expfam.Must(gp.New([]float64{1, -2}, cov))
	blocks := mat.NewSymDense(8, nil)
	for i := range 6 {
		for j := range 6 {
			blocks.SetSym(i, j, few.Cov().At(i, j))
		}
	}
	for i := range 2 {
		for j := range 2 {
			blocks.SetSym(6+i, 6+j, cov.At(i, j))
		}
	}
	return few, beta, expfam.Must(gp.New([]float64{0, 0, 0, 0, 0, 0, 1, -2}, blocks))
}

// Moments of a product, products with its covariance by the gradient of its mean, its
// coupling and products with K are those of the Gaussian with blocks.
func TestProductIsABlockDiagonalGaussian(t *testing.T) {
	cells, beta, whole := twoParts(t)
	p := expfam.Product(cells, beta)
	must.Do(t, traits.Check(p))
	parts := p.(interface{ Parts() []expfam.Prior }).Parts()
	must.Be(t, len(parts) == 2 && parts[0] == cells && parts[1] == beta, "parts %v", parts)
	must.Need(t, p.Dim() == 8, "%d cells, want 8", p.Dim())
	sameMoments(t, p, whole)
	for _, sigma := range []float64{0.05, 1, 20} {
		nearly(t, "coupling", p.(expfam.Coupled).Coupling(sigma), whole.Coupling(sigma))
	}
}

// A draw of a product is one of each part, in turn.
func TestProductDraws(t *testing.T) {
	cells, beta, _ := twoParts(t)
	got, want := make([]float64, 8), make([]float64, 8)
	expfam.Product(cells, beta).(expfam.Simulator).Draw(expfam.Stream(2, "draw"), got)
	rng := expfam.Stream(2, "draw")
	cells.(expfam.Simulator).Draw(rng, want[:6])
	beta.(expfam.Simulator).Draw(rng, want[6:])
	for j := range want {
		must.Equal(t, got[j], want[j], "cell", j)
	}
}

// levelled has variances of a row for each draw, bounds and a range, and nothing besides.
type levelled struct {
	expfam.Prior
	low, high, from, to float64
}

func (p levelled) Moments(x *graph.Node, l level.Nodes) (mean, variance *graph.Node) {
	mean, variance = p.Prior.Moments(x, l)
	return mean, graph.Add(graph.ZerosLike(x), variance)
}
func (p levelled) Bounds() (low, high float64) { return p.low, p.high }
func (p levelled) Range() (low, high float64)  { return p.from, p.to }

// A product has the methods that all of its parts have, whatever else they are.
func TestProductHasWhatItsPartsHave(t *testing.T) {
	cells, beta, _ := twoParts(t)
	poor := levelled{cells, -1, 1, 0.01, 40}
	hasWhatItsPartHas(t, func(of expfam.Prior) expfam.Prior { return expfam.Product(cells, of) })
	for name, c := range map[string]struct {
		parts               []expfam.Prior
		low, high, from, to float64
	}{
		"none":  {[]expfam.Prior{cells, beta}, 0, 0, 0, math.Inf(1)},
		"one":   {[]expfam.Prior{poor, beta}, 0, 0, 0.01, 40},
		"same":  {[]expfam.Prior{poor, levelled{beta, -1, 1, 0.02, 50}}, -1, 1, 0.02, 40},
		"other": {[]expfam.Prior{poor, levelled{beta, -1, 2, 0.002, 30}}, 0, 0, 0.01, 30},
	} {
		p := expfam.Product(c.parts...)
		low, high := p.(expfam.Bounded).Bounds()
		from, to := p.(expfam.Ranged).Range()
		must.Be(t, low == c.low && high == c.high && from == c.from && to == c.to,
			"%s: bounds %g to %g and range %g to %g, want %g to %g and %g to %g", name, low, high, from, to, c.low,
			c.high, c.from, c.to)
	}
	// Variances of a row and of one for each draw go together.
	e := enginetest.Open(t, "go")
	x := [][]float64{{1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 0, 0, 0, 0}}
	half := [][]float64{{0.5}}
	got := enginetest.Call(t, e, func(x, a *graph.Node) []*graph.Node {
		_, mixed := expfam.Product(poor, beta).Moments(x, level.Nodes{SqrtAlpha: a, V: a})
		_, plain := expfam.Product(cells, beta).Moments(x, level.Nodes{SqrtAlpha: a, V: a})
		return []*graph.Node{mixed, plain}
	}, x, half)
	for j, v := range got[0] {
		must.Be(t, v == got[1][j%8] && len(got[0]) == 16,
			"variance %d of %d is %g, want %g", j, len(got[0]), v, got[1][j%8])
	}
}

// partly is a Gaussian prior that may not know its covariance or its coupling.
type partly struct {
	expfam.Prior
	of              *gp.Gaussian
	linear, coupled bool
}

func (p partly) Multiply(v []float64) ([]float64, bool) {
	if !p.linear {
		return nil, false
	}
	return p.of.Multiply(v)
}

func (p partly) Coupling(sigma float64) float64 {
	if !p.coupled {
		return 0
	}
	return p.of.Coupling(sigma)
}

// drawn is a prior that draws too.
type drawn struct{ partly }

func (d drawn) Draw(rng *rand.Rand, x []float64) { d.of.Draw(rng, x) }

// hasWhatItsPartHas fails unless a prior that is made of a part draws, multiplies by its covariance and knows its
// coupling if the part does.
func hasWhatItsPartHas(t *testing.T, made func(of expfam.Prior) expfam.Prior) {
	t.Helper()
	_, beta, _ := twoParts(t)
	has := func(p expfam.Prior) (draws, linear, coupled bool) {
		_, draws = p.(expfam.Simulator)
		if l, ok := p.(expfam.Linear); ok {
			_, linear = l.Multiply(make([]float64, p.Dim()))
		}
		c, ok := p.(expfam.Coupled)
		return draws, linear, ok && c.Coupling(1) > 0
	}
	for k := range 8 {
		some := partly{beta, beta.(*gp.Gaussian), k&2 != 0, k&1 != 0}
		of := expfam.Prior(some)
		if k&4 != 0 {
			of = drawn{some}
		}
		draws, linear, coupled := has(made(of))
		must.Be(t, draws == (k&4 != 0) && linear == (k&2 != 0) && coupled == (k&1 != 0),
			"part %03b: draws %t, linear %t, coupled %t", k, draws, linear, coupled)
	}
	draws, linear, coupled := has(made(levelled{Prior: beta}))
	must.Be(t, !draws && !linear && !coupled, "a part without methods: draws %t, linear %t, coupled %t", draws, linear,
		coupled)
}

func TestProductRefuses(t *testing.T) {
	for want, p := range map[string]expfam.Prior{
		"there are no parts":           expfam.Product(),
		"part 1 is nil":                expfam.Product(few, nil),
		"part 0: gp: RBF has -1 Cells": expfam.Product(gp.RBF{Cells: -1}, few),
	} {
		must.Err(t, traits.Check(p), want)
	}
}

// Draws of a posterior under a product are those under the Gaussian with blocks, up to
// rounding: the coefficients without data are drawn from their prior.
func TestPosteriorOfAProduct(t *testing.T) {
	cells, beta, whole := twoParts(t)
	obs := make(expfam.Observations, 8)
	for j := range 6 {
		obs[j] = expfam.Must(expfam.Poisson{}.Reduce(float64(j), expfam.Given(1)))
	}
	s := Sampler{Draws: 6, Seed: 3, Engine: enginetest.Open(t, "go"), DType: dtypes.Float64, Method: Multistep{N: 12},
		Fresh: true}
	got, want := expfam.Must(Sample(expfam.Product(cells, beta), poisson, obs, s)),
		expfam.Must(Sample(whole, poisson, obs, s))
	sameDraws(t, "product", got.X, want.X, 1e-8) // twelve steps, whose moments differ by 1e-11
}

// A bounded part keeps its draws within its bounds beside one that has none.
func TestProductKeepsBounds(t *testing.T) {
	wide := gp.RBF{Cells: 3, Variance: 4}
	prior := expfam.Product(narrow{wide}, gp.RBF{Cells: 2, Variance: 4})
	x := expfam.Must(Draw(prior, Sampler{Draws: 200, Engine: enginetest.Open(t, "go"), Fresh: true})).X
	beyond := 0
	for i := range 200 {
		for j, v := range x.RawRowView(i) {
			must.Need(t, j >= 3 || math.Abs(v) <= 0.5, "draw %d, cell %d is %g, beyond 0.5", i, j, v)
			if j >= 3 && math.Abs(v) > 0.5 {
				beyond++
			}
		}
	}
	must.Be(t, beyond >= 200, "the part without bounds has %d of 400 values beyond 0.5", beyond)
}

// narrow says that its cells are within a half of 0.
type narrow struct{ gp.RBF }

func (narrow) Bounds() (low, high float64) { return -0.5, 0.5 }
