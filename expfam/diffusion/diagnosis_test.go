package diffusion

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// kernel is a [expfam.Linear] prior as far as a misfit asks.
type kernel struct{ *mat.SymDense }

func (c kernel) multiply(v []float64) []float64 {
	out := mat.NewVecDense(len(v), nil)
	out.MulVec(c.SymDense, mat.NewVecDense(len(v), v))
	return out.RawVector().Data
}

func TestMisfitIsTheQuadraticForm(t *testing.T) {
	const d = 12
	rng := rand.New(rand.NewPCG(1, 2))
	k := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			r := float64(i-j) / 4
			k.SetSym(i, j, 1.5*math.Exp(-r*r/2))
		}
	}
	f := diagnosis{sites: make([]site, d)}
	total, y, seen := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil), 0
	total.CopySym(k)
	for j := range f.sites {
		// Without data a cell adds nothing: its variance is as good as infinite.
		variance := 1e30
		if j%3 != 1 {
			f.sites[j] = site{value: rng.NormFloat64(), precision: math.Exp(3 * rng.NormFloat64())}
			variance = 1 / f.sites[j].precision
			seen++
		}
		total.SetSym(j, j, k.At(j, j)+variance)
		y.SetVec(j, f.sites[j].value)
	}
	var chol mat.Cholesky
	must.Need(t, chol.Factorize(total), "the total covariance has no Cholesky factor")
	var solved mat.VecDense
	err := chol.SolveVecTo(&solved, y)
	must.Need(t, err == nil || solved.Len() != 0, "%v", err)
	want := mat.Dot(&solved, y) / float64(seen)
	got := f.misfit(kernel{k}.multiply)
	must.Be(t, math.Abs(got/want-1) < 1e-6, "misfit %g, want %g", got, want)
	must.Equal(t, (diagnosis{sites: make([]site, d)}).misfit(kernel{k}.multiply), 0, "misfit without data")
}

// Modes are where the derivative of the log-posterior of a cell is 0, and the
// extremes are those of the cells with data.
func TestInformation(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(2*x)")}
	terms := must.Get(like.Terms())(t)
	obs := expfam.Observations{{Stat: 4, Size: 1}, {}, {Stat: 0, Size: 3}, {Stat: 2e6, Size: 1e3},
		{Stat: 1, Size: 1e-5}}
	mean, sd := []float64{0, 1, -0.5, 0.2, 3}, []float64{1, 2, 0.3, 1, 0.7}
	info, found, err := diagnose(terms, obs, mean, sd)
	must.Need(t, err == nil && found, "%v %v", found, err)
	modes := must.Get(modesOf(terms, obs, []int{0, 2, 3, 4}, mean, sd))(t)
	var sds, far []float64
	for i, j := range []int{0, 2, 3, 4} {
		variance := sd[j] * sd[j]
		slope := terms.Slope(modes[i], obs[j]) - (modes[i]-mean[j])/variance
		h := terms.Information(modes[i], obs[j])
		// The slope is a difference of terms of the size of Stat.
		if !(math.Abs(slope) < 1e-9*(h+1/variance)) {
			t.Errorf("cell %d: slope %g at the mode %g", j, slope, modes[i])
		}
		sds, far = append(sds, 1/math.Sqrt(h+1/variance)), append(far, math.Abs(modes[i]-mean[j])/sd[j])
	}
	if got, want := info.sharpest.value, floats.Min(sds); !(math.Abs(got/want-1) < 1e-12) || info.sharpest.cell != 3 {
		t.Errorf("sharpest %+v, want %g in cell 3", info.sharpest, want)
	}
	got, want := info.farthest.value, floats.Max(far)
	must.Be(t, got == want, "farthest %+v, want %g", info.farthest, want)
	// A cell that has no variance, or that data hardly tell anything, asks for nothing.
	quiet, found, err := diagnose(terms, expfam.Observations{{Stat: 4, Size: 1}, {Stat: 1, Size: 1e-5}},
		make([]float64, 2), []float64{0, 1e-9})
	must.Be(t, err == nil && found && math.IsInf(quiet.sharpest.value, 1) && quiet.sites[0] == (site{}) &&
		quiet.sites[1] == (site{}),
		"%+v, %v, %v", quiet, found, err)
	_, found, err = diagnose(terms, make(expfam.Observations, 5), mean, sd)
	must.Be(t, !found && err == nil, "information in missing cells: %v, %v", found, err)
}

func TestNoModeIsAnError(t *testing.T) {
	terms := must.Get(expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}.Terms())(t)
	_, _, err := diagnose(terms, expfam.Observations{{}, {Stat: 1e12, Size: 1}}, make([]float64, 2), []float64{1, 1})
	must.Be(t, err != nil && strings.Contains(err.Error(), "cell 1: the posterior of statistic 1e+12"), "error %v", err)
}
