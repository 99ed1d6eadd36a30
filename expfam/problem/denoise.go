package problem

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
)

// DenoisingError returns, for each noise level σ, how far the mean m of x₀ | x_t under a prior is from the exact mean
// m*, in exact standard deviations s*. It is the root mean square of (m − m*)/s* over cells and diffused draws of the
// [Prior]. A network whose error is well below 1 does not make the posterior worse.
func DenoisingError(p expfam.Prior, sigmas []float64) ([]float64, error) {
	const draws = 500
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	exec, err := NewExec(e.Backend, func(x, sqrtAlpha, v *Node) *Node {
		l := level.Nodes{SqrtAlpha: sqrtAlpha, V: v}
		got, _ := p.Moments(x, l)
		want, variance := Prior.Moments(x, l)
		return Sqrt(ReduceAllMean(Div(Square(Sub(got, want)), variance)))
	})
	if err != nil {
		return nil, fmt.Errorf("problem: denoising error: %w", err)
	}
	defer exec.Finalize()
	d := Prior.Dim()
	rng := expfam.Stream(0, "benchmark/denoising")
	x0, x, result := make([]float64, d), make([]float32, draws*d), make([]float64, len(sigmas))
	for i, sigma := range sigmas {
		l := level.At(sigma)
		for k := range draws {
			Prior.Draw(rng, x0)
			for j := range d {
				x[k*d+j] = float32(l.SqrtAlpha * (x0[j] + sigma*rng.NormFloat64()))
			}
		}
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(x, draws, d),
			[][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
		if err != nil {
			return nil, fmt.Errorf("problem: denoising error at sigma %g: %w", sigma, err)
		}
		result[i] = float64(tensors.ToScalar[float32](out[0]))
		if math.IsNaN(result[i]) {
			return nil, fmt.Errorf("problem: the denoiser %v gives NaN at sigma %g", p, sigma)
		}
	}
	return result, nil
}
