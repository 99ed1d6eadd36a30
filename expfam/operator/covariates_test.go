package operator_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// An intercept that the prior hardly knows beside large counts: the mode of a datum lies many
// standard deviations of it away, and is found.
func TestWideIntercept(t *testing.T) {
	const cells, wide = 30, 6.
	z, x := mat.NewDense(cells, 1, nil), make([]float64, cells+1)
	cov := mat.NewSymDense(cells+1, nil)
	for j := range cells {
		z.Set(j, 0, 1)
		for i := range cells {
			cov.SetSym(i, j, gp.RBF{Cells: cells}.Cov().At(i, j))
		}
	}
	cov.SetSym(cells, cells, wide*wide)
	joint := expfam.Must(gp.New(nil, cov))
	gp.RBF{Cells: cells}.Draw(expfam.Stream(1, "wide intercept"), x[:cells])
	x[cells] = 5
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)"), Operator: operator.Design(z)}
	obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(expfam.Must(like.Theta(x)), nil, 1, 1))))
	prior := expfam.Product(gp.RBF{Cells: cells}, expfam.Must(gp.New(nil, mat.NewSymDense(1, []float64{wide * wide}))))
	post := expfam.Must(diffusion.Sample(prior, like, obs,
		diffusion.Sampler{Draws: 200, Seed: 2, Engine: enginetest.Fast(t), Fresh: true}))
	truth := expfam.Must(hmc.Sample(joint, like, obs, hmc.Options{Draws: 500, Seed: 1}))
	// 200 independent draws are 0.09 from the exact posterior; with the usual six Newton steps no draw is finite.
	d := expfam.Must(calibrate.Distances(truth.Latent(), x, post))[0]
	must.Be(t, d.W1 < 0.17 && math.Abs(d.CI-1) <= 0.15, "distance %v", d)
}

// Cells and coefficients of covariates together have the posterior in closed form that
// Gaussian prior and Normal data have.
func TestCovariates(t *testing.T) {
	const cells, noise = 30, 0.3
	field := gp.RBF{Cells: cells}
	beta := expfam.Must(gp.New([]float64{0.5, 0}, mat.NewSymDense(2, []float64{1, 0, 0, 0.25})))
	z, rng := mat.NewDense(cells, 2, nil), expfam.Stream(1, "covariates")
	for j := range cells {
		z.Set(j, 0, 1)
		z.Set(j, 1, math.Cos(40*float64(j))) // rougher than the field
	}
	design := operator.Design(z)
	x := make([]float64, cells+2)
	prior := expfam.Product(field, beta)
	prior.(expfam.Simulator).Draw(rng, x)
	obs := make(expfam.Observations, cells)
	y := mat.NewVecDense(cells, nil)
	for k := range obs {
		v := noise * rng.NormFloat64()
		design.Row(k, func(j int, w float64) { v += w * x[j] })
		y.SetVec(k, v)
		obs[k] = expfam.Must(expfam.Normal{}.Reduce(v, expfam.Given(noise)))
	}

	// N(μ, K) given y = H x + e: μ + K Hᵀ (H K Hᵀ + s²)⁻¹ (y − H μ).
	d := cells + 2
	k, h, mu := mat.NewDense(d, d, nil), mat.NewDense(cells, d, nil), mat.NewVecDense(d, nil)
	for i := range cells {
		for j := range cells {
			k.Set(i, j, field.Cov().At(i, j))
		}
		design.Row(i, func(j int, w float64) { h.Set(i, j, w) })
	}
	k.Set(cells, cells, 1)
	k.Set(cells+1, cells+1, 0.25)
	mu.SetVec(cells, 0.5)
	var kh, s, gain, mean mat.Dense
	kh.Mul(k, h.T())
	s.Mul(h, &kh)
	for i := range cells {
		s.Set(i, i, s.At(i, i)+noise*noise)
	}
	must.Do(t, gain.Solve(&s, kh.T()))
	residual := mat.NewVecDense(cells, nil)
	residual.MulVec(h, mu)
	residual.SubVec(y, residual)
	mean.Mul(gain.T(), residual)
	var cov mat.Dense
	cov.Mul(&kh, &gain)
	cov.Sub(k, &cov)

	const draws = 800
	post := must.Get(diffusion.Sample(prior, expfam.Likelihood{Family: expfam.Normal{}, Operator: design}, obs,
		diffusion.Sampler{Draws: draws, Seed: 2, Engine: enginetest.Fast(t), Fresh: true}))(t)
	for _, c := range []struct {
		name string
		at   int
	}{{"first cell", 0}, {"cell in the middle", 15}, {"intercept", cells}, {"slope", cells + 1}} {
		values := mat.Col(nil, c.at, post.X)
		var got, squares float64
		for _, v := range values {
			got += v / draws
		}
		for _, v := range values {
			squares += (v - got) * (v - got) / draws
		}
		want, sd := mu.AtVec(c.at)+mean.At(c.at, 0), math.Sqrt(cov.At(c.at, c.at))
		t.Logf("%s: %.4f ± %.4f, want %.4f ± %.4f", c.name, got, math.Sqrt(squares), want, sd)
		// Four standard errors of 800 draws, 0.14 and 0.1, and steps that are few.
		must.Be(t, math.Abs(got-want) <= 0.17*sd && math.Abs(math.Sqrt(squares)/sd-1) <= 0.13,
			"%s: %.4f ± %.4f, want %.4f ± %.4f", c.name, got, math.Sqrt(squares), want, sd)
	}
}
