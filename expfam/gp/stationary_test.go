package gp

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// matern is a Matérn-3/2 covariance of unit variance and length 1.5 by 1.
func matern(r, c int) float64 {
	h := math.Sqrt(3) * math.Hypot(float64(r)/1.5, float64(c))
	return (1 + h) * math.Exp(-h)
}

// lattice is a stationary field with its mean and dense covariance.
func lattice(t *testing.T, rows, cols int) (*Stationary, field) {
	t.Helper()
	s, clipped := must.Get2(NewStationary(rows, cols, 0.3, matern))(t)
	must.Need(t, clipped <= 1e-9, "%g of the spectrum was clipped; the torus holds this covariance", clipped)
	d := rows * cols
	f := field{mean: make([]float64, d), cov: mat.NewSymDense(d, nil)}
	for i := range d {
		f.mean[i] = 0.3
		for j := range i + 1 {
			f.cov.SetSym(i, j, matern(i/cols-j/cols, i%cols-j%cols))
		}
	}
	return s, f
}

func TestStationaryIsTheDenseField(t *testing.T) {
	s, dense := lattice(t, 8, 11)
	d := s.Dim()
	v, got, want := make([]float64, d), make([]float64, d), mat.NewVecDense(d, nil)
	for j := range v {
		v[j] = math.Sin(float64(j * j))
	}
	s.multiply(newHartley(s.Rows, s.Cols), v, got)
	want.MulVec(dense.cov, mat.NewVecDense(d, v))
	// The spectrum that was clipped, and rounding.
	gap := floats.Distance(got, want.RawVector().Data, math.Inf(1))
	must.Be(t, gap <= 1e-8, "a product with K is off by %g", gap)

	const sigma = 0.7
	smooth := must.Get(s.Denoise(v, sigma))(t)
	noisy := mat.NewSymDense(d, nil)
	noisy.CopySym(dense.cov)
	for j := range d {
		noisy.SetSym(j, j, noisy.At(j, j)+sigma*sigma)
	}
	var chol mat.Cholesky
	chol.Factorize(noisy)
	b := mat.NewVecDense(d, nil)
	for j := range v {
		b.SetVec(j, v[j]-0.3)
	}
	chol.SolveVecTo(b, b)
	want.MulVec(dense.cov, b)
	for j := range d {
		within(t, "denoised", smooth[j], 0.3+want.AtVec(j), 1e-4) // ten times the solver's tolerance
	}
}

// nearDraws compares the moments of draws with the posterior in closed form, to five standard
// errors of a mean and of a standard deviation.
func nearDraws(t *testing.T, post *expfam.Posterior, exact *Conditional) {
	t.Helper()
	n, _ := post.Dims()
	draws := float64(n)
	for j, mean := range exact.Mean {
		sd := math.Sqrt(exact.Cov.At(j, j))
		x := mat.Col(nil, j, post.X)
		within(t, "mean of the draws", stat.Mean(x, nil), mean, 5*sd/math.Sqrt(draws))
		within(t, "sd of the draws", stat.StdDev(x, nil)/sd, 1, 5/math.Sqrt(2*draws))
	}
	total := stat.StdDev(post.Latent().Functional(func(x []float64) float64 { return floats.Sum(x) }), nil)
	within(t, "sd of the sum", total/math.Sqrt(mat.Sum(exact.Cov)), 1, 5/math.Sqrt(2*draws))
}

// Draws of counts, of cells and of sums, are those of long chains under the dense covariance.
func TestStationaryAgainstHMC(t *testing.T) {
	s, dense := lattice(t, 5, 5)
	prior := must.Get(New(dense.mean, dense.cov))(t)
	areas := &operator.Areas{Labels: make([]int, 25)}
	for j := range areas.Labels {
		areas.Labels[j] = j / 9
	}
	cells := make(expfam.Observations, 25)
	for j := range cells {
		cells[j] = expfam.Term{Stat: float64(j % 4), Size: 2}
	}
	cells[7] = expfam.Term{}
	for name, c := range map[string]struct {
		of  expfam.Operator
		obs expfam.Observations
	}{
		"cells": {nil, cells},
		"sums": {expfam.SumOf{Operator: operator.Offset{Of: areas, By: 0.5}},
			expfam.Observations{{Stat: 60, Size: 2}, {Stat: 14, Size: 1}, {Stat: 9, Size: 1}}},
	} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: c.of}
		got := must.Get(s.Sample(like, c.obs, Options{Draws: 1000, Seed: 1, Fresh: true}))(t)
		want := must.Get(hmc.Sample(prior, like, c.obs, hmc.Options{Draws: 500, Seed: 1, Fresh: true}))(t)
		mean, sd := want.Latent().Mean(), want.Latent().SD()
		own, spread := got.Latent().Mean(), got.Latent().SD()
		for j := range mean {
			// 1000 draws are off by 0.032 sd, chains of 2000 by as much; 25 cells make four of them.
			within(t, name+": mean", (own[j]-mean[j])/sd[j], 0, 0.18)
			within(t, name+": ratio of sd", spread[j]/sd[j], 1, 0.13)
		}
	}
}

// The posterior has the grid of the field, whether it is stored or not.
func TestStationaryPosteriorHasItsGrid(t *testing.T) {
	s, _ := lattice(t, 8, 11)
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := make(expfam.Observations, s.Dim())
	obs[7] = expfam.Term{Stat: 4, Size: 2}
	for _, fresh := range []bool{false, true} {
		post := expfam.Must(s.Sample(like, obs, Options{Draws: 2, Fresh: fresh}))
		rows, cols := post.Shape()
		must.Be(t, rows == 8 && cols == 11, "fresh %v: a grid of %d×%d, want 8×11", fresh, rows, cols)
		must.Be(t, post.Info.Uncertified != "", "nothing says why two draws have no certificate")
	}
}

func TestStationaryRefuses(t *testing.T) {
	s, _ := lattice(t, 8, 8)
	for name, f := range map[string]func() error{
		"no cells": func() error { _, _, err := NewStationary(0, 3, 0, matern); return err },
		"infinite": func() error {
			_, _, err := NewStationary(2, 2, 0, func(r, c int) float64 { return math.Inf(1) })
			return err
		},
		"nothing": func() error {
			_, _, err := NewStationary(2, 2, 0, func(r, c int) float64 { return 0 })
			return err
		},
		"other grid": func() error { _, err := Empirical(s, 2, 3, 10, 1); return err },
		"cells": func() error {
			_, err := s.Sample(expfam.Likelihood{Family: expfam.Poisson{}}, nil, Options{})
			return err
		},
		"sigma": func() error { _, err := s.Denoise(make([]float64, 64), 0); return err },
	} {
		must.Be(t, f() != nil, "%s: no error", name)
	}
}

// What is finished when the context ends are the first draws of the whole run.
func TestInterrupt(t *testing.T) {
	s, _ := must.Get2(NewStationary(3, 4, 0.2, func(r, c int) float64 {
		return math.Exp(-math.Hypot(float64(r), float64(c)))
	}))(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := make(expfam.Observations, 12)
	for j := range obs {
		obs[j] = expfam.Term{Stat: float64(j % 3), Size: 1}
	}
	const plenty = 1 << 30
	o := Options{Draws: 20, Seed: 1, Fresh: true}   // in blocks of eight
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a limited context is for one goroutine
	ctx := &storetest.Limited{Context: t.Context(), N: plenty}
	whole := must.Get(s.SampleContext(ctx, like, obs, o))(t)
	n := plenty - ctx.N
	for rows, n := range map[int]int{0: 1, 8: n - 2, 16: n - 1} {
		post, err := s.SampleContext(&storetest.Limited{Context: t.Context(), N: n}, like, obs, o)
		if !errors.Is(err, expfam.ErrInterrupted) || (post == nil) != (rows == 0) {
			t.Errorf("%d draws: posterior %v, error %v", rows, post, err)
		} else if rows > 0 && !mat.Equal(post.X, whole.X.Slice(0, rows, 0, 12)) {
			t.Errorf("%d draws: others than those of the whole run", rows)
		}
	}
	t.Setenv("EXPFAM_STORE", t.TempDir())
	ctx = &storetest.Limited{Context: t.Context(), N: 3}
	if f, err := EmpiricalContext(ctx, RBF{Cells: 12}, 3, 4, 5, 1); f != nil ||
		!errors.Is(err, expfam.ErrInterrupted) || !strings.Contains(err.Error(), "after 3 of 5 draws") {
		t.Errorf("a field of %v, error %v", f, err)
	}
}

// The certificate of draws for Normal data, along cosines, agrees. Draws
// that are too narrow, too wide or shifted are called wrong.
func TestStationaryCertificate(t *testing.T) {
	s, _ := must.Get2(NewStationary(9, 12, 0.5, func(r, c int) float64 {
		return 0.7 * math.Exp(-math.Hypot(float64(r), float64(c))/4)
	}))(t)
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}, Link: expfam.IdentityLink}
	obs, x, rng := make(expfam.Observations, s.Dim()), make([]float64, s.Dim()), expfam.Stream(1, "certificate")
	s.Draw(rng, x)
	for j := range x {
		if j%3 > 0 {
			obs[j] = expfam.Term{Stat: x[j] + 0.5*rng.NormFloat64(), Size: 1}
		}
	}
	wrong := 0
	for seed := range uint64(12) {
		post := expfam.Must(s.Sample(like, obs, Options{Draws: 200, Seed: seed, Fresh: true}))
		c := post.Info.Certificate
		if c.Verdict() == "wrong" {
			wrong++
		}
		must.Need(t, len(c.Shift) == 36 && c.Directions == "36 coarsest cosines",
			"%d modes, %s", len(c.Shift), c.Directions)
		if seed > 0 {
			continue
		}
		mean := post.Latent().Mean()
		for _, change := range []func(x, mean float64) float64{
			func(x, m float64) float64 { return m + 0.85*(x-m) },
			func(x, m float64) float64 { return m + 1.15*(x-m) },
			func(x, m float64) float64 { return x + 0.2 },
		} {
			spoiled := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: post.Likelihood}
			spoiled.X.Apply(func(_, j int, x float64) float64 { return change(x, mean[j]) }, spoiled.X)
			c := expfam.Must(spoiled.Certify(s, obs))
			must.Be(t, c.Verdict() == "wrong", "spoiled draws: %v", c)
		}
	}
	// .1 are expected, and 3 or more come with a probability below .001.
	must.Be(t, wrong <= 2, "%d of 12 exact posteriors are called wrong", wrong)
}

// TestStationaryWithDataEverywhere: counts in every cell tell of more than 512 modes. Chains forget their starts all
// the same, because those modes are whitened together. Where most counts are 0, the mean is more than 1 sd from the
// mode, and draws that start about the mode are .03 sd off after three transitions of which one in ten is rejected. Of
// 1000 that deviate so much p is below .05.
func TestStationaryWithDataEverywhere(t *testing.T) {
	const side = 24
	rbf := func(r, c int) float64 { return math.Exp(-float64(r*r+c*c) / 6) }
	s, _ := must.Get2(NewStationary(side, side, 0, rbf))(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	for draws, exposure := range map[int][2]float64{200: {5, 15}, 1000: {0.05, 0.05}} {
		rng := expfam.Stream(3, "everywhere")
		x, y, e := make([]float64, side*side), make([]float64, side*side), make([]float64, side*side)
		s.Draw(rng, x)
		for i := range y {
			e[i] = exposure[0] + (exposure[1]-exposure[0])*rng.Float64()
			y[i] = expfam.Poisson{}.Rand(math.Exp(x[i]), expfam.Given(e[i]), rng)
		}
		obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{e}}))(t)
		post := must.Get(s.Sample(like, obs, Options{Draws: draws, Seed: 1, Fresh: true}))(t)
		d, c := post.Info.Diagnostics, post.Info.Certificate
		must.Be(t, d["mixed"] == 1 && d["moves"] <= 4, "exposure %v: chains with memory: %v", exposure, d)
		must.Be(t, c.P > 0.05, "exposure %v: %v", exposure, c)
	}
}
