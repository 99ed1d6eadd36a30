package diffusion_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Draw k is the same to the bit whatever the batch, the number of draws, the share in which it is made and what the
// store held before, and another draw has other noise: on every engine, by the default method, under an exact prior, a
// learned one and one that convolves.
func TestDrawsDependOnTheirNumberAlone(t *testing.T) {
	learned := must.Get(learn.Load("../../notebooks/weights/gp-experts-score.safetensors"))(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		draws map[string]int // more than a block, by engine
		batch []int          // beside all draws at once
		part  int
	}{
		{"default", few, map[string]int{"go": 40, "onnx": 150}, []int{35, 1000, 64, 1}, 37},
		{"exact", gp.RBF{}, map[string]int{"go": 40, "onnx": 150}, []int{35, 1000, 64}, 37},
		{"learned", learned, map[string]int{"go": 40, "onnx": 140}, []int{35, 64}, 9},
		{"convolving", learntest.Untrained(t, nn.UNet{Rows: 2, Columns: 2, Channels: 4, Multiples: []int{1},
			Embedding: 8, Plain: true}, 4),
			map[string]int{"go": 5, "onnx": 5}, []int{3}, 2},
	} {
		enginetest.On(t, func(t *testing.T, e *engine.Engine) {
			// The exact prior has matrix products of blocks, which pure Go rounds alike only
			// because blocks are whole, and the learned one what ONNX Runtime has to.
			if (c.name == "exact" && e.String() != "go" || c.name == "learned" && e.String() == "go") &&
				!*fulltest.Full {
				t.Skip("one prior an engine: run with -full")
			}
			t.Setenv("EXPFAM_STORE", t.TempDir())
			draws := c.draws[e.String()]
			if draws == 0 {
				draws = c.draws["onnx"]
			}
			batches := c.batch
			if !*fulltest.Full {
				batches = batches[:1]
			}
			base := Sampler{Draws: draws, Batch: draws, Seed: 3, Engine: e, Method: Multistep{N: 3},
				Plan: func(Plan) {}}
			if c.name == "default" {
				base.Method = nil
			}
			run := func(edit func(s *Sampler)) *mat.Dense {
				s := base
				edit(&s)
				return expfam.Must(Sample(c.prior, like, counted(c.prior.Dim()), s)).X
			}
			want := run(func(s *Sampler) { s.Fresh = true })
			norm := mat.Norm(want, 2)
			must.Need(t, norm > 1, "%s: draws of norm %g", c.name, norm)
			must.Be(t, !floats.Equal(want.RawRowView(0), want.RawRowView(1)), "%s: draws 0 and 1 are the same", c.name)
			seeded := run(func(s *Sampler) { s.Seed, s.Fresh = 6, true })
			must.Be(t, !floats.Equal(want.RawRowView(0), seeded.RawRowView(0)), "%s: another seed has the same draws",
				c.name)
			same := func(what string, got *mat.Dense, first int) {
				t.Helper()
				n, d := got.Dims()
				if part := want.Slice(first, first+n, 0, d); !mat.Equal(got, part) {
					var diff mat.Dense
					diff.Sub(got, part)
					t.Errorf("%s: %s is up to %.2g off", c.name, what, max(mat.Max(&diff), -mat.Min(&diff)))
				}
			}
			for _, batch := range batches {
				same(fmt.Sprintf("batch %d", batch), run(func(s *Sampler) { s.Batch, s.Fresh = batch, true }), 0)
			}
			same("a share", run(func(s *Sampler) { s.First, s.Draws, s.Batch, s.Fresh = c.part, 3, 0, true }), c.part)
			same("fewer draws", run(func(s *Sampler) { s.Draws, s.Batch = c.part, 0 }), 0)
			same("what goes on from them, in the default batch", run(func(s *Sampler) { s.Batch = 0 }), 0)
		})
	}
}

// With a corrector draws depend on those of their batch: what a store holds of a run of
// fewer draws is used in whole batches.
func TestCorrectedRunsGoOnInWholeBatches(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	e := enginetest.Open(t, "go")
	run := func(draws int, fresh bool) *mat.Dense {
		s := Sampler{Draws: draws, Batch: 4, Seed: 1, Engine: e, Method: PredictorCorrector{N: 40}, Plan: func(Plan) {},
			Fresh: fresh}
		return expfam.Must(Sample(few, poisson, counted(6), s)).X
	}
	run(6, false)
	must.Be(t, mat.Equal(run(11, false), run(11, true)), "a run of 11 draws depends on one of 6 before")
}
