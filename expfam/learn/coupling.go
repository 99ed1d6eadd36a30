package learn

import (
	"context"
	"fmt"
	"math"
	"sort"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
)

// couplingLevels are the noise levels σ at which the coupling of a learned prior is measured.
var couplingLevels = level.Between(0.01, 150, 15)

const (
	couplingDraws      = 64 // diffused draws at each noise level
	couplingIterations = 8  // of the power iteration
)

// couplingBatch returns how many of the couplingDraws are evaluated at once. For a vector these are all draws. For a
// large grid they are few, because its networks hold many numbers per cell. The result divides couplingDraws.
func couplingBatch(cells int) int {
	batch := couplingDraws
	for batch > 1 && batch*cells > 1<<15 {
		batch /= 2
	}
	return batch
}

// Coupling returns the largest eigenvalue of the correlation matrix of x₀ | x_t, averaged over x_t. It was
// measured after the training, and is interpolated linearly in log σ.
func (p *Prior) Coupling(sigma float64) float64 {
	n := len(couplingLevels)
	i := sort.SearchFloat64s(couplingLevels, sigma)
	switch i {
	case 0:
		return p.coupling[0]
	case n:
		return p.coupling[n-1]
	}
	w := math.Log(sigma/couplingLevels[i-1]) / math.Log(couplingLevels[i]/couplingLevels[i-1])
	return (1-w)*p.coupling[i-1] + w*p.coupling[i]
}

// rowDot returns the inner product of a and b for each draw, (batch, 1).
func rowDot(a, b *Node) *Node { return ReduceAndKeep(Mul(a, b), ReduceSum, -1) }

// couplingOf measures the coupling of a learned prior at couplingLevels. It finds the largest eigenvalue by
// power iteration with Jacobian products, at diffused draws of the simulator.
func couplingOf(ctx context.Context, p *Prior, sim expfam.Simulator, e *engine.Engine, seed uint64) ([]float64, error) {
	d := p.Dim()
	exec, err := NewExec(e.Backend, func(x, start, sqrtAlpha, v *Node) *Node {
		l := level.Nodes{SqrtAlpha: sqrtAlpha, V: v}
		point := &diffusion.Point{X: x, Level: l}
		var variance *Node
		point.Mean, variance = p.Moments(x, l)
		scale := StopGradient(Reciprocal(Sqrt(variance)))
		u := start
		var ratio *Node
		for range couplingIterations {
			image := Mul(scale, point.Cov(Mul(scale, u)))
			ratio = Div(rowDot(u, image), rowDot(u, u))
			u = StopGradient(Div(image, Sqrt(rowDot(image, image))))
		}
		return ReduceAllMean(ratio)
	})
	if err != nil {
		return nil, fmt.Errorf("train: coupling: %w", err)
	}
	defer exec.Finalize()
	rng := expfam.Stream(seed, "coupling")
	batch := couplingBatch(d)
	x0, x, start := make([]float64, d), make([]float32, batch*d), make([]float32, batch*d)
	result := make([]float64, len(couplingLevels))
	for i, sigma := range couplingLevels {
		l := level.At(sigma)
		var sum float64
		for range couplingDraws / batch {
			if ctx.Err() != nil {
				return nil, expfam.ErrInterrupted
			}
			for k := range batch {
				if err := drawOf(sim, rng, x0); err != nil {
					return nil, err
				}
				for j := range d {
					x[k*d+j] = float32(l.SqrtAlpha * (x0[j] + sigma*rng.NormFloat64()))
					start[k*d+j] = float32(rng.NormFloat64())
				}
			}
			args := [2]*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, batch, d),
				tensors.FromFlatDataAndDimensions(start, batch, d)}
			out, err := e.Call(exec, args[0], args[1], [][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
			if err != nil {
				return nil, fmt.Errorf("train: coupling at sigma %.3g: %w", sigma, err)
			}
			sum += float64(tensors.ToScalar[float32](out[0]))
			if err := engine.Release(args[0], args[1], out[0]); err != nil {
				return nil, err
			}
		}
		result[i] = min(max(sum*float64(batch)/couplingDraws, 1), float64(d))
	}
	return result, nil
}
