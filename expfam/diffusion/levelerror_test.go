package diffusion_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Under a Gaussian prior with Normal data both estimates have closed forms. With K_σ = K σ²/(K + σ²) the covariance of
// x₀ | x_σ, the right shift of its mean is K_σ (K_σ + s²)⁻¹ (y − m), and that of independent cells has the diagonal of
// K_σ alone within the inverse. Draws of the exact posterior show the errors of the second within their standard
// errors, and none of the first.
func TestLevelErrors(t *testing.T) {
	const cells, noise = 12, 0.5
	field, e := gp.RBF{Cells: cells, Length: 0.3}, enginetest.Fast(t)
	obs, exact := normalData(t, field, noise, 3)
	post := must.Get(exact.Sample(2000, 1))(t)
	for _, c := range []struct {
		name     string
		guidance Guidance
		blind    bool
	}{{"correlated", nil, false}, {"independent", Quadrature{Independent: true}, true}} {
		levels := must.Get(LevelErrors(post, field, gaussian, obs, Sampler{Guidance: c.guidance, Engine: e,
			Method: ODE{N: 12}}))(t)
		must.Need(t, len(levels) >= 10, "%s: %d levels", c.name, len(levels))
		furthest := 0.0
		for k, l := range levels {
			must.Be(t, k == 0 || l.Sigma > levels[k-1].Sigma, "levels descend to %v", l.Sigma)
			shift, variance := levelError(field, obs, exact, l.Sigma, noise, c.blind)
			// The worst of 24 standard normal numbers; variances of 2000 draws are off by 3%.
			must.Be(t, math.Abs(l.Shift-shift) < 4*l.ShiftSE+0.06*math.Abs(shift) &&
				math.Abs(l.Variance-variance) < 4*l.VarianceSE+0.12*math.Abs(variance-1),
				"%s, sigma %.3g: shift %.4f ± %.4f, want %.4f; variance %.4f ± %.4f, want %.4f", c.name, l.Sigma,
				l.Shift, l.ShiftSE, shift, l.Variance, l.VarianceSE, variance)
			must.Be(t, c.blind || math.Abs(l.Cell-1) < 4*l.CellSE+1e-3, "sigma %.3g: cells %.4f ± %.4f", l.Sigma,
				l.Cell, l.CellSE)
			must.Be(t, c.blind || l.ShiftSE < 0.03 && l.VarianceSE < 0.05, "sigma %.3g: standard errors %.3f and %.3f",
				l.Sigma, l.ShiftSE, l.VarianceSE)
			furthest = max(furthest, math.Abs(l.Variance-1))
		}
		must.Be(t, c.blind == (furthest > 1), "%s: variances off by up to %.3f", c.name, furthest)
	}
	fixed := &expfam.Posterior{X: mat.DenseCopyOf(post.X)}
	for i := range 2000 {
		fixed.X.Set(i, 3, 0)
	}
	must.Refuse(LevelErrors(fixed, field, gaussian, obs, Sampler{Engine: e}))(t, "cell 3 is 0 in all draws")
	sumToZero := &expfam.Posterior{X: mat.DenseCopyOf(post.X)}
	for i := range 2000 {
		row := sumToZero.X.RawRowView(i)
		row[3] -= floats.Sum(row)
	}
	must.Refuse(LevelErrors(sumToZero, field, gaussian, obs, Sampler{Engine: e}))(t, "the mean over cells is")
	sumToZero.X.Set(3, 2, math.NaN())
	must.Refuse(LevelErrors(sumToZero, field, gaussian, obs, Sampler{Engine: e}))(t, "draw 3, cell 2 is NaN")
	must.Refuse(LevelErrors(post, nil, gaussian, obs, Sampler{Engine: e}))(t, "there is no prior")
	must.Refuse(LevelErrors(&expfam.Posterior{}, field, gaussian, obs, Sampler{}))(t, "no draws")
	must.Refuse(LevelErrors(post, gp.RBF{Cells: 3}, gaussian, obs, Sampler{}))(t, "12 cells under a prior of 3")
}

// levelError returns shift and variance of the closed form of an estimate D = A x_σ + B y along the mean over cells.
func levelError(field gp.RBF, obs expfam.Observations, exact *gp.Conditional, sigma, noise float64, blind bool) (
	shift, variance float64) {
	d := field.Dim()
	y, along := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	total, inner := mat.NewSymDense(d, nil), mat.NewDense(d, d, nil)
	total.CopySym(field.Cov())
	for j, o := range obs {
		y.SetVec(j, o.Stat/o.Size)
		along.SetVec(j, 1/float64(d))
		total.SetSym(j, j, total.At(j, j)+sigma*sigma)
	}
	var gain, a, b mat.Dense // m = gain x_σ
	var inverse mat.Dense
	_ = inverse.Inverse(total)
	gain.Mul(field.Cov(), &inverse)
	for i := range d {
		for j := range d {
			if k := sigma * sigma * gain.At(i, j); i == j {
				inner.Set(i, i, k+noise*noise)
			} else if !blind {
				inner.Set(i, j, k)
			}
		}
	}
	_ = inverse.Inverse(inner)
	b.Mul(&gain, &inverse)
	b.Scale(sigma*sigma, &b)
	a.Mul(&b, &gain)
	a.Sub(&gain, &a)
	var off, data, cov mat.VecDense
	off.MulVec(&a, mat.NewVecDense(d, exact.Mean))
	data.MulVec(&b, y)
	off.AddVec(&off, &data)
	off.SubVec(&off, mat.NewVecDense(d, exact.Mean))
	cov.MulVec(exact.Cov, along)
	own := mat.Dot(along, &cov)
	cov.AddScaledVec(&cov, sigma*sigma, along)
	data.MulVec(&a, &cov)
	return mat.Dot(along, &off) / math.Sqrt(own), mat.Dot(along, &data) / own
}
