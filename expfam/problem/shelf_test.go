package problem

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

func TestShelf(t *testing.T) {
	shelf := Shelf{Dir: filepath.Join(t.TempDir(), "draws")}
	data := func(seed uint64) *Dataset {
		return must.Get(Normal.Simulate(seed))(t)
	}
	sampler := diffusion.Sampler{Draws: 5, Seed: 1, Method: diffusion.Multistep{N: 5}, Engine: enginetest.Open(t, "go")}
	sample := func(s Shelf, d *Dataset, sampler diffusion.Sampler) *expfam.Posterior {
		return must.Get(s.Sample(d, Prior, sampler))(t)
	}
	files := func() int {
		names, _ := filepath.Glob(filepath.Join(shelf.Dir, "normal-*.safetensors"))
		return len(names)
	}
	want := sample(shelf, data(1), sampler)
	must.Be(t, files() == 0, "a file, though nobody asked for new ones")
	sample(Shelf{Dir: shelf.Dir, Fresh: true}, data(1), sampler)
	n := files()
	must.Need(t, n == 1, "%d files", n)
	t.Setenv("EXPFAM_STORE", t.TempDir()) // there is nothing to load from but the shelf
	must.Be(t, mat.Equal(sample(shelf, data(1), sampler).X, want.X), "the shelf has other draws")
	// What is changed is drawn, and is not what lies there.
	for name, change := range map[string]func() *expfam.Posterior{
		"data":  func() *expfam.Posterior { return sample(shelf, data(2), sampler) },
		"seed":  func() *expfam.Posterior { s := sampler; s.Seed = 2; return sample(shelf, data(1), s) },
		"draws": func() *expfam.Posterior { s := sampler; s.Draws = 6; return sample(shelf, data(1), s) },
		"method": func() *expfam.Posterior {
			s := sampler
			s.Method = diffusion.Multistep{N: 6}
			return sample(shelf, data(1), s)
		},
		"guidance": func() *expfam.Posterior {
			s := sampler
			s.Guidance = diffusion.Unguided{}
			return sample(shelf, data(1), s)
		},
		"prior": func() *expfam.Posterior {
			return must.Get(shelf.Sample(data(1), gp.RBF{Length: 0.2}, sampler))(t)
		},
		"likelihood": func() *expfam.Posterior {
			d := data(1)
			d.Case.Likelihood.Link = expfam.MustLink("2*x")
			return sample(shelf, d, sampler)
		},
	} {
		must.Be(t, !mat.Equal(change().X, want.X), "another %s: the draws of the shelf", name)
	}
}

// What lesson 03 asks for is on its shelf: a change of a name that enters the key
// would have the lesson draw for minutes.
func TestShelfOfTheLesson(t *testing.T) {
	shelf := Shelf{Dir: "../../notebooks/draws"}
	wanted := map[string]bool{}
	want := func(c Case, p expfam.Prior, g diffusion.Guidance, m diffusion.Method) {
		d := must.Get(c.Simulate(4))(t)
		path := shelf.path(c.Name, "safetensors", c.Likelihood, d.Obs, p, diffusion.Sampler{Seed: 1, Guidance: g,
			Method: m})
		wanted[path] = true
		post, err := expfam.LoadPosterior(path, c.Likelihood)
		if err != nil {
			t.Errorf("%s, %v, %v: %v; run the lesson with anew set", c.Name, g, m, err)
		} else if n, cells := post.Dims(); n != 500 || cells != Prior.Dim() {
			t.Errorf("%s has %d draws of %d cells", path, n, cells)
		}
	}
	baseline := diffusion.PredictorCorrector{N: 500, SNR: 0.2}
	for _, c := range Cases {
		prior, inference := network(t, "experts", c)
		want(c, prior, diffusion.Evidence{Inference: inference}, diffusion.PredictorCorrector{})
		if c.Name != PoissonHigh.Name { // where it diverges
			want(c, prior, diffusion.Delta{}, baseline)
		}
	}
	prior, _ := network(t, "experts", Normal)
	want(Normal, prior, diffusion.DPS{}, baseline)
	want(PoissonLow, prior, diffusion.PoissonLS{}, baseline)
	want(PoissonLow, prior, diffusion.PoissonDPS{}, baseline)
	want(PoissonHigh, prior, diffusion.PoissonLS{}, baseline)
	for _, m := range []diffusion.Method{diffusion.Paper, diffusion.PredictorCorrector{},
		diffusion.PredictorCorrector{SNR: 0.3}} {
		want(PoissonHigh, Prior, diffusion.Evidence{}, m)
	}
	plain, inference := network(t, "mlp", PoissonLow)
	want(PoissonLow, plain, diffusion.Evidence{Inference: inference}, diffusion.Paper)
	files := must.Get(filepath.Glob(filepath.Join(shelf.Dir, "*")))(t)
	for _, path := range files {
		must.Be(t, wanted[path], "%s ships and is not asked for", path)
	}
}

// Part has the draws of its cells, and other cells are another file.
func TestPart(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	dir, d := filepath.Join(t.TempDir(), "draws"), must.Get(Normal.Simulate(1))(t)
	sampler := diffusion.Sampler{Draws: 5, Seed: 1, Method: diffusion.Multistep{N: 5}, Engine: enginetest.Open(t, "go")}
	like := d.Case.Likelihood
	all := must.Get(diffusion.Sample(Prior, like, d.Obs, sampler))(t)
	part := func(fresh bool, cells ...int) *expfam.Posterior {
		s := Shelf{Dir: dir, Fresh: fresh}
		return must.Get(s.Part("a", cells, like, d.Obs, Prior, sampler))(t)
	}
	part(true, 7, 2)
	t.Setenv("EXPFAM_STORE", t.TempDir()) // there is nothing to load from but the shelf
	want := must.Get(all.Part([]int{7, 2}))(t)
	must.Be(t, mat.Equal(part(false, 7, 2).X, want.X), "the shelf has other draws")
	other := must.Get(all.Part([]int{2, 7}))(t)
	must.Be(t, mat.Equal(part(false, 2, 7).X, other.X), "other cells: the draws of the shelf")
}
