package gp

import (
	"reflect"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestEmpiricalRecoversAStationaryField(t *testing.T) {
	s, _ := lattice(t, 9, 6)
	const draws = 20000
	got := must.Get(Empirical(s, 9, 6, draws, 1))(t)
	x, image, want := make([]float64, 54), make([]float64, 54), make([]float64, 54)
	x[0] = 1 // the first column of K holds lags up to the corner
	torus := newHartley(s.Rows, s.Cols)
	got.multiply(torus, x, image)
	s.multiply(torus, x, want)
	for j := range want {
		// A single pair of cells has the error √((1 + ρ²)/draws) < 0.01, and
		// clipping the noise of the estimate moves it by about as much.
		within(t, "covariance", image[j], want[j], 0.03)
	}
	within(t, "mean", got.Level, s.Level, 0.01)
}

func TestEmpiricalIsStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	s, _ := lattice(t, 5, 4)
	other := *s
	other.Level += 1e-9
	estimate := func(sim expfam.Simulator, draws int, seed uint64) (got *Stationary, loaded bool) {
		loaded = storetest.Loads(t, func() {
			got = must.Get(Empirical(sim, 5, 4, draws, seed))(t)
		})
		return got, loaded
	}
	first, loaded := estimate(s, 10, 1)
	must.Need(t, !loaded, "loaded from an empty store")
	if again, loaded := estimate(s, 10, 1); !loaded || !reflect.DeepEqual(again, first) {
		t.Errorf("loaded: %v, equal: %v", loaded, reflect.DeepEqual(again, first))
	}
	for name, c := range map[string]struct {
		sim   expfam.Simulator
		draws int
		seed  uint64
	}{"draws": {s, 11, 1}, "seed": {s, 10, 2}, "simulator": {&other, 10, 1}} {
		_, loaded := estimate(c.sim, c.draws, c.seed)
		must.Be(t, !loaded, "another %s: loaded", name)
	}
}

func TestStationaryPosteriorsAreStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	s, _ := lattice(t, 5, 4)
	other := *s
	other.Level += 1e-9
	run := func(s *Stationary, first expfam.Term, like expfam.Likelihood, o Options) (post *expfam.Posterior,
		loaded bool) {
		obs := make(expfam.Observations, s.Dim())
		obs[0], obs[7] = first, expfam.Term{Size: 1}
		loaded = storetest.Loads(t, func() {
			post = must.Get(s.Sample(like, obs, o))(t)
		})
		return post, loaded
	}
	term, poisson := expfam.Term{Stat: 1, Size: 1}, expfam.Likelihood{Family: expfam.Poisson{}}
	first, loaded := run(s, term, poisson, Options{Draws: 3, Seed: 1})
	must.Need(t, !loaded, "loaded from an empty store")
	again, loaded := run(s, term, poisson, Options{Draws: 3, Seed: 1})
	must.Be(t, loaded, "sampled again")
	storetest.Equal(t, again, first)
	for name, f := range map[string]func() (*expfam.Posterior, bool){
		"draws": func() (*expfam.Posterior, bool) { return run(s, term, poisson, Options{Draws: 4, Seed: 1}) },
		"seed":  func() (*expfam.Posterior, bool) { return run(s, term, poisson, Options{Draws: 3, Seed: 2}) },
		"prior": func() (*expfam.Posterior, bool) { return run(&other, term, poisson, Options{Draws: 3, Seed: 1}) },
		"missing": func() (*expfam.Posterior, bool) {
			return run(s, expfam.Term{}, poisson, Options{Draws: 3, Seed: 1})
		},
		"link": func() (*expfam.Posterior, bool) {
			return run(s, term, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")},
				Options{Draws: 3, Seed: 1})
		},
	} {
		_, loaded := f()
		must.Be(t, !loaded, "another %s: loaded", name)
	}
	_, unchanged := run(s, term, poisson, Options{Draws: 3, Seed: 5, Fresh: true})
	must.Be(t, unchanged, "fresh: stored")
}
