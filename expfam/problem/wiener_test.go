package problem

import (
	"reflect"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

func TestComparisonsOfDenoisersAreStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	smooth, rough := gp.RBF{Cells: 6, Length: 0.5}, gp.RBF{Cells: 6, Length: 0.1}
	field := func(sim expfam.Simulator) *gp.Stationary {
		s := must.Get(gp.Empirical(sim, 2, 3, 50, 1))(t)
		return s
	}
	linear, other := field(smooth), field(rough)
	type arguments struct {
		p      expfam.Prior
		linear *gp.Stationary
		sim    expfam.Simulator
		sigmas []float64
		draws  int
		seed   uint64
	}
	run := func(edit func(*arguments)) (got []Denoising, loaded bool) {
		a := arguments{smooth, linear, smooth, []float64{0.1, 2}, 8, 1}
		edit(&a)
		loaded = storetest.Loads(t, func() {
			got = must.Get(Denoise(a.p, a.linear, a.sim, a.sigmas, a.draws, a.seed))(t)
		})
		return got, loaded
	}
	first, loaded := run(func(*arguments) {})
	must.Need(t, !loaded, "loaded from an empty store")
	if again, loaded := run(func(*arguments) {}); !loaded || !reflect.DeepEqual(again, first) {
		t.Errorf("loaded: %v, equal: %v", loaded, reflect.DeepEqual(again, first))
	}
	for name, edit := range map[string]func(*arguments){
		"prior":        func(a *arguments) { a.p = rough },
		"field":        func(a *arguments) { a.linear = other },
		"simulator":    func(a *arguments) { a.sim = rough },
		"noise levels": func(a *arguments) { a.sigmas[1] = 2.0000001 },
		"draws":        func(a *arguments) { a.draws = 16 },
		"seed":         func(a *arguments) { a.seed = 2 },
	} {
		if _, loaded := run(edit); loaded {
			t.Errorf("another %s: loaded", name)
		}
	}
}
