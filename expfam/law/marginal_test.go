package law

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/internal/must"
)

func TestWassersteinOfSamples(t *testing.T) {
	a := Empirical{-1, 0, 0, 2, 5}
	b := []float64{-2, 0, 3}
	// On 15 equal steps of u both quantile functions are constant.
	var want float64
	for i := range 15 {
		want += math.Abs(a[i/3]-b[i/5]) / 15
	}
	must.Absolute(t, "sizes 5 and 3", a.Wasserstein(b), want, 1e-15)
	must.Absolute(t, "sizes 3 and 5", Empirical(b).Wasserstein(a), want, 1e-15)
	must.Absolute(t, "itself", a.Wasserstein(a), 0, 0)
	shifted := slices.Clone(a)
	for i := range shifted {
		shifted[i] += 10
	}
	must.Absolute(t, "shift by 10", a.Wasserstein(shifted), 10, 1e-14)
}

func TestWassersteinToNormal(t *testing.T) {
	const m, s = 0.3, 1.7
	n := NormalMarginal{m, s}
	must.Absolute(t, "point at the mean", n.Wasserstein([]float64{m}), s*math.Sqrt(2/math.Pi), 1e-15)
	must.Absolute(t, "far point", n.Wasserstein([]float64{m + 1e3}), 1e3, 1e-10)
	must.Absolute(t, "sd 0", NormalMarginal{m, 0}.Wasserstein([]float64{m - 1, m + 2}), 1.5, 1e-15)
	x := []float64{-9, -1.5, -1.5, 0.2, 0.25, 2, 2.5}
	// ∫|F(x) − Φ((x−m)/s)| dx, by Gauss-Legendre between the steps of F and
	// the places where the integrand's sign can change.
	var want float64
	unit := distuv.UnitNormal
	knots := []float64{m - 40, m + 40}
	for i, at := range x {
		knots = append(knots, at)
		if i > 0 {
			knots = append(knots, m+s*unit.Quantile(float64(i)/float64(len(x))))
		}
	}
	slices.Sort(knots)
	for i := 1; i < len(knots); i++ {
		count := 0.0
		for _, at := range x {
			if at <= (knots[i-1]+knots[i])/2 {
				count++
			}
		}
		// Pieces of length 1 keep 60 nodes exact to rounding.
		for low := knots[i-1]; low < knots[i]; low++ {
			want += quad.Fixed(func(x float64) float64 {
				return math.Abs(count/7 - unit.CDF((x-m)/s))
			}, low, math.Min(low+1, knots[i]), 60, quad.Legendre{}, 0)
		}
	}
	must.Absolute(t, "7 points", n.Wasserstein(x), want, 1e-12)
}
