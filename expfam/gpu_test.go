//go:build gpu

package expfam_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/nn"
)

// Noise comes from the host, so that draw k on XLA is draw k on pure Go but for
// rounding. The bounds are a hundred roundings, 6e-8 or 1e-16, of the largest x₀ in
// each of some 30 evaluations, whose errors the steps after them shrink.
func TestGPUPosterior(t *testing.T) {
	e := enginetest.XLA(t)
	counts := Likelihood{Family: Poisson{}, Link: ExpLink}
	shares := Likelihood{Family: Binomial{}, Link: SigmoidLink}
	unet := nn.UNet{Rows: 8, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Attention: 4, Groups: 2}
	for _, c := range []struct {
		name  string
		prior Prior
		like  Likelihood
		s     Sampler
	}{
		{"quadrature", few, counts, Sampler{}},
		{"conjugate", few, shares, Sampler{Guidance: Corrected{}}},
		{"predictor-corrector", few, counts, Sampler{Method: PredictorCorrector{N: 50}}},
		{"unet", learntest.Untrained(t, unet, 64), counts, Sampler{Method: Multistep{N: 5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for dtype, tol := range map[dtypes.DType]float64{dtypes.Float32: 1e-5, dtypes.Float64: 1e-13} {
				obs := make(Observations, c.prior.Dim())
				for j := range obs {
					obs[j] = Term{Stat: float64(j % 3), Size: float64(1 + j%2*2)}
				}
				run := func(on string) *mat.Dense {
					s := c.s
					s.Draws, s.Seed, s.DType, s.Engine = 16, 1, dtype, e
					if on == "go" {
						s.Engine = enginetest.Open(t, on)
					}
					return sample(t, c.prior, c.like, obs, s).X
				}
				want, got := run("go"), run("xla")
				var gap mat.Dense
				gap.Sub(got, want)
				worst := max(mat.Max(&gap), -mat.Min(&gap))
				low, high := mat.Min(want), mat.Max(want)
				t.Logf("%s: draws differ by up to %.2g, they reach from %.2f to %.2f", dtype, worst, low, high)
				if !(high-low > 1) || !(worst <= tol*max(-low, high)) {
					t.Errorf("%s: draws differ by %.2g, want at most %g of the largest", dtype, worst, tol)
				}
			}
		})
	}
}
