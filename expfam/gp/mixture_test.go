package gp

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// onHost returns the moments of a mixture at x_t = √α r by Cholesky factors of the components, in float64.
func onHost(m *Mixture, r []float64, sigma float64) (mean, variance []float64) {
	d := len(r)
	n := len(m.Parts)
	logs, means, variances := make([]float64, n), make([][]float64, n), make([][]float64, n)
	for k, p := range m.Parts {
		total := mat.NewSymDense(d, nil)
		total.CopySym(p.Cov())
		for j := range d {
			total.SetSym(j, j, total.At(j, j)+sigma*sigma)
		}
		var chol mat.Cholesky
		chol.Factorize(total)
		off := mat.NewVecDense(d, nil)
		off.SubVec(mat.NewVecDense(d, r), mat.NewVecDense(d, p.Mean()))
		var u, shift mat.VecDense
		_ = chol.SolveVecTo(&u, off)
		logs[k] = math.Log(m.Weights[k]) - (mat.Dot(off, &u)+chol.LogDet())/2
		shift.MulVec(p.Cov(), &u)
		var gain, left mat.Dense
		_ = chol.SolveTo(&gain, p.Cov())
		left.Mul(p.Cov(), &gain)
		means[k], variances[k] = make([]float64, d), make([]float64, d)
		for j := range d {
			means[k][j] = p.Mean()[j] + shift.AtVec(j)
			variances[k][j] = p.Cov().At(j, j) - left.At(j, j)
		}
	}
	total := floats.LogSumExp(logs)
	mean, variance = make([]float64, d), make([]float64, d)
	for k := range logs {
		w := math.Exp(logs[k] - total)
		for j := range d {
			mean[j] += w * means[k][j]
			variance[j] += w * (variances[k][j] + means[k][j]*means[k][j])
		}
	}
	for j := range d {
		variance[j] -= mean[j] * mean[j]
	}
	return mean, variance
}

// TestMixture: the moments on the graph are those of the components by another route, and the mean is the score by
// Tweedie's formula.
func TestMixture(t *testing.T) {
	m, err := Unknown{Of: RBF{Cells: 6}, Laws: law.Laws{"length scale": law.LogNormal{Median: 0.3, SD: 1},
		"sd": law.LogNormal{Median: 1, SD: 0.6}}}.Mixture(3)
	must.Need(t, err == nil && len(m.Parts) == 9, "%v %v", len(m.Parts), err)
	r := []float64{0.4, 1, 1.3, 0.8, -0.2, 0.1}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, sigma := range []float64{0.1, 0.7, 5} {
			at, x := level.At(sigma), make([]float32, len(r))
			for j, v := range r {
				x[j] = float32(v * at.SqrtAlpha)
			}
			out := enginetest.Call(t, e, func(x *g.Node) []*g.Node {
				one := func(v float64) *g.Node { return g.Reshape(g.Scalar(x.Graph(), x.DType(), v), 1, 1) }
				mean, variance := m.Moments(x, level.Nodes{SqrtAlpha: one(at.SqrtAlpha), V: one(at.V)})
				return []*g.Node{mean, variance}
			}, [][]float32{x})
			mean, variance := onHost(m, r, sigma)
			for j := range r {
				// float32, and exponents of a few tens
				must.Be(t, math.Abs(out[0][j]-mean[j]) <= 2e-4 && math.Abs(out[1][j]-variance[j]) <= 2e-4,
					"sigma %g, cell %d: %g and %g, want %g and %g", sigma, j, out[0][j], out[1][j], mean[j],
					variance[j])
			}
		}
	})
}

// TestUnknownRefused: impossible processes and laws are refused in one sentence.
func TestUnknownRefused(t *testing.T) {
	for _, c := range []struct {
		prior Unknown
		want  string
	}{
		{Unknown{}, "no process"},
		{Unknown{Of: RBF{Length: 0.1, Variance: 1}}, "none is unknown"},
		{Unknown{Of: RBF{}, Laws: law.Laws{"range": law.HalfNormal{SD: 1}}}, `unknown parameters are: "length scale", "sd"`},
		{Unknown{Of: RBF{Length: 0.1}, Laws: law.Laws{"length scale": law.HalfNormal{SD: 1}}}, "not unknown here"},
		{Unknown{Of: RBF{}, Laws: law.Laws{"sd": law.LogNormal{Median: -1, SD: 1}}}, "positive"},
		{Unknown{Of: RBF{}, Laws: law.Laws{"length scale": law.Normal{Mean: 1, SD: 1}}}, "a law of positive numbers"},
		{Unknown{Of: Process{Kernel: Matern{Smoothness: -1}}}, "Smoothness of -1"},
		{Unknown{Of: Process{Kernel: Matern{Smoothness: 20}}}, "or take SquaredExponential"},
		{Unknown{Of: Process{Kernel: AnyMatern{}}, Laws: law.Laws{"smoothness": law.Normal{SD: 1}}},
			"the smoothness is -"},
		{Unknown{Of: Process{Kernel: Periodic{}}}, "Period of 0"},
		{Unknown{Of: Process{Cells: 3, Rows: 2, Cols: 2}}, "one of the three"},
		{Unknown{Of: Process{Places: [][]float64{{1, 2}, {3}}}}, "coordinates"},
		{Unknown{Of: Process{Places: [][]float64{}}}, "0 Places; give one of the three"},
		{Unknown{Of: Process{Cells: 3, SD: math.Inf(1)}}, "SD of +Inf"},
	} {
		must.Err(t, c.prior.Check(), c.want)
	}
}

// TestKernels: the kernels are 1 at the distance 0, and have the values of their formulas.
func TestKernels(t *testing.T) {
	for _, c := range []struct {
		kernel Kernel
		want   float64 // at the distance 2 and the length 4
	}{
		{SquaredExponential{}, math.Exp(-0.125)},
		{Matern{Smoothness: 0.5}, math.Exp(-0.5)},
		{Matern{}, (1 + math.Sqrt(3)/2) * math.Exp(-math.Sqrt(3)/2)},
		{Matern{Smoothness: 2.5}, (1 + math.Sqrt(5)/2 + 5./12) * math.Exp(-math.Sqrt(5)/2)},
		{Periodic{Period: 8}, math.Exp(-2 * 0.5 / 16)},
	} {
		if got := c.kernel.At(2, 4); math.Abs(got-c.want) > 1e-15 || c.kernel.At(0, 4) != 1 {
			t.Errorf("%v: %g at the distance 2, want %g, and %g at 0", c.kernel, got, c.want, c.kernel.At(0, 4))
		}
	}
	// 2^(1−ν)/Γ(ν) s^ν K_ν(s) by scipy.special.kv of SciPy 1.17.1, at the distance r = distance/length
	for _, c := range []struct{ nu, r, want float64 }{{1, 0.5, 0.7319144764614627}, {2, 0.5, 0.8124194493175887},
		{0.3, 0.5, 0.49834732636424806}, {4.2, 0.5, 0.8532286473833821}, {1, 30 / math.Sqrt2, 6.503196005674648e-13},
		{0.3, 1e-9 / math.Sqrt(0.6), 0.9999962011256344}, {1, 1e300, 0}, {1, math.Inf(1), 0}} {
		got := Matern{c.nu}.At(c.r, 1)
		must.Be(t, math.Abs(got-c.want) <= 1e-12, "Matérn of smoothness %g at %g: %.16g, want %.16g", c.nu, c.r, got,
			c.want)
	}
	for _, nu := range []float64{0.5, 1.5, 2.5} { // the integral is continuous in ν, where there are closed forms
		got, want := Matern{nu + 1e-9}.At(0.7, 1), Matern{nu}.At(0.7, 1)
		must.Be(t, math.Abs(got-want) <= 1e-8, "near the smoothness %g: %g, want %g", nu, got, want)
	}
	k := Periodic{Period: 3}
	got, want := k.At(1+3, 2), k.At(1, 2)
	must.Be(t, math.Abs(got-want) <= 1e-12, "a periodic kernel is %g one period on, and %g", got, want)
}

// TestProcessIsTheRBF: a process with the squared exponential kernel on a line is the RBF.
func TestProcessIsTheRBF(t *testing.T) {
	p := Process{Cells: 12, Length: 0.2, SD: 1.5}
	got, want := expfam.Must(p.Gaussian()), RBF{Cells: 12, Length: 0.2, Variance: 2.25}.Gaussian()
	must.Be(t, mat.EqualApprox(got.Cov(), want.Cov(), 1e-14), "the covariances differ")
	mean, cov, err := Unknown{Of: RBF{Cells: 12}}.Normal([]float64{0.2, 1.5})
	must.Be(t, err == nil && mat.EqualApprox(cov, want.Cov(), 1e-14) && floats.Norm(mean, 1) == 0,
		"the family of the RBF differs (%v)", err)
}
