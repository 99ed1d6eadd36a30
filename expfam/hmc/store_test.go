package hmc_test

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

// Draws that converged are loaded by the same call, with their statistics, and by no call
// that differs in anything; draws that did not are returned and not stored.
func TestPosteriorsAreStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	type arguments struct {
		prior hmc.Prior
		like  expfam.Likelihood
		y     []float64
		o     hmc.Options
	}
	run := func(t *testing.T, edit func(*arguments)) (post *expfam.Posterior, loaded bool) {
		t.Helper()
		a := arguments{gp.RBF{Cells: 3}, expfam.Likelihood{Family: expfam.Poisson{}}, []float64{3, 0, 4},
			hmc.Options{Chains: 2, Warmup: 300, Draws: 1000, Seed: 1}}
		edit(&a)
		obs := expfam.Must(a.like.Observe1(a.y...))
		loaded = storetest.Loads(t, func() { post = expfam.Must(hmc.Sample(a.prior, a.like, obs, a.o)) })
		return post, loaded
	}
	first, loaded := run(t, func(*arguments) {})
	must.Need(t, !loaded, "loaded from an empty store")
	post, loaded := run(t, func(a *arguments) { a.like.Link = expfam.MustLink("exp(x)") })
	must.Be(t, loaded && mat.Equal(post.X, first.X) && post.Info.Chains == 2 && len(post.Stats["energy"]) == 2000 &&
		post.Info.Diagnostics["rhat"] == first.Info.Diagnostics["rhat"],
		"loaded %t: %+v", loaded, post.Info)
	for name, edit := range map[string]func(*arguments){
		"prior":  func(a *arguments) { a.prior = gp.RBF{Cells: 3, Length: 0.11} },
		"data":   func(a *arguments) { a.y[1] = 1 },
		"link":   func(a *arguments) { a.like.Link = expfam.MustLink("exp(1+x)") },
		"seed":   func(a *arguments) { a.o.Seed = 2 },
		"draws":  func(a *arguments) { a.o.Draws = 1001 },
		"accept": func(a *arguments) { a.o.Accept = 0.91 },
	} {
		_, loaded := run(t, edit)
		must.Be(t, !loaded, "another %s is loaded", name)
	}
	if _, unchanged := run(t, func(a *arguments) { a.o.Seed, a.o.Fresh = 9, true }); !unchanged {
		t.Error("fresh draws are stored")
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	unchanged := storetest.Loads(t, func() {
		var loose *hmc.NotConverged
		post, err := hmc.Sample(gp.RBF{Cells: 3}, like, expfam.Must(like.Observe1(3, 0, 4)),
			hmc.Options{Chains: 4, Warmup: 1, Draws: 8, Seed: 1})
		must.Be(t, errors.As(err, &loose) && post != nil, "%v, %v", post, err)
	})
	must.Be(t, unchanged, "draws that did not converge are stored")
}
