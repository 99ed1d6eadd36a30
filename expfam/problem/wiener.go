package problem

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/store"
)

// Denoising says how well a prior removes noise from images at one noise level.
type Denoising struct {
	Sigma float64
	// Network and Linear are mean squared errors of x₀, divided by the variance of the images. Network is the error of
	// the prior's mean of x₀ | x_t, and Linear the error of the best linear estimate.
	Network, Linear float64
	// SE is the standard error of Network − Linear over the images.
	SE float64
	// Spread is the mean of (x₀ − m)²/s². It is 1 if the prior's variances s² match the errors of its means m.
	Spread float64
}

// denoiseRevision is part of the key of stored comparisons. Increase it when the same arguments give other numbers.
const denoiseRevision = 2

// Denoise compares a prior of images with the Wiener filter of the Gaussian field that has the moments of the images
// ([gp.Empirical]). Both see the same noisy draws of a simulator. The result is stored, and a second call with the same
// arguments loads it.
func Denoise(p expfam.Prior, linear *gp.Stationary, sim expfam.Simulator, sigmas []float64, draws int,
	seed uint64) ([]Denoising, error) {
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	source, err := fingerprint.Simulator(sim, expfam.Stream)
	if err != nil {
		return nil, fmt.Errorf("problem: denoising: %w", err)
	}
	prior, err := diffusion.PriorFingerprint(p, e)
	if err != nil {
		return nil, fmt.Errorf("problem: denoising: %w", err)
	}
	key := store.Key("denoise", denoiseRevision, prior, linear, source, sigmas, draws, seed)
	return store.Once("benchmark", key, store.JSON[[]Denoising](), func() ([]Denoising, error) {
		return denoise(e, p, linear, sim, sigmas, draws, seed)
	})
}

func denoise(e *engine.Engine, p expfam.Prior, linear *gp.Stationary, sim expfam.Simulator, sigmas []float64, draws int,
	seed uint64) ([]Denoising, error) {
	const batch = 8
	exec, err := NewExec(e.Backend, func(x, sqrtAlpha, v *Node) (mean, variance *Node) {
		return p.Moments(x, level.Nodes{SqrtAlpha: sqrtAlpha, V: v})
	})
	if err != nil {
		return nil, fmt.Errorf("problem: denoising: %w", err)
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
			l := level.At(sigma)
			linearMiss := make([]float64, batch)
			for k := range batch {
				for j := range d {
					noisy[j] = x0[k*d+j] + sigma*rng.NormFloat64()
					x[k*d+j] = float32(l.SqrtAlpha * noisy[j])
				}
				estimate, err := linear.Denoise(noisy, sigma)
				if err != nil {
					return nil, err
				}
				linearMiss[k] = squares(x0[k*d:(k+1)*d], func(j int) float64 { return estimate[j] })
			}
			in := tensors.FromFlatDataAndDimensions(x, batch, d)
			out, err := exec.Call(in, [][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
			if err != nil {
				return nil, fmt.Errorf("problem: denoising at sigma %g: %w", sigma, err)
			}
			mean, variance := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
			if err := engine.Release(append(out, in)...); err != nil {
				return nil, err
			}
			result[i].Sigma = sigma
			result[i].add(float64(rounds*batch), linear.Variance(), x0, linearMiss, mean, variance)
		}
	}
	for i, r := range result {
		excess := r.Network - r.Linear
		result[i].SE = math.Sqrt(max(r.SE-excess*excess/float64(rounds*batch), 0))
	}
	return result, nil
}

// squares returns the sum of the squared errors of an estimate.
func squares(x0 []float64, estimate func(j int) float64) (sum float64) {
	for j, x := range x0 {
		sum += (x - estimate(j)) * (x - estimate(j))
	}
	return sum
}

// add adds a batch x0 of the n draws. linearMiss holds the squared errors of the linear filter, and mean and variance
// are those of the network. Until all batches are added, SE is a sum of squares.
func (r *Denoising) add(n, priorVariance float64, x0, linearMiss []float64, mean, variance []float32) {
	d := len(x0) / len(linearMiss)
	unit := n * float64(d) * priorVariance
	for k, linear := range linearMiss {
		network := squares(x0[k*d:(k+1)*d], func(j int) float64 { return float64(mean[k*d+j]) })
		r.Network += network / unit
		r.Linear += linear / unit
		r.SE += (network - linear) * (network - linear) / unit / unit
	}
	for j, m := range mean {
		miss := x0[j] - float64(m)
		// variance has one row for all draws if it does not depend on them.
		r.Spread += miss * miss / float64(variance[j%len(variance)]) / n / float64(d)
	}
}
