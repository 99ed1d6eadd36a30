package increments

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

const heads = 2

// A network that has learned nothing is Wiener's filter of a random walk: with the heads as a prior uses them, mean and
// variances are those of the Gaussian with covariance q min(i, j) given noisy data.
func TestUntrainedWalkIsTheLinearFilter(t *testing.T) {
	n := Walk{Channels: 4, Blocks: 1, Embedding: 6}
	const cells = 32
	params := n.Params(cells, heads)
	initial := nn.Initial(params, rand.New(rand.NewPCG(7, 8)))
	rng := rand.New(rand.NewPCG(1, 1))
	for _, r := range []float64{0.01, 0.3, 5} {
		noisy := make([]float64, cells) // in units of the root mean square of cells
		estimate := make([]float32, cells)
		for j := range noisy {
			noisy[j] = rng.NormFloat64()
			estimate[j] = float32(noisy[j] / (1 + r*r))
		}
		out := benchtest.Call(t, func(flat, x, l *graph.Node) []*graph.Node {
			return n.Apply(nn.Unpack(flat, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
		}, initial, [][]float32{estimate}, [][]float32{{float32(math.Log(r))}})

		k, total := mat.NewSymDense(cells, nil), mat.NewSymDense(cells, nil)
		for i := range cells {
			for j := i; j < cells; j++ {
				v := 2 / float64(cells+1) * float64(i+1)
				k.SetSym(i, j, v)
				if i == j {
					v += r * r
				}
				total.SetSym(i, j, v)
			}
		}
		var gain, mean, cov mat.Dense
		must.Do(t, gain.Solve(total, k))
		mean.Mul(gain.T(), mat.NewDense(cells, 1, noisy))
		cov.Mul(k, &gain)
		s0 := r / math.Sqrt(1+r*r)
		for j := range cells {
			got := float64(estimate[j]) + s0*out[0][j]
			d := math.Abs(got - mean.At(j, 0))
			must.Be(t, d <= 1e-4*s0, "noise %g: the mean of cell %d is %g away", r, j, d)
			want := k.At(j, j) - cov.At(j, j)
			if ratio := s0 * s0 * math.Exp(out[1][j]) / want; math.Abs(ratio-1) > 1e-4 { // Float32
				t.Errorf("noise %g: the variance of cell %d is %g of the exact one", r, j, ratio)
			}
		}
	}
}

// Convolutions look at both sides: a change of one cell reaches its neighbours before and behind, and gradients say so.
func TestWalkLooksBothWays(t *testing.T) {
	n := Walk{Channels: 3, Blocks: 2, Embedding: 6}
	const short = 6
	params := n.Params(short, heads)
	rng := rand.New(rand.NewPCG(1, 2))
	flat := make([]float32, nn.Count(params)) // none of them is 0, so that every path carries something
	for i := range flat {
		flat[i] = float32(0.3 * rng.NormFloat64())
	}
	at := func(x []float64) (value float64, slope []float64) {
		out := benchtest.Call(t, func(flat, x, l *graph.Node) []*graph.Node {
			weights := graph.ConvertDType(flat, x.DType())
			h := n.Apply(nn.Unpack(weights, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
			sum := graph.ReduceAllSum(graph.Mul(h[0], graph.Sin(h[1])))
			return []*graph.Node{graph.Reshape(sum, 1), graph.Gradient(sum, x)[0]}
		}, flat, [][]float64{x}, [][]float64{{-0.7}})
		return out[0][0], out[1]
	}
	x := []float64{0.3, -1, 0.2, 0.9, -0.4, 1.1}
	_, slope := at(x)
	for j := range x {
		const step = 1e-5
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[j] += step
		down[j] -= step
		high, _ := at(up)
		low, _ := at(down)
		if want := (high - low) / (2 * step); math.Abs(slope[j]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("the slope in cell %d is %g, and %g by differences", j, slope[j], want)
		}
	}
}
