package diffusion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/store"
)

const (
	// certificateRevision is part of the keys of what is measured of a prior for certificates.
	certificateRevision = 3
	// certifiedNoise is the noise level of a certificate in standard deviations of the prior. The higher it is, the
	// better a network knows the score, and the fewer modes of the prior stand above the noise; docs/certificate.md has
	// a table. Under a prior that is far from a Gaussian, x₀ | x_s is nearly Gaussian at lower levels only, so it has
	// certifiedLow.
	certifiedNoise, certifiedLow = 0.4, 0.1
	// leastGain is the smallest eigenvalue of dm/dx_s of a mode: below it the prior is narrower than the noise.
	leastGain = 0.2
)

// basis is what a certificate knows of a prior at its noise level, measured with draws of the prior.
type basis struct {
	Sigma float64
	Mean  []float64
	// Modes are the eigenvectors of dm/dx_s whose eigenvalue is at least leastGain, and Variance the variances of the
	// prior along them, from coarse to fine.
	Modes    [][]float64
	Variance []float64
	// Errors holds the measured error of the scores, one for each group of prior draws; see [traits.ScoreError]. Left
	// is copied to Scores.Left.
	Errors [priorGroups]struct{ Constant, Slope []float64 }
	Left   float64
}

// basis returns what is known of the prior. It is found at most once, and stored.
func (c *certifier) basis(ctx context.Context) (*basis, error) {
	if c.known != nil {
		return c.known, nil
	}
	key := func() (string, error) {
		key, err := c.key()
		return store.Key(certificateRevision, key), err
	}
	var err error
	c.known, err = stored(ctx, "certificate", c.sampler.Fresh || c.noise > 0, key,
		func() (*basis, error) { return c.find(ctx) })
	return c.known, err
}

// find finds the basis.
func (c *certifier) find(ctx context.Context) (*basis, error) {
	noise, left := c.noise, 0.0
	if noise == 0 {
		change, err := c.change(ctx)
		if err != nil {
			return nil, err
		}
		if noise = certifiedNoise; !(change <= nearGaussian) {
			noise, left = certifiedLow, 1
		}
	}
	x, err := c.priorDraws(ctx)
	if err != nil {
		return nil, err
	}
	_, d := x.Dims()
	b, scale := &basis{Mean: make([]float64, d), Left: left}, 0.0
	for j := range d {
		mean, variance := stat.MeanVariance(mat.Col(nil, j, x), nil)
		b.Mean[j] = mean
		scale += variance / float64(d)
	}
	b.Sigma = noise * math.Sqrt(scale)
	if r, ok := c.prior.(expfam.Ranged); ok {
		low, high := r.Range()
		b.Sigma = math.Max(low, math.Min(b.Sigma, high))
	}
	pairs, err := c.evaluate(ctx, x, nil, b.Sigma)
	if err != nil {
		return nil, err
	}
	if err := b.fill(x, pairs); err != nil {
		return nil, fmt.Errorf("certify: %v at noise level %.3g: %w", c.prior, b.Sigma, err)
	}
	return b, nil
}

// fill finds the modes and the errors with draws x of the prior.
func (b *basis) fill(x *mat.Dense, m *pairs) error {
	draws, d := x.Dims()
	var jacobian mat.Dense
	if err := jacobian.Solve(m.noise, m.difference); err != nil {
		return fmt.Errorf("the Jacobian of the mean: %w", err)
	}
	symmetric := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			symmetric.SetSym(i, j, (jacobian.At(i, j)+jacobian.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return errors.New("the Jacobian of the mean is not finite")
	}
	var u mat.Dense
	eigen.VectorsTo(&u)
	for k, gain := range eigen.Values(nil) {
		if gain >= leastGain {
			b.Modes = append(b.Modes, mat.Col(nil, k, &u))
		}
	}
	if len(b.Modes) == 0 {
		return errors.New("no mode stands above the noise")
	}
	slices.Reverse(b.Modes)
	z := b.along(x)
	for k := range b.Modes {
		b.Variance = append(b.Variance, stat.Variance(mat.Col(nil, k, z), nil))
	}
	z.Apply(func(_, k int, v float64) float64 { return v / math.Sqrt(b.Variance[k]) }, z)
	scores, err := b.scores(m)
	if err != nil {
		return err
	}
	modes, n := len(b.Modes), draws/priorGroups
	for g := range b.Errors {
		zg, sg := z.Slice(g*n, (g+1)*n, 0, modes), scores.Slice(g*n, (g+1)*n, 0, modes)
		mean := make([]float64, modes)
		for k := range mean {
			mean[k] = stat.Mean(mat.Col(nil, k, zg), nil)
		}
		var cov mat.SymDense
		stat.CovarianceMatrix(&cov, zg, nil)
		cov.ScaleSym(float64(n-1)/float64(n), &cov)
		// The score without its error c + Mᵀz has the mean 0 and Cov(z, s) = −I.
		slope, centred := new(mat.Dense), mat.DenseCopyOf(zg)
		centred.Apply(func(_, k int, v float64) float64 { return v - mean[k] }, centred)
		slope.Mul(centred.T(), sg)
		slope.Scale(1/float64(n), slope)
		for k := range modes {
			slope.Set(k, k, slope.At(k, k)+1)
		}
		if err := slope.Solve(&cov, slope); err != nil && math.IsNaN(mat.Sum(slope)) {
			return fmt.Errorf("the covariance of the prior's draws: %w", err)
		}
		constant := mat.NewVecDense(modes, nil)
		constant.MulVec(slope.T(), mat.NewVecDense(modes, mean))
		for k := range modes {
			b.Errors[g].Constant = append(b.Errors[g].Constant, stat.Mean(mat.Col(nil, k, sg), nil)-constant.AtVec(k))
		}
		b.Errors[g].Slope = slope.RawMatrix().Data
	}
	return nil
}

// along returns the coordinates of draws along the modes.
func (b *basis) along(x *mat.Dense) *mat.Dense {
	var z, mean mat.Dense
	u := b.columns(0)
	z.Mul(x, u)
	mean.Mul(mat.NewDense(1, len(b.Mean), b.Mean), u)
	z.Apply(func(_, k int, v float64) float64 { return v - mean.At(0, k) }, &z)
	return &z
}

// columns returns the modes, each times a power of its variance, (cells, modes).
func (b *basis) columns(power float64) *mat.Dense {
	out := mat.NewDense(len(b.Mean), len(b.Modes), nil)
	for k, mode := range b.Modes {
		factor := 1.0
		if power != 0 {
			factor = math.Pow(b.Variance[k], power)
		}
		for j, u := range mode {
			out.Set(j, k, u*factor)
		}
	}
	return out
}

// jacobian returns the transpose of UᵀJU at draws: the mean differs between e and −e by 2 s J e, by regression on e.
func (b *basis) jacobian(m *pairs) (*mat.Dense, error) {
	var difference, noise, out mat.Dense
	u := b.columns(0)
	difference.Mul(m.difference, u)
	noise.Mul(m.noise, u)
	if err := out.Solve(&noise, &difference); err != nil {
		return nil, fmt.Errorf("certify: the noise of %d draws does not determine the Jacobian in %d modes: %w",
			m.score.RawMatrix().Rows, len(b.Modes), err)
	}
	return &out, nil
}

// scores returns s_z = Λ^½ J⁻¹ Uᵀσ, in which E[z s_zᵀ] = −I, with the Jacobian at these draws.
func (b *basis) scores(m *pairs) (*mat.Dense, error) {
	jacobian, err := b.jacobian(m)
	if err != nil {
		return nil, err
	}
	var sigma, out mat.Dense
	sigma.Mul(m.score, b.columns(0))
	if err := out.Solve(jacobian.T(), sigma.T()); err != nil && math.IsNaN(mat.Sum(&out)) {
		return nil, fmt.Errorf("certify: the Jacobian of the prior's mean is singular: %w", err)
	}
	values := mat.DenseCopyOf(out.T())
	values.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(b.Variance[k]) }, values)
	return values, nil
}

// seen returns the basis up to the first mode in which the noise hides these draws, although it does not hide most
// draws of the prior: under a prior of smooth and rough curves a smooth one is nearly constant along fine modes.
func (b *basis) seen(m *pairs) (*basis, error) {
	jacobian, err := b.jacobian(m)
	if err != nil {
		return nil, err
	}
	all, n := len(b.Modes), 0
	for n < all && jacobian.At(n, n) >= leastGain/2 {
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("certify: noise of %.2g, at which the score of the prior is known, hides these draws "+
			"in all %d modes", b.Sigma, all)
	}
	out := &basis{Sigma: b.Sigma, Mean: b.Mean, Modes: b.Modes[:n], Variance: b.Variance[:n], Left: b.Left}
	for g, e := range b.Errors {
		out.Errors[g].Constant = e.Constant[:n]
		for k := range n {
			out.Errors[g].Slope = append(out.Errors[g].Slope, e.Slope[k*all:k*all+n]...)
		}
	}
	return out, nil
}
