package learn

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkStep is a step of the optimizer on a batch that lies ready: of the default network of
// 100 cells on 1000 draws, and of U-Nets on 32 images. The last three are the steps of the image prior: as in version
// 0.1.0, and on images and windows as in `go run ./notebooks/train`.
func BenchmarkStep(b *testing.B) {
	e := enginetest.Fast(b)
	for _, c := range []struct {
		name  string
		cells int
		Training
	}{
		{"experts", 100, Training{}},
		{"unet32", 32 * 32, Training{Net: nn.UNet{Rows: 32, Columns: 32}, Batch: 32}},
		{"unet64", 64 * 64, Training{Net: nn.UNet{Rows: 64, Columns: 64}, Batch: 32}},
		{"before", 64 * 64, Training{Net: nn.UNet{Rows: 64, Columns: 64}, Batch: 16}},
		{"images", 64 * 64, Training{Net: nn.UNet{Rows: 64, Columns: 64, Adaptive: true}, Batch: 16,
			Optimizer: Muon{}}},
		{"windows", 32 * 32, Training{Net: nn.UNet{Rows: 32, Columns: 32, Adaptive: true}, Batch: 16,
			Optimizer: Muon{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.Engine = e
			t := must.Get(c.orDefault())(b)
			scale := Scale{Mean: make([]float64, c.cells), SD: slices.Repeat([]float64{1}, c.cells)}
			r := &trainer{Training: t, scale: scale, objective: Training{}.scoreObjective(t.Net, scale),
				sim: zeros(c.cells)}
			weights := nn.Initial(t.Net.Params(c.cells, heads), expfam.Stream(1, "weights"))
			for i, values := range [states][]float32{weights, weights, make([]float32, len(weights)),
				make([]float32, len(weights))} {
				r.state[i] = tensors.FromFlatDataAndDimensions(slices.Clone(values), len(values))
			}
			step := must.Get(r.newStep(t.Net.Params(c.cells, heads)))(b)
			defer step.close()
			data := must.Get(r.draw(context.Background(), "batch"))(b)
			once := func() {
				scalars := r.scalars()
				out := must.Get(step.call(r.state, scalars, data))(b)
				must.Do(b, engine.Release(append(r.state[:], scalars, out[states])...))
				copy(r.state[:], out[:states])
			}
			once() // compiles
			for b.Loop() {
				once()
			}
		})
	}
}

// zeros is a simulator of so many zeros.
type zeros int

func (z zeros) Dim() int                     { return int(z) }
func (zeros) Draw(_ *rand.Rand, x []float64) { clear(x) }

func (zeros) String() string { return "zeros" }
