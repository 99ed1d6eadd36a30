//go:build gpu

package diffusion_test

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// Noise comes from the host, so that draw k on XLA is draw k on pure Go but for rounding. How much a sampler magnifies
// rounding is what float32 does to its draws on pure Go, against float64: little under dense networks, ten thousandfold
// under an untrained U-Net, whose group norms divide by a spread near zero. Another engine rounds elsewhere, and as
// much: ten times that is allowed, and 2⁻²⁹ of it in float64, which is less than four units in the last place where
// transitions of the host have taken most of it away.
func TestGPUPosterior(t *testing.T) {
	e := enginetest.XLA(t)
	counts := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	shares := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.SigmoidLink}
	unet := nn.UNet{Rows: 8, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Attention: 4, Groups: 2}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		like  expfam.Likelihood
		s     Sampler
	}{
		{"quadrature", few, counts, Sampler{}},
		{"conjugate", few, shares, Sampler{Guidance: Corrected{}}},
		{"predictor-corrector", few, counts, Sampler{Method: PredictorCorrector{N: 50}}},
		{"covariance steps", few, counts, Sampler{Method: CovarianceSteps{}}},
		{"unet", learntest.Untrained(t, unet, 64), counts, Sampler{Method: Multistep{N: 5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			obs := make(expfam.Observations, c.prior.Dim())
			for j := range obs {
				obs[j] = expfam.Term{Stat: float64(j % 3), Size: float64(1 + j%2*2)}
			}
			run := func(dtype dtypes.DType, on *engine.Engine) *mat.Dense {
				s := c.s
				s.Draws, s.Seed, s.DType, s.Engine = 16, 1, dtype, on
				return sample(t, c.prior, c.like, obs, s).X
			}
			host := enginetest.Open(t, "go")
			single, double := run(dtypes.Float32, host), run(dtypes.Float64, host)
			var rounded mat.Dense
			rounded.Sub(single, double)
			rounding := max(mat.Max(&rounded), -mat.Min(&rounded))
			low, high := mat.Min(double), mat.Max(double)
			t.Logf("float32 moves draws, which reach from %.2f to %.2f, by up to %.2g", low, high, rounding)
			must.Be(t, high-low > 1 && rounding < 0.01, "these draws can't be compared")
			for _, c := range []struct {
				dtype dtypes.DType
				want  *mat.Dense
				tol   float64
			}{{dtypes.Float32, single, 10 * rounding}, {dtypes.Float64, double,
				max(10*rounding*math.Pow(2, -29), 4*0x1p-52*max(-low, high))}} {
				sameDraws(t, c.dtype, run(c.dtype, e), c.want, c.tol)
			}
		})
	}
}
