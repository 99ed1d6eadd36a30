package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// TestHalf compares networks in bfloat16, which has 8 bits of significand, with
// float32. Pure Go computes in true bfloat16.
func TestHalf(t *testing.T) {
	e := enginetest.Open(t, "go")
	const batch, side = 2, 4
	for name, net := range map[string]nn.Network{
		"mlp": nn.MLP{}, "experts": nn.Experts{},
		"unet": nn.UNet{Rows: side, Columns: side, Channels: 4, Multiples: []int{1, 2}, Attention: 2, Groups: 2},
	} {
		t.Run(name, func(t *testing.T) {
			params := net.Params(side*side, heads)
			rng := rand.New(rand.NewPCG(3, 4))
			for i := range params {
				params[i].SD = max(params[i].SD, 0.1) // no head starts at 0
			}
			weights := nn.Initial(params, rng)
			x := make([]float32, batch*side*side)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			run := func(n nn.Network) (head, gradient []float32) {
				exec := graph.MustNewExec(e.Backend, func(flat, x, level *graph.Node) (*graph.Node, *graph.Node) {
					w := nn.Unpack(flat, params)
					out := n.Apply(w, nn.Input{X: x, Estimate: x, LogSigma: level, LogNoise: level}, heads)
					must.Equal(t, out[0].DType(), dtypes.Float32, "a head")
					leaf := w[params[0].Name]
					return out[0], graph.Gradient(graph.ReduceAllMean(graph.Square(out[0])), leaf)[0]
				})
				defer exec.Finalize()
				out := exec.MustCall(tensors.FromFlatDataAndDimensions(weights, len(weights)),
					tensors.FromFlatDataAndDimensions(x, batch, side*side), [][]float32{{-1}, {0.5}})
				return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
			}
			head, gradient := run(net)
			low, lowGradient := run(nn.Half{Network: net})
			// Each of some ten layers rounds to 2⁻⁹, relative: 1% in all, three
			// times for what adds up, and six for gradients, which pass twice.
			if gap := relative(low, head); !(gap > 0 && gap < 0.03) {
				t.Errorf("heads differ by %.4f of their size, want less than 0.03 and more than nothing", gap)
			}
			if gap := relative(lowGradient, gradient); !(gap > 0 && gap < 0.06) {
				t.Errorf("gradients differ by %.4f of their size, want less than 0.06 and more than nothing", gap)
			}
		})
	}
}

// relative is |a − b|/|b|.
func relative(a, b []float32) float64 {
	var gap, size float64
	for i := range b {
		gap += math.Pow(float64(a[i]-b[i]), 2)
		size += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(gap / size)
}
