package benchmark

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/store"
)

// Denoising is how well images are told from noise at one level.
type Denoising struct {
	Sigma float64
	// Network and Linear are mean squared errors of x₀, of a prior's mean of
	// x₀ | x_t and of the best linear estimate, over the variance of the images.
	Network, Linear float64
	// Spread is the mean of (x₀ − m)²/s²: 1 where the prior knows its error.
	Spread float64
}

// denoiseRevision is part of the key of stored comparisons: it goes up when the same
// arguments give other numbers.
const denoiseRevision = 1

// Denoise compares a prior of images with the Wiener filter of the Gaussian
// field of the same moments ([gp.Empirical]), on the same noise on draws of a
// simulator. The result is stored, and a second call with the same arguments
// loads it.
func Denoise(p expfam.Prior, linear *gp.Stationary, sim expfam.Simulator, sigmas []float64, draws int, seed uint64) ([]Denoising, error) {
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	key := store.Key("denoise", denoiseRevision, p.String(), linear.String(), sim.String(), sigmas, draws, seed, e.String())
	return store.Once("benchmark", key, store.JSON[[]Denoising](), func() ([]Denoising, error) {
		return denoise(e, p, linear, sim, sigmas, draws, seed)
	})
}

func denoise(e *engine.Engine, p expfam.Prior, linear *gp.Stationary, sim expfam.Simulator, sigmas []float64, draws int, seed uint64) ([]Denoising, error) {
	const batch = 8
	exec, err := NewExec(e.Backend, func(x, sqrtAlpha, v *Node) (mean, variance *Node) {
		return p.Moments(x, expfam.LevelNodes{SqrtAlpha: sqrtAlpha, V: v})
	})
	if err != nil {
		return nil, fmt.Errorf("benchmark: denoising: %w", err)
	}
	defer exec.Finalize()
	d := p.Dim()
	rng := expfam.Stream(seed, "benchmark/wiener")
	x0, noisy, x := make([]float64, batch*d), make([]float64, d), make([]float32, batch*d)
	result := make([]Denoising, len(sigmas))
	rounds := (draws + batch - 1) / batch
	for range rounds {
		for k := range batch {
			sim.Draw(rng, x0[k*d:(k+1)*d])
		}
		for i, sigma := range sigmas {
			l := expfam.LevelAt(sigma)
			var missed float64
			for k := range batch {
				for j := range d {
					noisy[j] = x0[k*d+j] + sigma*rng.NormFloat64()
					x[k*d+j] = float32(l.SqrtAlpha * noisy[j])
				}
				if missed, err = squares(missed, linear, x0[k*d:(k+1)*d], noisy, sigma); err != nil {
					return nil, err
				}
			}
			in := tensors.FromFlatDataAndDimensions(x, batch, d)
			out, err := exec.Call(in, [][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
			if err != nil {
				return nil, fmt.Errorf("benchmark: denoising at sigma %g: %w", sigma, err)
			}
			mean, variance := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
			if err := engine.Release(append(out, in)...); err != nil {
				return nil, err
			}
			n := float64(rounds * batch * d)
			r := &result[i]
			r.Sigma = sigma
			r.Linear += missed / n / linear.Variance()
			for j, m := range mean {
				miss := x0[j] - float64(m)
				r.Network += miss * miss / n / linear.Variance()
				// One row serves all draws where it does not depend on them.
				r.Spread += miss * miss / float64(variance[j%len(variance)]) / n
			}
		}
	}
	return result, nil
}

// squares adds the squared errors of the linear estimate.
func squares(sum float64, linear *gp.Stationary, x0, noisy []float64, sigma float64) (float64, error) {
	estimate, err := linear.Denoise(noisy, sigma)
	if err != nil {
		return 0, err
	}
	for j, m := range estimate {
		sum += (x0[j] - m) * (x0[j] - m)
	}
	return sum, nil
}
