package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// meanFamily is a family as far as a Posterior looks at one: y = θ + known.
type meanFamily struct{ Natural_ Natural }

func (meanFamily) String() string                          { return "mean" }
func (f meanFamily) Natural() Natural                      { return f.Natural_ }
func (meanFamily) Reduce(y float64, _ Known) (Term, error) { return Term{y, 1, 0}, nil }
func (meanFamily) Conjugate() Conjugate                    { return nil }
func (meanFamily) DefaultLink() Link                       { return expLink{} }
func (meanFamily) Rand(theta float64, known Known, r *rand.Rand) float64 {
	return theta + known.Or(0)*r.NormFloat64()
}

type expLink struct{}

func (expLink) String() string            { return "exp(x)" }
func (expLink) Inverse(x *g.Node) *g.Node { return g.Exp(x) }
func (expLink) At(x float64) float64      { return math.Exp(x) }

type twiceLink struct{ expLink }

func (twiceLink) String() string       { return "2*x" }
func (twiceLink) At(x float64) float64 { return 2 * x }

func positive() Likelihood { return Likelihood{Family: meanFamily{Natural{Low: 0, High: math.Inf(1)}}} }

// wave is the column of draws for which NumPy gave the values below.
func wave(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		k := float64(i + 1)
		x[i] = math.Sin(k*k) * math.Exp(k/5)
	}
	return x
}

var closeTo = must.Absolute

func TestSummaries(t *testing.T) {
	x := wave(11)
	d := &Draws{X: mat.NewDense(11, 1, x)}
	// NumPy 2.4.6: np.quantile, mean, std(ddof=1) of sin(i²)exp(i/5), i = 1…11.
	const rounding = 1e-13
	for p, want := range map[float64]float64{
		0: -3.8676577258482308, 0.025: -3.8533933712428245, 0.3: -3.2928217549287386, 0.5: -0.6407406146868304,
		0.975: 7.8999703645470944, 1: 9.014320886570632,
	} {
		closeTo(t, "quantile", d.Quantile(p)[0], want, rounding)
	}
	closeTo(t, "median", d.Median()[0], -0.6407406146868304, rounding)
	closeTo(t, "mean", d.Mean()[0], -0.13565700326028543, rounding)
	closeTo(t, "sd", d.SD()[0], 3.9947135545173658, rounding)
	low, high := d.EqualTailed(0.95)
	closeTo(t, "equal-tailed low", low[0], -3.8533933712428245, rounding)
	closeTo(t, "equal-tailed high", high[0], 7.8999703645470944, rounding)
	must.Equal(t, d.Functional(func(x []float64) float64 { return -x[0] })[3], -x[3], "functional of draw 3")
}

func TestSummariesOfManyCells(t *testing.T) {
	// Enough numbers that several processors share the work.
	rng := Stream(1, "many cells")
	d := &Draws{X: mat.NewDense(100, 3000, nil)}
	d.X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d.X)
	mean := d.Mean()
	for _, j := range []int{0, 1499, 1500, 2999} {
		closeTo(t, "mean", mean[j], stat.Mean(mat.Col(nil, j, d.X), nil), 0)
	}
}

func TestNaN(t *testing.T) {
	d := &Draws{X: mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6})}
	for name, values := range map[string][]float64{"mean": d.Mean(), "sd": d.SD(), "median": d.Median()} {
		must.Be(t, !math.IsNaN(values[0]) && math.IsNaN(values[1]), "%s is %v, want NaN in cell 1 only", name, values)
	}
	p := &Posterior{X: d.X, Likelihood: positive()}
	must.Err(t, p.Check(), "draw 1, cell 1")
	must.Refuse(p.File())(t, "draw 1, cell 1")
	q := (&Draws{X: mat.NewDense(2, 1, []float64{1, 2})}).Quantile(1.5)
	must.Be(t, math.IsNaN(q[0]), "quantile 1.5 is %v, want NaN", q[0])
}

func TestPosteriorAppliesTheLink(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 1, -1, 2, 3, -2})
	p := &Posterior{X: x, Likelihood: positive()}
	draws, cells := p.Dims()
	must.Need(t, draws == 3 && cells == 2, "dims (%d, %d)", draws, cells)
	t.Run("default link of the family", func(t *testing.T) {
		closeTo(t, "θ", p.At(2, 0), math.Exp(3), 0)
		closeTo(t, "median θ", p.Median()[0], 1, 0)
		closeTo(t, "x₀", p.Latent().At(2, 0), 3, 0)
	})
	t.Run("given link", func(t *testing.T) {
		q := &Posterior{X: x, Likelihood: Likelihood{Family: meanFamily{}, Link: twiceLink{}}}
		closeTo(t, "θ", q.At(2, 0), 6, 0)
	})
	t.Run("no likelihood", func(t *testing.T) { closeTo(t, "θ", (&Posterior{X: x}).At(2, 0), 3, 0) })
	t.Run("coverage", func(t *testing.T) {
		must.Equal(t, must.Get(p.Coverage([]float64{1, 100}, 0.95))(t), 0.5, "coverage")
		for name, truth := range map[string][]float64{"length": {1}, "NaN": {1, math.NaN()}} {
			_, err := p.Coverage(truth, 0.95)
			must.Be(t, err != nil, "%s: no error", name)
		}
	})
}

func TestPredictive(t *testing.T) {
	x := mat.NewDense(2000, 2, nil)
	p := &Posterior{X: x, Likelihood: positive()}
	y := must.Get(p.Predictive(1, []Known{{}, Given(3)}))(t)
	closeTo(t, "y without noise", y.At(7, 0), 1, 0)
	closeTo(t, "sd of y", y.SD()[1], 3, 0.2) // 4 standard errors of 3/√4000
	short := &Posterior{X: mat.NewDense(5, 2, nil), Likelihood: positive()}
	z := must.Get(short.Predictive(1, []Known{{}, Given(3)}))(t)
	closeTo(t, "draw 4 of 5 and of 2000", z.At(4, 1), y.At(4, 1), 0)
	short.Info.First = 4
	z = must.Get(short.Predictive(1, []Known{{}, Given(3)}))(t)
	closeTo(t, "the first draw of a share from draw 4 on", z.At(0, 1), y.At(4, 1), 0)
	other, _ := short.Predictive(2, []Known{{}, Given(3)})
	must.Be(t, other.At(0, 1) != z.At(0, 1), "the seed is ignored")
	t.Run("θ outside the support", func(t *testing.T) {
		bad := &Posterior{X: mat.NewDense(1, 2, []float64{1, -1}), Likelihood: positive()}
		bad.Likelihood.Link = twiceLink{}
		must.Refuse(bad.Predictive(1, nil))(t, "draw 0, cell 1")
	})
	for _, f := range []Family{Normal{}, LogNormal{}, Poisson{}, Gamma{}, Pareto{}, Binomial{}, NegativeBinomial{},
		Weibull{}} {
		t.Run("impossible constant of "+f.String(), func(t *testing.T) {
			p := &Posterior{X: mat.NewDense(1, 2, nil), Likelihood: Likelihood{Family: f}}
			must.Refuse(p.Predictive(1, []Known{Given(1), Given(-1)}))(t, "cell 1")
		})
	}
	t.Run("wrong length", func(t *testing.T) { must.Refuse(p.Predictive(1, []Known{{}}))(t) })
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.safetensors")
	p := &Posterior{
		X:          mat.NewDense(2, 3, []float64{1, math.Pi, -3, 4, 5, 1e-300}),
		Likelihood: positive(),
		Info: Info{Method: "hmc", Seed: math.MaxUint64, Seconds: 0.1,
			Diagnostics: map[string]float64{"rhat": math.NaN(), "divergences": 0}},
	}
	must.Do(t, p.Save(path))
	q := must.Get(LoadPosterior(path, p.Likelihood))(t)
	must.Be(t, mat.Equal(p.X, q.X), "the draws differ")
	d := q.Info.Diagnostics
	must.Be(t, math.IsNaN(d["rhat"]) && len(d) == 2, "diagnostics %v", d)
	p.Info.Diagnostics, q.Info.Diagnostics = nil, nil
	must.Equal(t, p.Info, q.Info, "info")
	t.Run("another link is refused", func(t *testing.T) {
		must.Refuse(LoadPosterior(path, Likelihood{Family: meanFamily{}, Link: twiceLink{}}))(t, "exp(x)", path)
	})
	t.Run("draws that no posterior has are refused", func(t *testing.T) {
		for _, v := range []float64{math.NaN(), math.Inf(-1)} {
			f := must.Get(p.File())(t)
			f.Tensors[0].Data.([]float64)[4] = v
			must.Refuse(p.Likelihood.Restore(f))(t, "draw 1, cell 1")
		}
	})
	t.Run("another kind of file is refused", func(t *testing.T) { must.Refuse(positive().Restore(&store.File{}))(t) })
}

func BenchmarkEqualTailed(b *testing.B) {
	for _, cells := range []int{30, 4096} {
		b.Run(fmt.Sprintf("500 draws, %d cells", cells), func(b *testing.B) {
			rng := Stream(1, "benchmark")
			d := &Draws{X: mat.NewDense(500, cells, nil)}
			d.X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d.X)
			for b.Loop() {
				d.EqualTailed(0.95)
			}
		})
	}
}

// Draws that are u itself are not above it, and the share is NaN in a cell with a NaN in any draw.
func TestAbove(t *testing.T) {
	d := &Draws{X: mat.NewDense(4, 2, []float64{1, 5, 2, 5, 3, 5, 4, 5})}
	for _, c := range []struct{ u, first, second float64 }{{0, 1, 1}, {2, 0.5, 1}, {4, 0, 1}, {5, 0, 0}} {
		if got := d.Above(c.u); got[0] != c.first || got[1] != c.second {
			t.Errorf("above %g: %v, want %g and %g", c.u, got, c.first, c.second)
		}
	}
	got := (&Draws{X: mat.NewDense(2, 2, []float64{math.NaN(), 5, 3, 1})}).Above(2)
	must.Be(t, math.IsNaN(got[0]) && got[1] == 0.5, "above 2: %v, want NaN and 0.5", got)
}
