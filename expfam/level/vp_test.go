package level

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/expfam/lab/internal/must"
)

var schedules = []VP{{}, {Beta0: 0.1, Beta1: 20}, {Beta0: 3, Beta1: 3}, {Beta1: 5, Epsilon: 1e-5}}

func TestVPLevel(t *testing.T) {
	for _, vp := range schedules {
		for _, time := range []float64{1e-6, 1e-3, 0.1, 0.5, 1} {
			t.Run(fmt.Sprintf("%v/%g", vp, time), func(t *testing.T) {
				// β is a line, for which two Gauss–Legendre nodes are exact.
				integral := quad.Fixed(vp.Beta, 0, time, 2, quad.Legendre{}, 0)
				got := vp.Level(time)
				// A few roundings.
				want := math.Exp(-integral / 2)
				must.Be(t, math.Abs(got.SqrtAlpha/want-1) <= 1e-15, "√α = %.17g, want %.17g", got.SqrtAlpha, want)
				must.Absolute(t, "v", got.V/oneMinusExp(integral), 1, 1e-14)
				// σ(t) and its inverse have conditions of order one, up to log α = −10, where α is one rounding of 10
				// off.
				must.Absolute(t, "time", vp.Time(got.Sigma())/time, 1, 1e-14)
			})
		}
	}
}

// oneMinusExp is 1 − e^{−x} by its series at 200 bits.
func oneMinusExp(x float64) float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	sum, term := number(0), number(-1)
	for k := 1; k < 200; k++ {
		term.Mul(term, number(-x)).Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	v, _ := sum.Float64()
	return v
}

func TestAt(t *testing.T) {
	for _, sigma := range []float64{1e-9, 1e-3, 1, 150, 1e9} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			l := At(sigma)
			must.Absolute(t, "sigma", l.Sigma()/sigma, 1, 1e-15)
			must.Absolute(t, "α + v", l.SqrtAlpha*l.SqrtAlpha+l.V, 1, 1e-15)
		})
	}
}

func TestSigmas(t *testing.T) {
	for _, vp := range schedules {
		t.Run(vp.String(), func(t *testing.T) {
			for _, n := range []int{1, 2, 25} {
				grid := vp.Sigmas(n)
				must.Need(t, len(grid) == n+1, "%d levels for %d steps", len(grid), n)
				end := vp.Defaults().Epsilon
				must.Be(t, grid[0] == vp.Level(1).Sigma() && grid[n] == vp.Level(end).Sigma(),
					"ends %.17g, %.17g; want them exact", grid[0], grid[n])
				for i := 1; i < n; i++ {
					// Equal ratios, up to the rounding of a logarithm.
					r := grid[i] * grid[i] / grid[i-1] / grid[i+1]
					must.Be(t, math.Abs(r-1) <= 1e-13, "ratio of ratios at %d is %.17g", i, r)
				}
			}
		})
	}
}
