package increments

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

func TestProblem(t *testing.T) {
	for _, name := range Names() {
		p := must.Get(New(Laplace{}, name))(t)
		// What increments add is what the operator sees of their running sums.
		u, s := make([]float64, Cells), make([]float64, Cells)
		rng, at := expfam.Stream(1, "test"), 0.0
		for j := range u {
			u[j] = rng.NormFloat64()
			at += u[j]
			s[j] = at
		}
		var want mat.VecDense
		want.MulVec(p.jumps, mat.NewVecDense(Cells, u))
		for k, v := range p.apply(s) {
			must.Be(t, math.Abs(v-want.AtVec(k)) <= 1e-12,
				"%s: datum %d is %g, and %g by increments", name, k, v, want.AtVec(k))
		}
		// The variance of signals behind the identity is 2 (j + 1), and about half of them are above the median.
		if ratio := p.power * p.power / (p.Noise * p.Noise); math.Abs(10*math.Log10(ratio)-25) > 1e-9 {
			t.Errorf("%s: the noise is %.3g dB below the signal", name, 10*math.Log10(ratio))
		}
		if a, b := p.Test(3), p.Test(3); !slices.Equal(a.Y, b.Y) || slices.Equal(a.S, p.Validation(3).S) {
			t.Errorf("%s: signals are not those of their number", name)
		}
	}
	all := Operators()
	taps, err := all[Blur].(*operator.Convolution).Kernel.Taps(true)
	must.Be(t, err == nil && len(taps[0]) == 13 && math.Abs(stat.Mean(taps[0], nil)-1.0/13) <= 1e-15,
		"the blur has the taps %v, %v", taps, err)
	lowest := fourier(Cells, []int{0, 1, 2, 3, 4})
	for k := range 9 { // two data for each, and one for 0
		var want, got [Cells]float64
		lowest.Row(k, func(j int, w float64) { want[j] = w })
		all[Frequencies].Row(k, func(j int, w float64) { got[j] = w })
		must.Be(t, got == want, "datum %d of the spectrum is not one of the lowest five frequencies", k)
	}
	_, err = New(Laplace{}, "none")
	must.Be(t, err != nil, "an operator that is not there was found")
}

// The sample moments of laws, and the densities that scores take, agree: E|u|^(1/2) is finite for all of them.
func TestLaws(t *testing.T) {
	for _, law := range Laws() {
		const n = 20000
		rng, roots, inside := expfam.Stream(2, law.String()), make([]float64, n), 0.0
		for i := range roots {
			u := law.Draw(rng)
			if roots[i] = math.Sqrt(math.Abs(u)); math.Abs(u) < 1 {
				inside += 1.0 / n
			}
		}
		const cells = 20000
		var mass float64
		for i := range cells { // the middles of cells of (−1, 1)
			mass += math.Exp(law.LogProb(2*(float64(i)+0.5)/cells-1)) * 2 / cells
		}
		if _, atom := law.(BernoulliLaplace); atom {
			mass += math.Exp(law.LogProb(0))
		}
		must.Be(t, math.Abs(mass-inside) <= 4*math.Sqrt(mass*(1-mass)/n),
			"%v: %.4f of draws are in (−1, 1), and %.4f by its density", law, inside, mass)
		mean := stat.Mean(roots, nil)
		must.Be(t, !math.IsNaN(mean) && law.Spread() > 0, "%v: mean root %g, spread %g", law, mean, law.Spread())
	}
}
