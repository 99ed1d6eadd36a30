package diffusion_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

func TestPosteriorsAreStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	type arguments struct {
		prior expfam.Prior
		like  expfam.Likelihood
		obs   expfam.Observations
		s     Sampler
	}
	var steps int
	base := func() arguments {
		return arguments{few, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
			observe(t, expfam.Likelihood{Family: expfam.Poisson{}}, 1, 2, 0, 0, 3, 1),
			Sampler{Draws: 5, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"),
				Progress: func(int, int, float64) { steps++ }}}
	}
	run := func(t *testing.T, edit func(*arguments)) (post *expfam.Posterior, loaded bool) {
		t.Helper()
		a := base()
		edit(&a)
		steps = 0
		post = must.Get(Sample(a.prior, a.like, a.obs, a.s))(t)
		return post, steps == 0
	}
	first, loaded := run(t, func(*arguments) {})
	must.Need(t, !loaded, "loaded from an empty store")
	for name, edit := range map[string]func(*arguments){
		"the same arguments": func(*arguments) {},
		"defaults written out": func(a *arguments) {
			a.s.Guidance, a.s.DType = Quadrature{Nodes: 7},
				dtypes.Float32
		},
		"the link by its text":    func(a *arguments) { a.like.Link = expfam.MustLink("exp(x)") },
		"the family's own link":   func(a *arguments) { a.like.Link = nil },
		"batches of another size": func(a *arguments) { a.s.Batch = 2 },
	} {
		t.Run("loads/"+name, func(t *testing.T) {
			post, loaded := run(t, edit)
			must.Be(t, loaded && mat.Equal(post.X, first.X),
				"loaded: %v, equal: %v", loaded, mat.Equal(post.X, first.X))
			must.Be(t, post.Likelihood.Family != nil && mat.Equal(post.Theta().X, first.Theta().X), "θ differs")
		})
	}
	for name, edit := range map[string]func(*arguments){ // TestKeysHaveAllFields has the others
		"draws":   func(a *arguments) { a.s.Draws = 6 },
		"data":    func(a *arguments) { a.obs[2].Stat++ },
		"missing": func(a *arguments) { a.obs[2] = expfam.Term{} },
		"link":    func(a *arguments) { a.like.Link = expfam.MustLink("exp(1+x)") },
		"family":  func(a *arguments) { a.like.Family = expfam.Exponential{} },
		"fresh":   func(a *arguments) { a.s.Fresh = true },
	} {
		t.Run("samples again/"+name, func(t *testing.T) {
			_, loaded := run(t, edit)
			must.Be(t, !loaded, "loaded")
		})
	}
	t.Run("a Go function is known by its values", func(t *testing.T) {
		for i, c := range []struct {
			rate   float64
			loaded bool
		}{{1, false}, {1, true}, {1.25, false}, {1, true}} {
			link := expfam.Must(expfam.TableLink("growth", func(x float64) float64 { return math.Exp(c.rate * x) }))
			_, loaded := run(t, func(a *arguments) { a.like.Link = link })
			must.Be(t, loaded == c.loaded, "run %d: loaded is %v", i, loaded)
		}
	})
	t.Run("a corrupt file is reported and made again", func(t *testing.T) {
		files, _ := filepath.Glob(filepath.Join(dir, "posterior", "*"))
		for _, f := range files {
			storetest.Damage(t, f)
		}
		log := storetest.Logged(t)
		post, loaded := run(t, func(*arguments) {})
		must.Be(t, !loaded && mat.Equal(post.X, first.X) && strings.Contains(log.String(), "corrupt"),
			"loaded: %v; log: %s", loaded, log)
		_, loaded = run(t, func(*arguments) {})
		must.Be(t, loaded, "the file was not replaced")
	})
}

// For precise data Quadrature{} takes more steps of conjugate gradients than its default number of 3. A guidance that
// sets this number, or the default number of Newton steps, therefore has posteriors of its own in the store.
func TestQuadratureWithTheDefaultStepsIsStoredApart(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.02}}
	obs := observe(t, like, 0.1, 0.2, 0.3, 0.3, 0.2, 0.1)
	runs := map[string]bool{}
	for _, c := range []struct {
		guidance Quadrature
		steps    string
	}{{Quadrature{}, "cg=6,"}, {Quadrature{Steps: 3}, "cg=3,"}, {Quadrature{Newton: 6}, "cg=6,"}} {
		post := expfam.Must(Sample(gp.RBF{Cells: 6}, like, obs,
			Sampler{Draws: 2, Guidance: c.guidance, Method: Restarts{}, Engine: enginetest.Open(t, "go")}))
		must.Be(t, strings.Contains(post.Info.Method, c.steps),
			"%+v sampled by %s, want %s", c.guidance, post.Info.Method, c.steps)
		runs[post.Info.Run] = true
	}
	must.Be(t, len(runs) == 3, "%d runs of three guidances that take different steps for some data", len(runs))
}

// Links of Go functions of the same name are told apart by their values.
func TestLinksOfCodeAreKnownByTheirValues(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	calls := 0
	obs := make(expfam.Observations, 2)
	for _, factor := range []float64{1, 2, 1} {
		code := expfam.Likelihood{Family: expfam.Normal{},
			Link: expfam.Must(expfam.TableLink("times", func(x float64) float64 { return factor * x }))}
		for _, like := range []expfam.Likelihood{code, expfam.Together(normal, code)} {
			before := calls
			draw := func() (*expfam.Posterior, error) {
				calls++
				return &expfam.Posterior{X: mat.NewDense(1, 1, []float64{float64(calls)}), Likelihood: like}, nil
			}
			must.Get(expfam.Must(expfam.Must(like.Terms()).Forward(len(obs))).Stored(t.Context(), false, obs, draw,
				"test"))(t)
			if made := calls > before; made != (before < 4) {
				t.Errorf("%v with the factor %g: made is %t after %d draws", like, factor, made, calls)
			}
		}
	}
}

// Draws do not depend on what other samplers have left in the store: the correlations of a prior that are measured in
// another precision, or in the blocks of a corrector, differ in their last digits.
func TestDrawsDoNotDependOnTheStore(t *testing.T) {
	prior := hidden{few.Gaussian(), 0}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.3}, Operator: &operator.Downsample{Cols: 6}}
	obs := observe(t, like, 0.5, -0.5, 1)
	e := enginetest.Open(t, "go")
	usual := Sampler{Draws: 3, Engine: e, Method: Restarts{}}
	double := usual
	double.DType = dtypes.Float64
	corrects := Sampler{Draws: 3, Batch: 3, Engine: e, Method: PredictorCorrector{N: 100}}
	for _, c := range []struct {
		name          string
		former, later Sampler
	}{{"single, then double", usual, double}, {"double, then single", double, usual},
		{"a corrector, then none", corrects, usual}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("EXPFAM_STORE", t.TempDir())
			want := expfam.Must(Sample(prior, like, obs, c.later))
			t.Setenv("EXPFAM_STORE", t.TempDir())
			expfam.Must(Sample(prior, like, obs, c.former))
			if got := expfam.Must(Sample(prior, like, obs, c.later)); !mat.Equal(got.X, want.X) {
				t.Errorf("the first draw is %v, and %v in an empty store", got.X.RawRowView(0), want.X.RawRowView(0))
			}
		})
	}
}

// Whatever is wrong with the store, results are those of a run without one, and
// the log says before the first step that they may not be kept.
func TestResultsOutliveTheStore(t *testing.T) {
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	base := Sampler{Draws: 10, Batch: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"),
		Plan: func(Plan) {}, Fresh: true}
	draws := sample(t, few, normal, obs, base)
	base.Fresh = false

	storetest.Broken(t, func(t *testing.T, log *bytes.Buffer) {
		warned := func() {
			t.Helper()
			must.Be(t, strings.Contains(log.String(), "level=WARN"), "nothing was said before the first step")
		}
		s := base
		s.Progress = func(int, int, float64) { warned() }
		if post, err := Sample(few, normal, obs, s); err != nil || !mat.Equal(post.X, draws.X) {
			t.Errorf("Sample: %v", err)
		}
		s.Progress = func(done, _ int, _ float64) {
			if done == 12 {
				storetest.Interrupt(t)
			}
		}
		post, err := Sample(few, normal, obs, s)
		if !errors.Is(err, expfam.ErrInterrupted) || strings.Contains(err.Error(), "they are stored") {
			t.Errorf("interrupted Sample: %v", err)
		} else if !mat.Equal(post.X, draws.X.Slice(0, 8, 0, 6)) {
			t.Error("the draws before the interrupt differ")
		}
		stored, err := expfam.Must(expfam.Must(normal.Terms()).Forward(6)).Stored(t.Context(), false, obs,
			func() (*expfam.Posterior, error) { warned(); return draws, nil }, "test")
		must.Be(t, err == nil && stored == draws, "Stored: %v", err)
	})
}
