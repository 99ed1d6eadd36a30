package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// TestModesStartAtWiener: with initial weights the mean of the field is Wiener's filter K (K + σ²)⁻¹ δ for the
// covariance K of the draws, and the variances are the diagonal of K − K (K + σ²)⁻¹ K. The scores start at 0.
func TestModesStartAtWiener(t *testing.T) {
	const field, n = 4, 50
	net, rng := nn.Modes{Parameters: 1, Blocks: 1, Width: 8, Embedding: 6}, rand.New(rand.NewPCG(3, 4))
	draws := mat.NewDense(n, field, nil)
	at := 0
	measured := must.Get(net.Measure(field+1, n, func(x []float64) {
		level := rng.NormFloat64()
		for j := range field {
			x[j] = level + 0.3*rng.NormFloat64()
		}
		if at < n { // the network takes the draws twice, the second time for their typical size
			draws.SetRow(at, x[:field])
			at++
		}
	}))(t)
	k := mat.NewSymDense(field, nil)
	k.SymOuterK(1./n, draws.T())
	params := net.Params(field+1, 2)
	flat, from := nn.Initial(params, rng), 0
	for _, p := range params {
		copy(flat[from:from+p.Size()], measured[p.Name])
		from += p.Size()
	}
	delta := []float32{1, -0.5, 0.2, 0.9, 0.3}
	for _, sigma := range []float64{0.05, 0.5, 4} {
		total := math.Sqrt(1 + sigma*sigma) // cells of sd 1
		x := make([]float32, field+1)
		for j := range x {
			x[j] = delta[j] / float32(total)
		}
		level := [][]float32{{float32(math.Log(sigma))}}
		out := enginetest.Call(t, enginetest.Open(t, "go"), func(flat, x, l *graph.Node) []*graph.Node {
			return net.Apply(nn.Unpack(flat, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, 2)
		}, flat, [][]float32{x}, level)
		noisy := mat.NewSymDense(field, nil)
		noisy.CopySym(k)
		for j := range field {
			noisy.SetSym(j, j, k.At(j, j)+sigma*sigma)
		}
		var chol mat.Cholesky
		must.Be(t, chol.Factorize(noisy), "K + σ² has no Cholesky factor")
		var gain mat.Dense
		must.Do(t, chol.SolveTo(&gain, k))
		s0 := sigma / total
		for j := range field {
			var mean, less float64
			for i := range field {
				mean += gain.At(i, j) * float64(delta[i])
				less += gain.At(i, j) * k.At(i, j)
			}
			got := float64(delta[j])/(total*total) + s0*out[0][j]
			variance := s0 * s0 * math.Exp(out[1][j])
			// Float32, with eigenvalues that are told from 0 down to a billionth.
			must.Be(t, math.Abs(got-mean) <= 1e-4 && math.Abs(variance-(k.At(j, j)-less)) <= 1e-3*k.At(j, j),
				"σ = %g, cell %d: mean %g, variance %g, want %g and %g", sigma, j, got, variance, mean,
				k.At(j, j)-less)
		}
		must.Be(t, out[0][field] == 0 && out[1][field] == 0,
			"the scores start at %g and %g", out[0][field], out[1][field])
	}
}
