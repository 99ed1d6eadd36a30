package expfam

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/internal/must"
)

func TestWassersteinOfSamples(t *testing.T) {
	a := empirical{-1, 0, 0, 2, 5}
	b := []float64{-2, 0, 3}
	// On 15 equal steps of u both quantile functions are constant.
	var want float64
	for i := range 15 {
		want += math.Abs(a[i/3]-b[i/5]) / 15
	}
	closeTo(t, "sizes 5 and 3", a.Wasserstein(b), want, 1e-15)
	closeTo(t, "sizes 3 and 5", empirical(b).Wasserstein(a), want, 1e-15)
	closeTo(t, "itself", a.Wasserstein(a), 0, 0)
	shifted := slices.Clone(a)
	for i := range shifted {
		shifted[i] += 10
	}
	closeTo(t, "shift by 10", a.Wasserstein(shifted), 10, 1e-14)
}

func TestWassersteinToNormal(t *testing.T) {
	const m, s = 0.3, 1.7
	n := gaussianMarginal{m, s}
	closeTo(t, "point at the mean", n.Wasserstein([]float64{m}), s*math.Sqrt(2/math.Pi), 1e-15)
	closeTo(t, "far point", n.Wasserstein([]float64{m + 1e3}), 1e3, 1e-10)
	closeTo(t, "sd 0", gaussianMarginal{m, 0}.Wasserstein([]float64{m - 1, m + 2}), 1.5, 1e-15)
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
	closeTo(t, "7 points", n.Wasserstein(x), want, 1e-12)
}

// smooth is a Gaussian with correlated cells, and n draws of it.
func smooth(cells, n int, seed uint64) (Gaussian, *Posterior) {
	mean := make([]float64, cells)
	cov := mat.NewSymDense(cells, nil)
	for i := range cells {
		mean[i] = float64(i) / 3
		for j := i; j < cells; j++ {
			cov.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/4))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("the kernel is positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	z := mat.NewDense(n, cells, nil)
	rng := Stream(seed, "smooth")
	z.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, z)
	x := new(mat.Dense)
	x.Mul(z, l.T())
	x.Apply(func(_, j int, v float64) float64 { return v + mean[j] }, x)
	return Gaussian{mean, cov}, &Posterior{X: x}
}

func TestDistance(t *testing.T) {
	g, p := smooth(30, 500, 1)
	t.Run("to itself", func(t *testing.T) {
		got := must.Get(p.Distance(p, g.Mean))(t)
		want := Distance{CI: 1, FS: 1, Rough: 1, Coverage: 1}
		for i, f := range got.fields() {
			closeTo(t, distanceColumns[i], *f, *want.fields()[i], 1e-14)
		}
	})
	t.Run("doubled and shifted", func(t *testing.T) {
		mean, sd := p.Latent().Mean(), p.Latent().SD()
		median := p.Latent().Median()
		x := mat.NewDense(500, 30, nil)
		x.Apply(func(i, j int, _ float64) float64 { return median[j] + 2*(p.X.At(i, j)-median[j]) + 3*sd[j] }, x)
		got := must.Get((&Posterior{X: x}).Distance(p, mean))(t)
		closeTo(t, "med", got.Med, 3, 1e-12)
		closeTo(t, "CI", got.CI, 2, 1e-12)
		closeTo(t, "fs", got.FS, 2, 1e-12)
		// sd[j] = 1 within 0.03·√2, so the roughness of the shift is small beside that of the draws, which is 4-fold.
		closeTo(t, "rough", got.Rough, 4, 0.1)
		// The mean of all is 3 off, in units of its own sd (from Σ/30²).
		unit := g.Project(indices(30), slices.Repeat([]float64{1. / 30}, 30)).SD()
		closeTo(t, "fm", got.FM, 3/unit, 0.3) // sd of the cells ± 0.03
		// Quantiles cross only beyond 3 sd from the median: W1 is the shift.
		closeTo(t, "W1", got.W1, 3, 0.02)
	})
	t.Run("closed form and many draws agree", func(t *testing.T) {
		_, many := smooth(30, 10000, 2)
		exact := must.Get(p.Distance(g, nil))(t)
		sampled := must.Get(p.Distance(many, nil))(t)
		for i, f := range exact.fields()[:7] {
			closeTo(t, distanceColumns[i], *sampled.fields()[i], *f, 0.04) // 4/√10000
		}
		must.Be(t, math.IsNaN(exact.Coverage), "coverage %v without truth, want NaN", exact.Coverage)
	})
	t.Run("floor of independent draws", func(t *testing.T) {
		var got Distance
		for seed := range uint64(20) {
			_, p := smooth(30, 500, 100+seed)
			d := must.Get(p.Distance(g, nil))(t)
			for i, f := range got.fields() {
				*f += *d.fields()[i] / 20
			}
		}
		// |median error| of 500 normal draws is √(π/2/500)·√(2/π) = 0.0447 on average; correlated cells leave about 150
		// independent values, so 3 standard errors are 3·0.034/√150.
		closeTo(t, "med", got.Med, 0.0447, 0.0085)
		closeTo(t, "CI", got.CI, 0.99, 0.02)
		closeTo(t, "W1", got.W1, 0.056, 0.008)
		closeTo(t, "sliced W1", got.SlicedW1, 0.056, 0.008)
		closeTo(t, "fs", got.FS, 1, 0.03) // 4·√(1/1000/20)
		closeTo(t, "rough", got.Rough, 1, 0.02)
	})
	t.Run("row", func(t *testing.T) {
		row := strings.Join(Distance{Med: 0.0444, CI: 1, Coverage: math.NaN()}.Row(), " ")
		must.Equal(t, row, "0.044 1.000 0.000 0.000 0.000 0.000 0.000 –", "row")
		s := (Distance{Med: 0.0444}).String()
		must.Be(t, strings.HasPrefix(s, "med 0.044  CI 0.000  W1"), "string %q", s)
	})
	t.Run("refuses", func(t *testing.T) {
		_, few := smooth(7, 10, 1)
		flat := &Posterior{X: mat.NewDense(5, 30, nil)}
		for want, ref := range map[string]Reference{"of the reference's 7": few,
			"cell 0: the reference has sd 0": flat} {
			must.Refuse(p.Distance(ref, nil))(t, want)
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func BenchmarkDistance(b *testing.B) {
	g, p := smooth(30, 500, 1)
	_, ref := smooth(30, 4000, 2)
	for name, ref := range map[string]Reference{"closed form": g, "4000 draws": ref} {
		b.Run(fmt.Sprintf("30 cells, 500 draws/%s", name), func(b *testing.B) {
			for b.Loop() {
				must.Get(p.Distance(ref, nil))(b)
			}
		})
	}
}
