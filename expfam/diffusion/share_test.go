package diffusion_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// shares samples each of n shares on its own, and sends it through a file.
func shares(t *testing.T, n int, s Sampler) []*expfam.Posterior {
	t.Helper()
	var all []*expfam.Posterior
	for i := range n {
		share := must.Get(s.Share(i, n))(t)
		post := must.Get(Sample(few, normal, observe(t, normal, 1, 0.5, 0, -0.5, 0, 1), share))(t)
		path := filepath.Join(t.TempDir(), "share")
		must.Do(t, post.Save(path))
		all = append(all, expfam.Must(expfam.LoadPosterior(path, normal)))
	}
	return all
}

// Shares of a run, each sampled on its own, are the run.
func TestSharesAreTheRun(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir()) // shares and runs beside each other
	for name, s := range map[string]Sampler{
		"restarts":            {Draws: 11, Batch: 3},
		"predictor-corrector": {Draws: 10, Batch: 4, Method: PredictorCorrector{N: 20}},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.On(t, func(t *testing.T, e *engine.Engine) {
				if name != "restarts" && e.String() != "go" && !*fulltest.Full {
					t.Skip("seconds to compile: run with -full")
				}
				s.Engine, s.Seed, s.Plan = e, 5, func(Plan) {}
				whole := shares(t, 1, s)[0]
				for _, n := range enginetest.Short(e, 1, []int{3, 2}) {
					parts := shares(t, n, s)
					slices.Reverse(parts)
					post := must.Get(expfam.Merge(parts...))(t)
					must.Be(t, mat.Equal(post.X, whole.X), "%d shares are not the run", n)
					a, b := post.Info, whole.Info
					a.Seconds, a.Compile, a.Memory, a.Uncertified = b.Seconds, b.Compile, b.Memory, b.Uncertified
					must.Be(t, fmt.Sprint(a) == fmt.Sprint(b), "merged %+v, whole %+v", a, b)
				}
			})
		})
	}
	t.Run("of any size", func(t *testing.T) { // pure Go rounds alike in every batch
		s := Sampler{Draws: 7, Seed: 5, Engine: enginetest.Open(t, "go"), Method: Multistep{N: 5}}
		whole := shares(t, 1, s)[0]
		for n := range 7 {
			parts := shares(t, n+1, s)
			post, err := expfam.Merge(parts...)
			must.Be(t, err == nil && mat.Equal(post.X, whole.X), "%d shares are not the run; error %v", n+1, err)
		}
	})
}

func TestSharesRefuse(t *testing.T) {
	s := Sampler{Draws: 10, Batch: 4, Seed: 1, Engine: enginetest.Open(t, "go"), Method: Multistep{N: 5}, Fresh: true}
	for _, c := range [][2]int{{0, 0}, {-1, 2}, {2, 2}, {0, 4}} {
		must.Refuse(s.Share(c[0], c[1]))(t, "at least one batch")
	}
	corrected := Sampler{First: 6, Draws: 4, Batch: 4, Method: PredictorCorrector{N: 20}}
	must.Refuse(Sample(few, normal, make(expfam.Observations, 6), corrected))(t, "First to a multiple of it")
	parts := shares(t, 3, s)
	other := s
	other.Seed = 2
	foreign := shares(t, 3, other)
	part := expfam.Must(parts[1].Part([]int{0, 1, 2}))
	sums := expfam.Must(parts[1].Through(weighted("six sums", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 1},
		[]float64{1}, []float64{0, 2}, []float64{3}, []float64{0, 0, 1})))
	merged, err := expfam.Merge(expfam.Must(parts[0].Part([]int{0, 1, 2})), part)
	must.Be(t, err == nil && merged.At(4, 2) == parts[1].At(0, 2), "parts of the same cells: %v", err)
	for _, c := range []struct {
		name  string
		parts []*expfam.Posterior
		want  string
	}{
		{"nothing", nil, "there is no share"},
		{"a gap", []*expfam.Posterior{parts[0], parts[2]}, "draws 4 to 7 are missing"},
		{"a share twice", []*expfam.Posterior{parts[1], parts[0], parts[1]}, "draw 4 is in two shares"},
		{"another seed", []*expfam.Posterior{parts[0], foreign[1]}, "belong to different runs"},
		{"some of the cells", []*expfam.Posterior{parts[0], part}, "draws of different quantities or cells"},
		{"as many sums as cells", []*expfam.Posterior{parts[0], sums}, "draws of different quantities or cells"},
		{"other cells", []*expfam.Posterior{expfam.Must(parts[0].Part([]int{3, 4, 5})), part},
			"parts or sums of different cells"},
		{"a share that failed", []*expfam.Posterior{parts[0], nil, parts[2]}, "share 1 of those given has no draws"},
		{"not from Sample", []*expfam.Posterior{{X: parts[0].X, Likelihood: normal}}, "belong to different runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Refuse(expfam.Merge(c.parts...))(t, c.want)
		})
	}
}

// BenchmarkMerge is the merge of eight shares of images of 256×256 cells, 0.2 GB: loaded from
// files, joined and saved. deploy/README.md counts with it.
func BenchmarkMerge(b *testing.B) {
	const n, draws, cells = 8, 50, 256 * 256
	rng := expfam.Stream(1, "benchmark")
	var files []string
	for i := range n {
		x := mat.NewDense(draws, cells, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		files = append(files, filepath.Join(b.TempDir(), fmt.Sprint(i)))
		share := &expfam.Posterior{X: x, Likelihood: normal, Info: expfam.Info{Run: "a run", First: i * draws}}
		must.Do(b, share.Save(files[i]))
	}
	b.SetBytes(n * draws * cells * 8)
	for b.Loop() {
		var shares []*expfam.Posterior
		for _, file := range files {
			shares = append(shares, expfam.Must(expfam.LoadPosterior(file, normal)))
		}
		must.Do(b, expfam.Must(expfam.Merge(shares...)).Save(filepath.Join(b.TempDir(), "whole")))
	}
}
