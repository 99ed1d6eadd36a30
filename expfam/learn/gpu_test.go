//go:build gpu

package learn_test

import (
	"math"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// Trainings on XLA and on pure Go start from the same weights and see the same batches. In float32 they differ by sums
// in another order and fused products, 1e-7 a step, which Adam magnifies where a gradient is small.
func TestGPUTrains(t *testing.T) {
	e := enginetest.XLA(t)
	field := gp.RBF{Cells: 16, Length: 0.3}
	unet := nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Attention: 2, Groups: 2}
	for _, c := range []struct {
		name string
		sim  Simulator
		edit func(*learn.Training)
		tol  float64
	}{
		{"experts", few, func(c *learn.Training) { c.Steps = 20 }, 1e-4},
		{"one device", few, func(c *learn.Training) { c.Steps, c.Devices = 20, 1 }, 1e-4},
		{"unet", field, func(c *learn.Training) { c.Net, c.Steps, c.Batch = unet, 5, 16 }, 1e-4},
	} {
		t.Run(c.name, func(t *testing.T) {
			cpu := learntest.Tiny(t)
			c.edit(&cpu)
			gpu := cpu
			gpu.Engine = e
			want, got := learntest.Train(t, c.sim, cpu), learntest.Train(t, c.sim, gpu)
			worst := 0.
			for i := range want.Curve.Train {
				worst = max(worst, math.Abs(got.Curve.Train[i]/want.Curve.Train[i]-1),
					math.Abs(got.Curve.HeldOut[i]/want.Curve.HeldOut[i]-1))
			}
			t.Logf("losses differ by up to %.2g, relative", worst)
			must.Be(t, worst <= c.tol, "losses differ by %.2g, want at most %g", worst, c.tol)
			if a, b := got.Coupling(1), want.Coupling(1); !(math.Abs(a/b-1) <= c.tol) {
				t.Errorf("coupling %g, on the CPU %g", a, b)
			}
		})
	}
}
