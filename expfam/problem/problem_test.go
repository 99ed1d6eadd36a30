package problem

import (
	"math"
	"reflect"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// Odd images differ from each other, lie in the range of grey values and are as faint as their names say.
func TestOdds(t *testing.T) {
	images := must.Get(OddImages(64, 10, 1))(t)
	seen := make(map[string]bool)
	for _, i := range images {
		must.Be(t, !seen[i.Name], "two images are called %s", i.Name)
		seen[i.Name] = true
		var mean, square float64
		for _, x := range i.X0 {
			must.Need(t, math.Abs(x) <= 1, "%s: x₀ is %g", i.Name, x)
			mean += x / float64(len(i.X0))
			square += x * x / float64(len(i.X0))
		}
		sd := math.Sqrt(max(0, square-mean*mean))
		// A difference of squares rounds to 1e-7. The standard error of the sd of 4096 cells is 1.1%; a clip at 1 takes
		// 2% from the widest noise.
		if want, ok := map[string]float64{"noise of sd 0.02": 0.02, "noise of sd 0.4": 0.4,
			"stripes, 16 cells": 0.8 / math.Sqrt2, "constant 0.7": 0}[i.Name]; ok &&
			math.Abs(sd-want) > 0.05*want+1e-6 {
			t.Errorf("%s: sd %g, want %g", i.Name, sd, want)
		}
	}
	must.Be(t, len(images) == 20, "%d images, want 20", len(images))
}

func TestComparisonsOfDenoisersAreStored(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	smooth, rough := gp.RBF{Cells: 6, Length: 0.5}, gp.RBF{Cells: 6, Length: 0.1}
	field := func(sim expfam.Simulator) *gp.Stationary {
		return must.Get(gp.Empirical(sim, 2, 3, 50, 1))(t)
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
		_, loaded := run(edit)
		must.Be(t, !loaded, "another %s: loaded", name)
	}
}

func TestDenoisingError(t *testing.T) {
	sigmas := []float64{0.016, 0.06, 0.16, 0.32, 1.2, 10, 100}
	exact := must.Get(DenoisingError(Prior, sigmas))(t)
	prior, _ := network(t, "experts", Normal)
	learned := must.Get(DenoisingError(prior, sigmas))(t)
	for i, sigma := range sigmas {
		must.Be(t, exact[i] <= 1e-6, "sigma %g: the exact prior misses itself by %g", sigma, exact[i])
		// A tenth of a posterior sd moves W1 by less than 0.01.
		must.Be(t, learned[i] < 0.1, "sigma %g: the network misses by %.3f sd", sigma, learned[i])
	}
	t.Logf("rms error in sd at sigma %v: %.3f", sigmas, learned)
}

// network loads a score network and the inference network of a case from the weights that ship with the lessons.
func network(t *testing.T, kind string, c Case) (*learn.Prior, *learn.Inference) {
	t.Helper()
	const dir = "../../notebooks/weights/gp-"
	prior := must.Get(learn.Load(dir + kind + "-score.safetensors"))(t)
	conjugate := map[string]string{Normal.Name: "normal", LogNormal.Name: "normal",
		PoissonLow.Name: "poisson", PoissonHigh.Name: "poisson", Exponential.Name: "exponential"}[c.Name]
	inference := must.Get(learn.LoadInference(dir+kind+"-"+conjugate+".safetensors", c.Likelihood))(t)
	return prior, inference
}
