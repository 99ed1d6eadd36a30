package gmrf

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestPosteriorsAreStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	type arguments struct {
		prior Prior
		like  expfam.Likelihood
		obs   expfam.Observations
		o     Options
	}
	run := func(t *testing.T, edit func(*arguments)) (post *expfam.Posterior, loaded bool) {
		t.Helper()
		a := arguments{Prior{Grid: grid.Grid{Rows: 3, Cols: 4}, Range: 2, SD: 0.7},
			expfam.Likelihood{Family: expfam.Poisson{}}, nil,
			Options{Draws: 6, Seed: 1}}
		_, a.obs = field(t, a.prior, a.like, 1)
		edit(&a)
		loaded = storetest.Loads(t, func() {
			post = must.Get(Sample(a.prior, a.like, a.obs, a.o))(t)
		})
		return post, loaded
	}
	first, loaded := run(t, func(*arguments) {})
	must.Need(t, !loaded, "loaded from an empty store")
	for name, edit := range map[string]func(*arguments){
		"the same arguments":   func(*arguments) {},
		"the link written out": func(a *arguments) { a.like.Link = expfam.ExpLink },
		"the link by its text": func(a *arguments) { a.like.Link = expfam.MustLink("exp(x)") },
	} {
		t.Run("loads/"+name, func(t *testing.T) {
			post, loaded := run(t, edit)
			must.Be(t, loaded, "sampled again")
			storetest.Equal(t, post, first)
		})
	}
	for name, edit := range map[string]func(*arguments){
		"draws":   func(a *arguments) { a.o.Draws = 7 },
		"seed":    func(a *arguments) { a.o.Seed = 2 },
		"data":    func(a *arguments) { a.obs[2].Stat++ },
		"missing": func(a *arguments) { a.obs[2] = expfam.Term{} },
		"link":    func(a *arguments) { a.like.Link = expfam.MustLink("exp(1+x)") },
		"family":  func(a *arguments) { a.like.Family = expfam.Exponential{} },
		"range":   func(a *arguments) { a.prior.Range = 2.5 },
		"sd":      func(a *arguments) { a.prior.SD = 0.70001 },
		"nugget":  func(a *arguments) { a.prior.Nugget = 0.1 },
		"fit":     func(a *arguments) { a.prior.FitNugget = true },
		"level":   func(a *arguments) { a.prior.Level = 1 },
		"alpha":   func(a *arguments) { a.prior.Alpha = 1 },
		"spacing": func(a *arguments) { a.prior.Grid.X.Step = 2 },
		"shape":   func(a *arguments) { a.prior.Grid.Rows, a.prior.Grid.Cols = 4, 3 },
	} {
		t.Run("samples again/"+name, func(t *testing.T) {
			_, loaded := run(t, edit)
			must.Be(t, !loaded, "loaded")
		})
	}
	t.Run("stores nothing", func(t *testing.T) {
		for name, edit := range map[string]func(*arguments){
			"fresh": func(a *arguments) { a.o.Seed, a.o.Fresh = 9, true },
		} {
			_, unchanged := run(t, edit)
			must.Be(t, unchanged, "%v", name)
		}
	})
	t.Run("fresh takes nothing from the store", func(t *testing.T) {
		post, _ := run(t, func(a *arguments) { a.o.Fresh = true })
		must.Be(t, post.Info.Seconds != first.Info.Seconds, "the same seconds to the last bit")
	})
}
