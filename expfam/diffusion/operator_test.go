package diffusion_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// rowsOf is an operator by its rows.
type rowsOf struct {
	name    string
	h, back *sparse.Matrix
	offset  []float64
}

func weighted(name string, rows ...[]float64) rowsOf {
	h := sparse.New(len(rows), len(rows[0]), func(k int, visit func(int, float64)) {
		for j, w := range rows[k] {
			visit(j, w)
		}
	})
	return rowsOf{name, h, h.Transpose(), nil}
}

func (w rowsOf) String() string                               { return w.name }
func (w rowsOf) Dims() (data, cells int)                      { return w.h.Rows, w.h.Cols }
func (w rowsOf) Apply(x *node) *node                          { return w.h.Apply(x) }
func (w rowsOf) Adjoint(y *node) *node                        { return w.back.Apply(y) }
func (w rowsOf) Row(k int, visit func(j int, weight float64)) { w.h.Row(k, visit) }
func (w rowsOf) Offset() []float64                            { return w.offset }

// cells6 are six cells that are correlated by .9 to .1.
func cells6() *gp.Gaussian {
	cov := mat.NewSymDense(6, nil)
	for i := range 6 {
		for j := i; j < 6; j++ {
			cov.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/4)*(1+0.2*float64(i*j)/25))
		}
	}
	return expfam.Must(gp.New([]float64{0.2, 0, -0.1, 0, 0.3, 0}, cov))
}

func eye(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		rows[i][i] = 1
	}
	return rows
}

// An operator that is the identity, and a sum of single cells, change no bit.
func TestIdentityOperator(t *testing.T) {
	prior := cells6()
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := expfam.Must(like.Observe1(3, 0, 2, 9, 4, 1))
	s := Sampler{Draws: 20, Engine: enginetest.Open(t, "go"), Fresh: true}
	want := expfam.Must(Sample(prior, like, obs, s))
	for _, op := range []expfam.Operator{weighted("identity", eye(6)...),
		expfam.SumOf{Operator: weighted("identity", eye(6)...)}} {
		like.Operator = op
		got := expfam.Must(Sample(prior, like, obs, s))
		must.Be(t, mat.Equal(got.X, want.X), "%v: other draws", op)
	}
}

// Normal data have a closed form whatever the operator: a row of ones, differences, an
// orthogonal matrix, more data than cells, and an offset.
func TestOperatorsOfNormalData(t *testing.T) {
	rotation := make([][]float64, 6)
	for i := range rotation { // reflection by a random vector
		rotation[i] = make([]float64, 6)
	}
	v, square := make([]float64, 6), 0.0
	for i := range v {
		v[i] = expfam.Stream(3, "reflection").NormFloat64() + float64(i)
		square += v[i] * v[i]
	}
	for i := range rotation {
		for j := range rotation {
			rotation[i][j] = -2 * v[i] * v[j] / square
		}
		rotation[i][i]++
	}
	shifted := weighted("shifted", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 0, 1, 0, -1})
	shifted.offset = []float64{3, -2}
	for i, op := range []rowsOf{
		weighted("differences", []float64{-1, 1, 0, 0, 0, 0}, []float64{0, 0, -1, 1, 0, 0},
			[]float64{0, 0, 0, 0, -1, 1}),
		weighted("twice", append(eye(6), rotation...)...), // more rows than cells
		shifted,
		weighted("ones", []float64{1, 1, 1, 1, 1, 1}),
		weighted("reflection", rotation...),
	} {
		if i == 3 && !*fulltest.Full { // rows like those of the others
			break
		}
		t.Run(op.name, func(t *testing.T) {
			prior := cells6()
			like := expfam.Likelihood{Family: expfam.Normal{SD: 0.3}, Operator: op}
			x := make([]float64, 6)
			prior.Draw(expfam.Stream(9, op.name), x)
			theta := expfam.Must(like.Theta(x))
			obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(theta, nil, 1, 4))))
			exact := expfam.Must(gp.Exact(prior, like, obs))
			post := expfam.Must(Sample(prior, like, obs,
				Sampler{Draws: 1500, Engine: enginetest.Open(t, "go"), Fresh: true}))
			// 1500 draws: 4 standard errors of the mean are .1 sd, of the sd 7%; the sampler itself is good to 2%.
			agrees(t, "draws", post, exact.Mean, exact.Cov, 0.12, 0.09)
			chain := expfam.Must(hmc.Sample(prior, like, obs, hmc.Options{Draws: 1000, Seed: 2, Fresh: true}))
			agrees(t, "hmc", chain, exact.Mean, exact.Cov, 0.12, 1)
		})
	}
}

// Correlations by lag of a field with edges, or of a grid that is taken for a line, have negative eigenvalues, and
// precondition the solves all the same: means and widths behind a blur are those of the closed form.
func TestFieldBehindABlur(t *testing.T) {
	const side, draws = 12, 64
	grid := gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 6, SD: 1}
	field, line := must.Get(grid.Field())(t), must.Get(grid.Gaussian())(t)
	like := expfam.Likelihood{Family: expfam.Normal{SD: 1},
		Operator: &operator.Convolution{Rows: side, Cols: side, Kernel: operator.Gaussian{SD: 1.5}}}
	x := make([]float64, side*side)
	field.Draw(expfam.Stream(3, "blur"), x)
	obs := must.Get(like.Observe(must.Get(like.Simulate(must.Get(like.Theta(x))(t), nil, 1, 4))(t)))(t)
	for _, prior := range []interface {
		expfam.Prior
		expfam.Linear
	}{field, line} {
		exact := must.Get(gp.Exact(covarianceOf(t, prior), like, obs))(t)
		post := sample(t, prior, like, obs, Sampler{Draws: draws, Engine: enginetest.Fast(t), Moves: -1})
		off, width := onAverage(post, exact)
		off *= math.Sqrt(draws) // the mean of n exact draws is 1/√n sd off
		must.Be(t, off < 1.4 && math.Abs(width-1) < 0.08, "%v: means are %.3f times as far off as those of exact "+
			"draws, widths are %.3f", prior, off, width)
	}
}

// Two cells that are the same count as one cell with the sum of their exposures.
func TestSumOfCellsThatAreOne(t *testing.T) {
	prior := expfam.Must(gp.New(nil, mat.NewSymDense(2, []float64{1, 1, 1, 1})))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink,
		Operator: expfam.SumOf{Operator: weighted("area", []float64{2, 3})}}
	post := expfam.Must(Sample(prior, like, expfam.Must(like.Observe1(11)),
		Sampler{Draws: 2000, Engine: enginetest.Fast(t), Fresh: true}))
	one := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(one.Observe(expfam.Data{Y: [][]float64{{11}}, Known: [][]float64{{5}}}))
	want := expfam.Must(hmc.Sample(expfam.Must(gp.New(nil, mat.NewSymDense(1, []float64{1}))), one, obs,
		hmc.Options{Draws: 4000, Seed: 1, Fresh: true}))
	mean, sd := want.Latent().Mean()[0], want.Latent().SD()[0]
	// 2000 draws: 4 standard errors are .09 sd, and 6% of the sd.
	agrees(t, "both", post, []float64{mean, mean}, mat.NewDiagDense(2, []float64{sd * sd, sd * sd}), 0.1, 0.08)
}

// Data sets together: the slope by finite differences, of points, sums and an operator
// with an offset; and a Normal data set in two parts is the whole.
func TestTogether(t *testing.T) {
	blurred := weighted("pairs", []float64{0.5, 0.5, 0, 0, 0, 0}, []float64{0, 0, 0.3, 0.7, 0, 0})
	blurred.offset = []float64{1, -1}
	like := expfam.Together(expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")},
		expfam.Likelihood{Family: expfam.Binomial{Trials: 9}, Link: expfam.MustLink("sigmoid(2*x)"), Operator: blurred},
		expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(x)"),
			Operator: expfam.SumOf{Operator: weighted("areas", []float64{1, 2, 3, 0, 0, 0},
				[]float64{0, 0, 0, 1, 1, 4})}})
	f := expfam.Must(expfam.Must(like.Terms()).Forward(6))
	obs := make(expfam.Observations, f.Data())
	for k := range obs {
		obs[k] = expfam.Term{Stat: float64(k%4) + 1, Size: 5}
	}
	x, slope := []float64{0.3, -0.2, 0.5, 1.1, -0.7, 0.1}, make([]float64, 6)
	f.LogLikSlope(x, obs, slope)
	for j := range x {
		want := fd.Derivative(func(v float64) float64 {
			at := append([]float64(nil), x...)
			at[j] = v
			return f.LogLikSlope(at, obs, make([]float64, 6))
		}, x[j], &fd.Settings{Formula: fd.Central, Step: 1e-4})
		if math.Abs(slope[j]-want) > 1e-6 { // truncation of 1e-8 times third derivatives
			t.Errorf("slope in cell %d is %.8g, by differences %.8g", j, slope[j], want)
		}
	}
	prior := cells6()
	rows := [][]float64{{1, 1, 0, 0, 0, 0}, {0, 0, 1, -1, 0, 0}, {0, 1, 0, 0, 1, 1}}
	whole := expfam.Likelihood{Family: expfam.Normal{SD: 0.4}, Operator: weighted("whole", rows...)}
	first, rest := whole, whole
	first.Operator, rest.Operator = weighted("first", rows[0]), weighted("rest", rows[1:]...)
	data := expfam.Must(whole.Observe1(1.5, -0.4, 0.2))
	exact := expfam.Must(gp.Exact(prior, whole, data))
	post := expfam.Must(Sample(prior, expfam.Together(first, rest), data,
		Sampler{Draws: 1500, Engine: enginetest.Open(t, "go"), Fresh: true}))
	agrees(t, "together", post, exact.Mean, exact.Cov, 0.12, 0.09)
	seen := expfam.Must(post.Seen())
	must.Need(t, len(seen) == 2 && len(seen[1].Mean()) == 2, "%d posteriors of data", len(seen))
	if got := stat.Mean(seen[0].Functional(func(theta []float64) float64 { return theta[0] }),
		nil); math.Abs(got-exact.Mean[0]-exact.Mean[1]) > 0.05 {
		t.Errorf("the first datum looks at %.3f, want %.3f", got, exact.Mean[0]+exact.Mean[1])
	}
}

// unlisted is an operator without rows, whose adjoint may be wrong.
type unlisted struct {
	w     rowsOf
	wrong bool
}

func (u unlisted) String() string          { return "unlisted" }
func (u unlisted) Dims() (data, cells int) { return u.w.Dims() }
func (u unlisted) Apply(x *node) *node     { return u.w.Apply(x) }
func (u unlisted) Adjoint(y *node) *node {
	if u.wrong {
		return graph.MulScalar(u.w.Adjoint(y), 2)
	}
	return u.w.Adjoint(y)
}

// wrong is an operator with a field that Check refuses. Like those of package operator, its other methods panic.
type wrong struct{ rowsOf }

func (wrong) Check() error                { return errors.New("the weights are missing; give them") }
func (wrong) Dims() (data, cells int)     { panic("the weights are missing") }
func (wrong) Row(int, func(int, float64)) { panic("the weights are missing") }

// An operator that is wrong is an error wherever a likelihood is used, and no panic.
func TestAWrongOperatorIsAnError(t *testing.T) {
	for name, op := range map[string]expfam.Operator{"operator": wrong{weighted("w", []float64{1})},
		"sum": expfam.SumOf{Operator: wrong{weighted("w", []float64{1})}}} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: op}
		_, onField := like.ObserveOn(cells6(), tall{1})
		_, theta := like.Theta(make([]float64, 6))
		_, forward := expfam.Must(like.Terms()).Forward(6)
		for what, err := range map[string]error{"ObserveOn": onField, "Theta": theta, "Forward": forward} {
			must.Be(t, err != nil && strings.Contains(err.Error(), "the weights are missing; give them"),
				"%s, %s: error %v", name, what, err)
		}
	}
}

// tall is a raster of one column of zeros.
type tall struct{ rows int }

func (f tall) Dims() (cols, rows int) { return 1, f.rows }
func (f tall) Z(c, r int) float64     { return 0 }

// What is wrong with an operator is said before the first step, with the datum.
func TestOperatorsAreRefused(t *testing.T) {
	ones := weighted("ones", []float64{1, 1, 1, 1, 1, 1})
	offset := ones
	offset.offset = []float64{-1}
	nan := weighted("nan", []float64{1, 0, 0, 0, 0, 0}, []float64{0, math.NaN(), 0, 0, 0, 0})
	for _, c := range []struct {
		like expfam.Likelihood
		n    int
		want string
	}{
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: weighted("five", []float64{1, 1, 1, 1, 1})}, 1,
			"looks at 5 cells, and the prior has 6"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: ones}, 6, "6 observations of 1 data"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: weighted("empty", make([]float64, 6))}, 1,
			"datum 0 of the operator empty looks at no cell"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: nan}, 2,
			"datum 1 of the operator nan has the weight NaN at cell 1"},
		{expfam.Likelihood{Family: expfam.Poisson{},
			Operator: expfam.SumOf{Operator: weighted("minus", []float64{1, -1, 0, 0, 0, 0})}}, 1,
			"has the weight -1 at cell 1; weights must not be negative"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: offset}}, 1, "has the offset -1"},
		{expfam.Likelihood{Family: expfam.Binomial{}, Operator: expfam.SumOf{Operator: ones}}, 1,
			"a sum of intensities needs a family whose theta is any positive number"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: unlisted{ones, true}}, 1,
			"an Adjoint is the product with the transpose"},
		{expfam.Together(expfam.Likelihood{Family: expfam.Poisson{}},
			expfam.Likelihood{Family: expfam.Poisson{}, Operator: nan}), 8, "data set 1: datum 1"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: wrong{ones}}, 1, "the weights are missing; give them"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: wrong{ones}}}, 1,
			"the weights are missing; give them"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{}}, 1,
			"a sum of intensities has no operator"},
	} {
		t.Run(c.want, func(t *testing.T) {
			must.Refuse(Sample(cells6(), c.like, make(expfam.Observations, c.n), Sampler{Draws: 2, Fresh: true}))(t,
				c.want)
		})
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: ones}
	must.Refuse(Sample(cells6(), like, expfam.Must(like.Observe1(3)),
		Sampler{Draws: 2, Guidance: Evidence{}, Fresh: true}))(t, "guide by Quadrature")
}

// An operator without rows, and one with them, make the same draws; other weights or an offset make another run.
func TestOperatorsAreInTheKey(t *testing.T) {
	h := weighted("h", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 1, -2, 0, 0})
	other := weighted("h", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 1, -2.5, 0, 0})
	moved := h
	moved.offset = []float64{0, 1}
	obs := expfam.Observations{{Stat: 3, Size: 1}, {Stat: 1, Size: 1}}
	runs := map[string]string{}
	var draws *mat.Dense
	for name, op := range map[string]expfam.Operator{"listed": h, "unlisted": unlisted{h, false}, "other": other,
		"moved": moved, "sum": expfam.SumOf{Operator: weighted("h", []float64{1, 1, 0, 0, 0, 0},
			[]float64{0, 0, 1, 2, 0, 0})}} {
		post := expfam.Must(Sample(cells6(), expfam.Likelihood{Family: expfam.Poisson{}, Operator: op}, obs,
			Sampler{Draws: 10, Engine: enginetest.Open(t, "go"), Fresh: true}))
		for former, run := range runs {
			must.Be(t, run != post.Info.Run, "%s and %s are one run", former, name)
		}
		runs[name] = post.Info.Run
		if name == "listed" || name == "unlisted" {
			must.Be(t, draws == nil || mat.Equal(draws, post.X), "an operator without rows makes other draws")
			draws = post.X
		}
	}
}

// Guidance at the Tweedie mean goes through the operator: diffusion posterior sampling of Normal data has the same
// draws as for cells where H is the identity, written as a sum of two halves.
func TestDeltaThroughOperators(t *testing.T) {
	halves := weighted("halves", append(eye(6), eye(6)...)...)
	obs := expfam.Must(expfam.Likelihood{Family: expfam.Normal{}}.Observe1(0.4, 1, -1, 0.2, 0, 0.3))
	half := make(expfam.Observations, 0, 12)
	for range 2 {
		for _, o := range obs {
			half = append(half, expfam.Term{Stat: o.Stat / 2, Size: o.Size / 2, Base: o.Base / 2})
		}
	}
	for _, guide := range []Guidance{Delta{}, DPS{}} {
		s := Sampler{Draws: 20, Guidance: guide, Method: Multistep{N: 20}, Engine: enginetest.Open(t, "go"),
			Fresh: true}
		want := expfam.Must(Sample(cells6(), expfam.Likelihood{Family: expfam.Normal{}}, obs, s))
		got := expfam.Must(Sample(cells6(), expfam.Likelihood{Family: expfam.Normal{}, Operator: halves}, half, s))
		// Rounding of float32 over twenty steps.
		sameDraws(t, guide, got.X, want.X, 1e-4)
	}
}

// A map of 144 cells with two coefficients, whose correlations are kept by lag and apart:
// Normal data of sums of cells with covariates have a closed form.
func TestProductThroughOperators(t *testing.T) {
	const side = 12
	basis, values := mat.NewDense(side, side, nil), mat.NewDense(side, side, nil)
	cov := mat.NewSymDense(side, nil)
	for i := range side {
		for j := i; j < side; j++ {
			cov.SetSym(i, j, math.Exp(-float64((i-j)*(i-j))/8))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(cov, true)
	eigen.VectorsTo(basis)
	for i, a := range eigen.Values(nil) {
		for j, b := range eigen.Values(nil) {
			values.Set(i, j, math.Max(a*b, 0))
		}
	}
	field := expfam.Must(gp.NewLattice(0, basis, basis, values))
	coefficients := expfam.Must(gp.New(nil, mat.NewSymDense(2, []float64{1, 0, 0, 1})))
	prior := expfam.Product(field, coefficients)
	rng, rows := expfam.Stream(2, "design"), [][]float64{}
	for k := range 40 { // means of four cells, with an intercept and a covariate
		row := make([]float64, side*side+2)
		for _, j := range []int{0, 1, side, side + 1} {
			row[(3*k)%(side*(side-1)-1)+j] = 0.25
		}
		row[side*side], row[side*side+1] = 1, rng.NormFloat64()
		rows = append(rows, row)
	}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.3}, Operator: weighted("design", rows...)}
	full := mat.NewSymDense(side*side+2, nil)
	for i := range side * side {
		for j := i; j < side*side; j++ {
			full.SetSym(i, j, cov.At(i/side, j/side)*cov.At(i%side, j%side))
		}
	}
	full.SetSym(side*side, side*side, 1)
	full.SetSym(side*side+1, side*side+1, 1)
	whole := expfam.Must(gp.New(nil, full))
	x := make([]float64, side*side+2)
	whole.Draw(rng, x)
	obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(expfam.Must(like.Theta(x)), nil, 1, 4))))
	exact := expfam.Must(gp.Exact(whole, like, obs))
	post := expfam.Must(Sample(prior, like, obs, Sampler{Draws: 600, Fresh: true}))
	agrees(t, "each", post, exact.Mean, exact.Cov, 0.25, 0.15)
	off, ratio := onAverage(post, exact)
	// 600 draws alone are .041 sd off on average.
	must.Be(t, off <= 0.06 && math.Abs(ratio-1) <= 0.05, "means are %.3f sd off on average, the ratio of sds is %.3f",
		off, ratio)
}

// Shares of a run through an operator are the run.
func TestSharesThroughAnOperator(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{},
		Operator: expfam.SumOf{Operator: weighted("areas", []float64{1, 2, 1, 0, 0, 0}, []float64{0, 0, 0, 3, 1, 1})}}
	obs := expfam.Must(like.Observe1(6, 9))
	s := Sampler{Draws: 12, Batch: 4, Seed: 3, Engine: enginetest.Open(t, "go"), Plan: func(Plan) {}}
	want := sample(t, cells6(), like, obs, s)
	var parts []*expfam.Posterior
	for i := range 3 {
		parts = append(parts, sample(t, cells6(), like, obs, expfam.Must(s.Share(i, 3))))
	}
	must.Be(t, mat.Equal(expfam.Must(expfam.Merge(parts...)).X, want.X), "shares are not the run")
}

// A pointer to a SumOf has the methods of an operator too, and sums intensities like the SumOf itself.
func TestPointerToSumOf(t *testing.T) {
	pairs := weighted("pairs", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 2, 3, 0, 0})
	x := []float64{0, 1, 2, -1, 0, 0}
	want := []float64{1 + math.E, 2*math.Exp(2) + 3*math.Exp(-1)}
	for _, op := range []expfam.Operator{expfam.SumOf{Operator: pairs}, &expfam.SumOf{Operator: pairs}} {
		theta := must.Get(expfam.Likelihood{Family: expfam.Poisson{}, Operator: op}.Theta(x))(t)
		for k := range want {
			if math.Abs(theta[k]-want[k]) > 1e-14*want[k] { // a few roundings
				t.Errorf("%T: theta of datum %d is %v, want %v", op, k, theta[k], want[k])
			}
		}
	}
	for _, op := range []expfam.Operator{expfam.SumOf{}, &expfam.SumOf{}} {
		must.Refuse((expfam.Likelihood{Family: expfam.Poisson{}, Operator: op}).Theta(x))(t, "has no operator")
	}
}

// Operators with the same name and other weights, or other numbers of data, are told apart in files.
func TestLoadPosteriorTellsWeights(t *testing.T) {
	like := func(weight float64, more ...[]float64) expfam.Likelihood {
		return expfam.Likelihood{Family: expfam.Poisson{},
			Operator: expfam.SumOf{Operator: weighted("areas",
				append([][]float64{{1, 1, 0, 0, 0, weight}}, more...)...)}}
	}
	post := &expfam.Posterior{X: mat.NewDense(2, 6, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
		Likelihood: like(2)}
	path := filepath.Join(t.TempDir(), "post")
	must.Do(t, post.Save(path))
	got, err := expfam.LoadPosterior(path, like(2))
	must.Be(t, err == nil && mat.Equal(got.X, post.X), "the same operator: %v", err)
	must.Get(expfam.LoadPosterior(path, like(2*(1+1e-9))))(t, "weights that are rounded otherwise")
	if _, err := expfam.LoadPosterior(path, like(3)); err == nil ||
		!strings.Contains(err.Error(), "theta of datum 0 at the first draw is 448.958, and was 300.545") {
		t.Errorf("another weight: error %v", err) // 1 + e + 3e⁵, 1 + e + 2e⁵
	}
	must.Refuse(expfam.LoadPosterior(path, like(2, []float64{0, 0, 1, 0, 0, 0})))(t, "has 2 data, and had 1")
	// has no cells for the operator
	sums := expfam.Must(post.Through(weighted("two sums", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 1, 0, 0, 1})))
	must.Do(t, sums.Save(path))
	must.Get(expfam.LoadPosterior(path, sums.Likelihood))(t, "sums of draws")
}
