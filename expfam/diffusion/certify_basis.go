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
	// certificateRevision is part of the keys of what a certificate knows of a prior.
	certificateRevision = 1
	// basisDraws is the number of draws of the prior that measure its modes and the error of its scores.
	basisDraws = 2000
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
	// Errors are those of the scores of either half of the draws; see [expfam.ScoreError].
	Errors [2]struct{ Constant, Slope []float64 }
}

// measured returns what is known of the prior. It is measured at most once, and stored.
func (c *certifier) measured(ctx context.Context) (*basis, error) {
	if c.known != nil {
		return c.known, nil
	}
	m := &measurement{model: c.model, sampler: c.sampler, block: c.block}
	compute := func() (*basis, error) { return c.measure(ctx, m) }
	var err error
	if c.sampler.Fresh || c.noise > 0 {
		c.known, err = compute()
		return c.known, err
	}
	key, err := m.key()
	if err != nil {
		return nil, err
	}
	c.known, err = store.OnceContext(ctx, "certificate", store.Key(certificateRevision, key), store.JSON[*basis](),
		compute)
	return c.known, err
}

// priorDraws returns draws of the prior by its default method.
func (c *certifier) priorDraws(ctx context.Context) (*mat.Dense, error) {
	s, err := Sampler{Draws: basisDraws, Guidance: Unguided{}, Engine: c.sampler.Engine, DType: c.sampler.DType,
		Fresh: c.sampler.Fresh, Plan: func(Plan) {}}.orDefault(c.prior)
	if err != nil {
		return nil, err
	}
	terms, err := expfam.Likelihood{Family: expfam.Normal{}}.Terms()
	if err != nil {
		return nil, err
	}
	compiled, err := prepare(ctx, c.prior, terms, s)
	if err != nil {
		return nil, err
	}
	if err := compiled.compile(ctx); err != nil {
		return nil, err
	}
	defer compiled.Close()
	post, err := compiled.sample(ctx, make(expfam.Observations, c.prior.Dim()), 0, nil)
	if err != nil {
		return nil, err
	}
	return post.X, nil
}

// measure finds the basis.
func (c *certifier) measure(ctx context.Context, m *measurement) (*basis, error) {
	x, err := c.priorDraws(ctx)
	if err != nil {
		return nil, err
	}
	_, d := x.Dims()
	b, scale := &basis{Mean: make([]float64, d)}, 0.0
	for j := range d {
		mean, variance := stat.MeanVariance(mat.Col(nil, j, x), nil)
		b.Mean[j] = mean
		scale += variance / float64(d)
	}
	noise := c.noise
	if noise == 0 {
		change, err := m.change(ctx)
		if err != nil {
			return nil, err
		}
		if noise = certifiedNoise; !(change <= nearGaussian) {
			noise = certifiedLow
		}
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
	modes := len(b.Modes)
	for h := range b.Errors {
		n := draws / 2
		zh, sh := z.Slice(h*n, (h+1)*n, 0, modes), scores.Slice(h*n, (h+1)*n, 0, modes)
		var slope mat.Dense
		slope.Mul(zh.T(), sh)
		slope.Scale(1/float64(n), &slope)
		for k := range modes {
			slope.Set(k, k, slope.At(k, k)+1)
			b.Errors[h].Constant = append(b.Errors[h].Constant, stat.Mean(mat.Col(nil, k, sh), nil))
		}
		b.Errors[h].Slope = slope.RawMatrix().Data
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
