package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// smoothField is a Gaussian with correlated cells, and n draws of it.
func smoothField(cells, n int, seed uint64) (expfam.Gaussian, *expfam.Posterior) {
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
	rng := expfam.Stream(seed, "smooth")
	z.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, z)
	x := new(mat.Dense)
	x.Mul(z, l.T())
	x.Apply(func(_, j int, v float64) float64 { return v + mean[j] }, x)
	return expfam.Gaussian{Mean: mean, Cov: cov}, &expfam.Posterior{X: x}
}

func TestDistance(t *testing.T) {
	g, p := smoothField(30, 500, 1)
	t.Run("to itself", func(t *testing.T) {
		got := must.Get(Distances(p, g.Mean, p))(t)[0]
		want := Distance{CI: 1, FS: 1, Rough: 1, Coverage: 1}
		for i, f := range got.fields() {
			must.Absolute(t, distanceColumns[i], *f, *want.fields()[i], 1e-14)
		}
	})
	t.Run("doubled and shifted", func(t *testing.T) {
		mean, sd := p.Latent().Mean(), p.Latent().SD()
		median := p.Latent().Median()
		x := mat.NewDense(500, 30, nil)
		x.Apply(func(i, j int, _ float64) float64 { return median[j] + 2*(p.X.At(i, j)-median[j]) + 3*sd[j] }, x)
		got := must.Get(Distances(p, mean, &expfam.Posterior{X: x}))(t)[0]
		must.Absolute(t, "med", got.Med, 3, 1e-12)
		must.Absolute(t, "CI", got.CI, 2, 1e-12)
		must.Absolute(t, "fs", got.FS, 2, 1e-12)
		// sd[j] = 1 within 0.03·√2, so the roughness of the shift is small beside that of the draws, which is 4-fold.
		must.Absolute(t, "rough", got.Rough, 4, 0.1)
		// The mean of all is 3 off, in units of its own sd (from Σ/30²).
		unit := g.Project(indices(30), slices.Repeat([]float64{1. / 30}, 30)).SD()
		must.Absolute(t, "fm", got.FM, 3/unit, 0.3) // sd of the cells ± 0.03
		// Quantiles cross only beyond 3 sd from the median: W1 is the shift.
		must.Absolute(t, "W1", got.W1, 3, 0.02)
	})
	t.Run("closed form and many draws agree", func(t *testing.T) {
		_, many := smoothField(30, 10000, 2)
		exact := must.Get(Distances(g, nil, p))(t)[0]
		sampled := must.Get(Distances(many, nil, p))(t)[0]
		for i, f := range exact.fields()[:7] {
			must.Absolute(t, distanceColumns[i], *sampled.fields()[i], *f, 0.04) // 4/√10000
		}
		must.Be(t, math.IsNaN(exact.Coverage), "coverage %v without truth, want NaN", exact.Coverage)
	})
	t.Run("floor of independent draws", func(t *testing.T) {
		var got Distance
		for seed := range uint64(20) {
			_, p := smoothField(30, 500, 100+seed)
			d := must.Get(Distances(g, nil, p))(t)[0]
			for i, f := range got.fields() {
				*f += *d.fields()[i] / 20
			}
		}
		// |median error| of 500 normal draws is √(π/2/500)·√(2/π) = 0.0447 on average; correlated cells leave about 150
		// independent values, so 3 standard errors are 3·0.034/√150.
		must.Absolute(t, "med", got.Med, 0.0447, 0.0085)
		must.Absolute(t, "CI", got.CI, 0.99, 0.02)
		must.Absolute(t, "W1", got.W1, 0.056, 0.008)
		must.Absolute(t, "sliced W1", got.SlicedW1, 0.056, 0.008)
		must.Absolute(t, "fs", got.FS, 1, 0.03) // 4·√(1/1000/20)
		must.Absolute(t, "rough", got.Rough, 1, 0.02)
	})
	t.Run("row", func(t *testing.T) {
		row := strings.Join(Distance{Med: 0.0444, CI: 1, Coverage: math.NaN()}.Row(), " ")
		must.Equal(t, row, "0.044 1.000 0.000 0.000 0.000 0.000 0.000 –", "row")
		s := (Distance{Med: 0.0444}).String()
		must.Be(t, strings.HasPrefix(s, "med 0.044  CI 0.000  W1"), "string %q", s)
	})
	t.Run("refuses", func(t *testing.T) {
		_, few := smoothField(7, 10, 1)
		flat := &expfam.Posterior{X: mat.NewDense(5, 30, nil)}
		for want, ref := range map[string]Reference{"of the reference's 7": few,
			"cell 0: the reference has sd 0": flat} {
			must.Refuse(Distances(ref, nil, p))(t, want)
			must.Refuse(Distances(ref, nil, nil))(t, "the posterior is nil")
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
	g, p := smoothField(30, 500, 1)
	_, ref := smoothField(30, 4000, 2)
	for name, ref := range map[string]Reference{"closed form": g, "4000 draws": ref} {
		b.Run(fmt.Sprintf("30 cells, 500 draws/%s", name), func(b *testing.B) {
			for b.Loop() {
				must.Get(Distances(ref, nil, p))(b)
			}
		})
	}
}
