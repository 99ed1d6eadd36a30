//go:build gpu

package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors/images"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// TestGPUFullPrecision: with tf32=false, convolutions and products of float32 have 24 bits of significand. With the
// 11 bits of TF32 they differ from float64 by 3e-4 of their standard deviation.
func TestGPUFullPrecision(t *testing.T) {
	e := enginetest.XLA(t)
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(float32(rng.NormFloat64()))
		}
		return out
	}
	const channels, side = 64, 24
	x, kernel := normal(8*channels*side*side), normal(channels*channels*9)
	for name, of := range map[string]func(x, kernel *graph.Node) *graph.Node{
		"convolution": func(x, kernel *graph.Node) *graph.Node {
			return graph.Convolve(graph.Reshape(x, 8, channels, side, side),
				graph.Reshape(kernel, channels, channels, 3, 3)).ChannelsAxis(images.ChannelsFirst).PadSame().Done()
		},
		"product": func(x, kernel *graph.Node) *graph.Node {
			return graph.MatMul(graph.Reshape(x, -1, 9*channels), graph.Reshape(kernel, 9*channels, channels))
		},
	} {
		run := func(dtype dtypes.DType) []float64 {
			return enginetest.Call(t, e, func(x, kernel *graph.Node) *graph.Node {
				return graph.ConvertDType(of(graph.ConvertDType(x, dtype), graph.ConvertDType(kernel, dtype)),
					dtypes.Float64)
			}, x, kernel)[0]
		}
		single, double := run(dtypes.Float32), run(dtypes.Float64)
		var miss, square float64
		for i, v := range double {
			miss, square = miss+(single[i]-v)*(single[i]-v), square+v*v
		}
		ratio := math.Sqrt(miss / square)
		t.Logf("%s: float32 is %.2g of the standard deviation off", name, ratio)
		must.Be(t, ratio <= 1e-6, "%s: float32 is %.2g of the standard deviation off", name, ratio)
	}
}
