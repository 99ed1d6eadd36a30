package viz

import (
	"math"
	"math/rand/v2"
	"slices"
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
			x, y, err := kernelDensity(s, grid(c.dist.Quantile(1e-5), c.dist.Quantile(1-1e-5), false, 1000), c.logs)
			must.Do(t, err)
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

// TestNarrowDensity: a density that is far narrower than the axis, because that shows a wide one or a distant truth, is
// drawn with its area and its height of 0.39 per standard deviation. The bandwidth of 400 draws, 0.27 of a standard
// deviation, lowers it to 0.385, and the tails that are cut off have 0.002.
func TestNarrowDensity(t *testing.T) {
	for _, mean := range []float64{-1, 1} { // of positive draws the logarithm is estimated
		wide, narrow := make(sequence, 400), make(sequence, 400)
		for i := range wide {
			z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / 400)
			wide[i], narrow[i] = mean*math.Exp(3*z), mean*math.Exp(1e-3*z)
		}
		one := Method{Name: "narrow", Draws: narrow}
		both := must.Get(Density{Methods: []Method{{Name: "wide", Draws: wide}, one}}.Chart())(t)
		far := must.Get(Density{Methods: []Method{one}, Truth: []float64{50}}.Chart())(t)
		for _, m := range slices.Concat(both.marks, far.marks) {
			if l, ok := m.(lineMark); ok && l.label == "narrow" {
				must.Absolute(t, "area", integrate.Trapezoidal(l.x, l.y), 1, 0.01)
				must.Absolute(t, "height", 1e-3*slices.Max(l.y), 0.385, 0.005)
			}
		}
	}
}
