//go:build gpu

package expfam_test

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
)

// Trainings on XLA and on pure Go start from the same weights and see the same
// batches. In float32 they differ by sums in another order and fused products,
// 1e-7 a step, which Adam magnifies where a gradient is small.
func TestGPUTrains(t *testing.T) {
	e := enginetest.XLA(t)
	field := gp.RBF{Cells: 16, Length: 0.3}
	unet := nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Attention: 2, Groups: 2}
	for _, c := range []struct {
		name string
		sim  Simulator
		edit func(*Training)
		tol  float64
	}{
		{"experts", few, func(c *Training) { c.Steps = 20 }, 1e-4},
		{"one device", few, func(c *Training) { c.Steps, c.Devices = 20, 1 }, 1e-4},
		{"unet", field, func(c *Training) { c.Net, c.Steps, c.Batch = unet, 5, 16 }, 1e-4},
		// 8 bits of significand, of a loss of order one.
		{"half", few, func(c *Training) { c.Steps, c.Half = 20, true }, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			cpu := tiny(t)
			c.edit(&cpu)
			gpu := cpu
			gpu.Engine = e
			want, got := train(t, c.sim, cpu), train(t, c.sim, gpu)
			worst := 0.
			for i := range want.Curve.Train {
				worst = max(worst, math.Abs(got.Curve.Train[i]/want.Curve.Train[i]-1), math.Abs(got.Curve.HeldOut[i]/want.Curve.HeldOut[i]-1))
			}
			t.Logf("losses differ by up to %.2g, relative", worst)
			if !(worst <= c.tol) {
				t.Errorf("losses differ by %.2g, want at most %g", worst, c.tol)
			}
			if a, b := got.Coupling(1), want.Coupling(1); !(math.Abs(a/b-1) <= c.tol) {
				t.Errorf("coupling %g, on the CPU %g", a, b)
			}
		})
	}
}

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
		{"unet", untrained(t, unet, 64), counts, Sampler{Method: Multistep{N: 5}}},
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
