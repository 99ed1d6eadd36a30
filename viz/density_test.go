package viz

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/internal/must"
)

// TestKernelDensity compares with known densities. With n = 20000 draws and Silverman's bandwidth h = 0.12 sd the
// standard error at the mode is about sqrt(0.28 p / (n h)) = 0.007 and the bias h² p”/2 = 0.003, in units of 1/sd; 0.03
// is three times their sum. Estimates on the logarithm have that error in units of 1/(x sd log x).
func TestKernelDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		dist interface {
			distuv.RandLogProber
			Prob(float64) float64
			Quantile(float64) float64
		}
		logs bool
		sd   float64 // of x or of log x
	}{
		{"normal", distuv.Normal{Mu: 3, Sigma: 1, Src: r}, false, 1},
		{"log-normal", distuv.LogNormal{Mu: 0, Sigma: 0.5, Src: r}, true, 0.5},
		{"gamma", distuv.Gamma{Alpha: 4, Beta: 2, Src: r}, true, 0.53}, // sqrt(trigamma(4))
	} {
		t.Run(c.name, func(t *testing.T) {
			s := make([]float64, 20000)
			for i := range s {
				s[i] = c.dist.Rand()
			}
			sort.Float64s(s)
			x := grid(c.dist.Quantile(1e-5), c.dist.Quantile(1-1e-5), false, 1000)
			y := must.Get(kernelDensity(s, x, c.logs))(t)
			if got := integrate.Trapezoidal(x, y); math.Abs(got-1) > 1e-3 { // 2e-5 cut off, the rest is the grid
				t.Errorf("integral %g", got)
			}
			for i := range x {
				tol := 0.03 / c.sd
				if c.logs {
					tol /= x[i]
				}
				want := c.dist.Prob(x[i])
				must.Need(t, math.Abs(y[i]-want) <= tol, "density at %g: %g, want %g", x[i], y[i], want)
			}
		})
	}
}
