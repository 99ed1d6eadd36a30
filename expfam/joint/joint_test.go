package joint_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// scores returns the scores of the draws of a parameter.
func scores(t *testing.T, post *expfam.Posterior, p law.Parameter) []float64 {
	t.Helper()
	q := must.Get(post.Parameter(p.Name))(t)
	out := make([]float64, len(q.Draws))
	for i, v := range q.Draws {
		out[i] = law.Score(p.Law, v)
	}
	return out
}

// TestNoDataGiveThePrior: parameters that the data do not touch have their laws, and so do those of one missing cell of
// two fields.
func TestNoDataGiveThePrior(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	prior := gp.Unknown{Of: gp.Process{Cells: 8, WithNugget: true}}
	obs := make(expfam.Observations, 8)
	draws := fulltest.N(1000, 4000)
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Fresh: true}))(t)
	for _, p := range prior.Parameters() {
		s := scores(t, post, p)
		slices.Sort(s)
		// The distance of Kolmogorov and Smirnov, at a level of 0.1%.
		d := stat.KolmogorovSmirnov(s, nil, law.Grid(distuv.UnitNormal, 20000), nil)
		must.Be(t, d <= 1.95/math.Sqrt(float64(draws)), "%s: the draws are %.3f from the law", p.Name, d)
	}
}

// TestAgainstChains: package hmc, which walks on its own way, has the same posterior, with data of few events too.
func TestAgainstChains(t *testing.T) {
	laws := law.Laws{"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}
	for name, c := range map[string]struct {
		cells int
		like  expfam.Likelihood
		y     []float64
	}{
		"few events": {12, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x-2)")},
			[]float64{0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0}},
		"bernoulli": {14, expfam.Likelihood{Family: expfam.Bernoulli{}},
			[]float64{0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "bernoulli" && !*fulltest.Full {
				t.Skip("one case without -full")
			}
			prior := gp.Unknown{Of: gp.RBF{Cells: c.cells}, Laws: laws}
			obs := expfam.Must(c.like.Observe1(c.y...))
			againstChains(t, prior, c.like, obs, fulltest.N(1500, 6000), fulltest.N(400, 5000))
		})
	}
}

// againstChains compares the parameters and the cells of independent draws with those of long chains of package hmc.
func againstChains(t *testing.T, prior expfam.Parametric, like expfam.Likelihood, obs expfam.Observations, draws,
	long int) {
	t.Helper()
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
	chains, err := hmc.Joint(prior, like, obs, hmc.Options{Draws: long, Warmup: 300, Seed: 2})
	var loose *hmc.NotConverged
	if err != nil && !(errors.As(err, &loose) && loose.RHat < 1.05) { // short chains
		t.Fatal(err)
	}
	// the standard error of both, with the effective draws of the chains
	se := math.Sqrt(1/float64(draws) + 1/chains.Info.Diagnostics["ess_bulk"])
	for _, p := range append(prior.Parameters(), expfam.Must(like.Unknowns())...) {
		m1, s1 := stat.MeanStdDev(scores(t, post, p), nil)
		m2, s2 := stat.MeanStdDev(scores(t, chains, p), nil)
		t.Logf("%s: %.3f sd off, width %.3f, standard error %.3f", p.Name, (m1-m2)/s2, s1/s2, se)
		must.Be(t, math.Abs(m1-m2)/s2 <= 4*se && math.Abs(s1/s2-1) <= 4*se,
			"%s: mean %.3f and sd %.3f, and %.3f and %.3f of the chains", p.Name, m1, s1, m2, s2)
	}
	x1, x2 := post.Latent(), chains.Latent()
	for j, m := range x1.Mean() {
		if off := (m - x2.Mean()[j]) / x2.SD()[j]; math.Abs(off) > 5*se {
			t.Errorf("cell %d: the mean is %.3f sd off", j, off)
		}
	}
	t.Log(post.Info.Diagnostics, post.Info.Seconds)
}

// TestOneCell: changing the prior to an unknown one changes nothing else in a cell, and coefficients of covariates join
// the same posterior.
func TestOneCell(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 4, 9, 20, 18, 6))
	s := diffusion.Sampler{Draws: 60, Seed: 1, Fresh: true}
	for name, prior := range map[string]expfam.Prior{"known": gp.RBF{Cells: 6},
		"unknown": gp.Unknown{Of: gp.RBF{Cells: 6}}} {
		post := must.Get(diffusion.Sample(prior, like, obs, s))(t)
		if draws, cells := post.Dims(); draws != 60 || cells != 6 || len(post.Parameters) > 0 != (name == "unknown") {
			t.Errorf("%s: %d draws of %d cells and parameters %v", name, draws, cells, post.Parameters)
		}
	}
	z := mat.NewDense(6, 1, []float64{-1, -1, 0, 1, 1, 0})
	beta := expfam.Must(gp.New([]float64{0}, mat.NewSymDense(1, []float64{4})))
	like.Operator = operator.Design(z)
	post := must.Get(diffusion.Sample(expfam.Product(gp.Unknown{Of: gp.RBF{Cells: 6}}, beta), like, obs, s))(t)
	if _, cells := post.Dims(); cells != 7 || len(post.Parameters) != 2 || post.Latent().Mean()[6] < 0.2 {
		t.Errorf("%d cells, %d parameters, coefficient %g", cells, len(post.Parameters), post.Latent().Mean()[6])
	}
}

// TestSharesAndStore: draw k depends on the seed and k alone, and a stored posterior is that which was made.
func TestSharesAndStore(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 4, 9, 20))
	prior := gp.Unknown{Of: gp.RBF{Cells: 4}}
	whole := expfam.Must(joint.Sample(prior, like, obs, joint.Options{Draws: 10, Seed: 7}))
	again := expfam.Must(joint.Sample(prior, like, obs, joint.Options{Draws: 10, Seed: 7}))
	if !mat.Equal(whole.X, again.X) || !slices.Equal(whole.Parameters[1].Draws, again.Parameters[1].Draws) ||
		again.Likelihood.String() != whole.Likelihood.String() {
		t.Error("the stored posterior is another one")
	}
	first := expfam.Must(joint.Sample(prior, like, obs, joint.Options{Draws: 6, Seed: 7}))
	second := expfam.Must(joint.Sample(prior, like, obs, joint.Options{Draws: 4, First: 6, Seed: 7}))
	merged := expfam.Must(expfam.Merge(second, first))
	must.Be(t, mat.Equal(merged.X, whole.X) && slices.Equal(merged.Parameters[0].Draws, whole.Parameters[0].Draws),
		"the shares are not the whole")
}

// vast is a prior of a million areas. Its precision is not asked for.
type vast struct{ expfam.Prior }

func (vast) Dim() int                       { return 1e6 }
func (vast) Sparse() (*latent.Field, error) { panic("asked") }

// TestRefused: models that cannot be inferred are refused in one sentence.
func TestRefused(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 4))
	unknown := gp.Unknown{Of: gp.RBF{Cells: 2}}
	of := func(l law.Law) gp.Unknown { return gp.Unknown{Of: gp.RBF{Cells: 2}, Laws: law.Laws{"sd": l}} }
	for name, c := range map[string]struct {
		prior expfam.Prior
		obs   expfam.Observations
		want  string
	}{
		"no prior":   {nil, obs, "no prior"},
		"of nothing": {gp.Unknown{}, obs, "Unknown has no process"},
		"known":      {gp.RBF{Cells: 2}, obs, "neither the prior"},
		"data":       {unknown, obs[:1], "1 observations of 2 data"},
		"twice":      {expfam.Product(unknown, unknown), make(expfam.Observations, 4), `two parameters have the name`},
		"improper":   {of(distuv.Uniform{Max: math.Inf(1)}), obs, "proper"},
		"impossible": {of(law.HalfNormal{SD: -1}), obs, "positive"},
		"constant":   {of(distuv.Uniform{Min: 3, Max: 3}), obs, "is the constant 3"},
		"absurd":     {of(law.LogNormal{Median: 1, SD: 500}), obs, "do not rise from 0"},
		"no law":     {of(nil), obs, "there is no law"},
		"vast":       {vast{gp.RBF{}}, nil, "1000000 cells takes about 2.5e+03 s and 5.3 GB"},
	} {
		if _, err := joint.Sample(c.prior, like, c.obs, joint.Options{Fresh: true}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.want)
		}
	}
	must.Refuse(joint.Sample(unknown, like, obs, joint.Options{Draws: 1e9}))(t, "or fewer draws")
	s := diffusion.Sampler{Method: diffusion.Restarts{}, Fresh: true}
	if _, err := diffusion.Sample(unknown, like, obs, s); err == nil || !strings.Contains(err.Error(), "leave Method") {
		t.Errorf("a method of the diffusion: error %v", err)
	}
}

// stopping is a prior that calls stop at a call of Normal.
type stopping struct {
	gp.Unknown
	at    int64
	calls *atomic.Int64
	stop  func()
}

func (s stopping) Normal(values []float64) ([]float64, *mat.SymDense, error) {
	if s.calls.Add(1) == s.at {
		s.stop()
	}
	return s.Unknown.Normal(values)
}

// TestInterruptedSearch: nothing is computed after an interrupt, also in the search for the mode of the parameters and
// in the trial of steps.
func TestInterruptedSearch(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 4))
	run := func(at int64) (*expfam.Posterior, int64, error) {
		ctx, stop := context.WithCancel(t.Context())
		prior := stopping{gp.Unknown{Of: gp.RBF{Cells: 2, Length: 0.1}}, at, new(atomic.Int64), stop}
		post, err := joint.SampleContext(ctx, prior, like, obs, joint.Options{Draws: 1, Fresh: true})
		return post, prior.calls.Load(), err
	}
	whole, calls, err := run(0)
	must.Do(t, err)
	trial := calls - int64(whole.Info.Diagnostics["steps"]) - 30 // of some 48 calls before those of the draw
	// One call checks the model, one is for the key, and 15 are for the coarse grid.
	for _, at := range []int64{20, trial} {
		_, calls, err := run(at)
		must.Be(t, errors.Is(err, expfam.ErrInterrupted) && calls <= at+2*int64(runtime.GOMAXPROCS(0)),
			"%d calls, and %d before the interrupt; error %v", calls, at, err)
	}
}

// TestInterrupt: an interrupt returns the finished draws, or an error before the first.
func TestInterrupt(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 4))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := joint.SampleContext(ctx, gp.Unknown{Of: gp.RBF{Cells: 2}}, like, obs, joint.Options{Fresh: true})
	must.Be(t, errors.Is(err, expfam.ErrInterrupted), "error %v", err)
}

// TestDenseIsRefused: the factors of a covariance of 3000 places take too long.
func TestDenseIsRefused(t *testing.T) {
	const cells = 3000
	like := expfam.Likelihood{Family: expfam.Normal{}, Unknown: law.Laws{"noise sd": nil}}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{make([]float64, cells)}}))(t)
	must.Refuse(joint.Sample(gp.Unknown{Of: gp.Process{Cells: cells}}, like, obs, joint.Options{}))(t,
		"the covariance of 3000 cells takes about 1.4e+03 s and 0.58 GB, and at most 300 s are taken")
}
