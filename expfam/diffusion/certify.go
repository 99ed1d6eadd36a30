package diffusion

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/certify"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/speak"
)

// Certify returns the certificate of draws under a prior that is known by its moments, such as a learned one: how far
// they are from the posterior, in location and width. The draws may come from elsewhere. [Sample] fills in
// Info.Certificate by itself. s.Engine evaluates the prior; the other fields of s are not used. Under a Gaussian prior
// it is [expfam.Posterior.Certify]. See docs/certificate.md.
//
// Let x_s = x₀ + s e with e ~ N(0, I) at a noise level s, and m and C the mean and the covariance of x₀ | x_s. Let S be
// the score of the posterior's own law of x_s. Tweedie's formula for x_s with and without data gives
//
//	S = (m − x_s)/s² + (E[x₀ | x_s, y] − m)/s².
//
// If x₀ | x_s is Gaussian, the last difference is C E[∇ log p(y | x₀) | x_s, y] by Stein's identity. Given x_s and y,
// the x₀ from which x_s was made is a draw of x₀ | x_s, y. So on average over pairs (x₀, x_s),
//
//	σ = (m(x_s) − x_s)/s² + Jᵀ ∇ log p(y | x₀),  J = dm/dx_s = C/s²,
//
// has the mean 0, and E[(x₀ − E x₀) σᵀ] = −J. Nothing is approximated under a Gaussian prior, at any s and for data of
// any precision. Under other priors s is small enough for x₀ | x_s to be nearly Gaussian, and large enough for the
// network to know its mean. Every draw is taken with e and with −e, so that the noise cancels to first order. What
// draws of the prior without data say of the error of σ is subtracted. Draws of images are compared along coarse
// cosines and by their texture, at two noise levels, whose difference measures the network's own error.
func Certify(post *expfam.Posterior, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, s Sampler) (
	*expfam.Certificate, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return CertifyContext(ctx, post, prior, like, obs, s)
}

// CertifyContext is [Certify] with a context: it ends when ctx ends.
func CertifyContext(ctx context.Context, post *expfam.Posterior, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations, s Sampler) (*expfam.Certificate, error) {
	if post == nil || post.X == nil {
		return nil, errors.New("certify: there are no draws; give a posterior")
	}
	prior, err := onGrid(ctx, prior, like, obs)
	if err != nil {
		return nil, err
	}
	s, err = Sampler{Engine: s.Engine, DType: s.DType, Fresh: s.Fresh}.orDefault(prior)
	if err != nil {
		return nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	m, err := newModel(prior, terms)
	if err != nil {
		return nil, err
	}
	if _, cells := post.Dims(); cells != prior.Dim() {
		return nil, fmt.Errorf("certify: a prior of %d cells for draws of %d; give the prior of the posterior",
			prior.Dim(), cells)
	}
	if err := m.check(obs); err != nil {
		return nil, err
	}
	draws := &expfam.Posterior{X: post.X, Likelihood: like, Info: expfam.Info{Chains: post.Info.Chains}}
	c := &certifier{measurement: &measurement{model: m, sampler: s, block: s.block(prior)}}
	defer c.close()
	return c.certify(ctx, draws, obs)
}

// certifier certifies draws under one prior. Its graph is compiled once.
type certifier struct {
	*measurement
	noise   float64 // the noise level in standard deviations of the prior, 0 for the default
	known   *basis
	moments *moments // of the prior's cells, if the sampler has found them
}

// certify returns the certificate of draws.
func (c *certifier) certify(ctx context.Context, post *expfam.Posterior, obs expfam.Observations) (
	*expfam.Certificate, error) {
	if c.linear() {
		return post.Certify(c.prior, obs)
	}
	data := c.forward.LogLikelihood(obs)
	return c.certifyEach(ctx, post, obs, func(int) (latent.Data, error) { return data, nil })
}

// certifyEach returns the certificate of draws, each with a log-likelihood of its own. The likelihood of the posterior
// and the observations are typical of them.
func (c *certifier) certifyEach(ctx context.Context, post *expfam.Posterior, obs expfam.Observations,
	data func(i int) (latent.Data, error)) (*expfam.Certificate, error) {
	draws, cells := post.Dims()
	images := !isSmall(cells) && isImage(c.prior)
	if images && draws < leastOfImages || !images && (!isSmall(cells) || draws < certify.LeastDraws) {
		return nil, fmt.Errorf("certify: %d draws of %d cells; under a learned prior a certificate needs at least %d "+
			"draws of at most 128 cells, or %d draws of images without parameters", draws, cells, certify.LeastDraws,
			leastOfImages)
	}
	if err := post.Latent().Check(); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	slope := mat.NewDense(draws, cells, nil)
	for i := range draws {
		own, err := data(i)
		if err != nil {
			return nil, err
		}
		own.LogLikSlope(post.X.RawRowView(i), slope.RawRowView(i))
	}
	if images {
		return c.certifyImages(ctx, post, obs, slope)
	}
	if p, ok := c.prior.(expfam.Ranged); ok {
		low, _ := p.Range()
		for j, sd := range post.Latent().SD() {
			if sd < low {
				return nil, fmt.Errorf("certify: the draws of cell %d have the standard deviation %.2g, below the "+
					"lowest noise, %.2g, at which the score of the prior is known", j, sd, low)
			}
		}
	}
	b, err := c.basis(ctx)
	if err != nil {
		return nil, err
	}
	means, err := c.evaluate(ctx, post.X, slope, b.Sigma)
	if err != nil {
		return nil, err
	}
	if b, err = b.seen(means); err != nil {
		return nil, err
	}
	k := len(b.Modes)
	scores := traits.Scores{Mean: b.Mean, L: b.columns(0.5), Dual: b.columns(-0.5), Sigma: b.Sigma, Left: b.Left,
		Directions: fmt.Sprintf("the %d modes of the prior above noise of %.2g", k, b.Sigma)}
	for _, e := range b.Errors {
		scores.Errors = append(scores.Errors, traits.ScoreError{Constant: e.Constant,
			Slope: mat.NewDense(k, k, e.Slope)})
	}
	if scores.Values, err = b.scores(means); err != nil {
		return nil, err
	}
	return post.CertifyScores(obs, scores)
}

// examine fills in the diagnostics of a posterior.
func (c *Compiled) examine(ctx context.Context, post *expfam.Posterior, obs expfam.Observations, whole bool) {
	if post.Info.Certificate == nil && whole && !c.linear() {
		own := &certifier{measurement: c.measurement, moments: c.moments}
		defer own.close()
		post.SetCertificate(own.certify(ctx, post, obs))
	}
	post.Diagnose(c.prior, c.forward, obs)
}

// decide looks again while the certificate of a posterior of few cells is open: it makes as many further draws as there
// are, by the same sampler with other noise, and certifies all together. The posterior keeps its own draws. A failure
// leaves the certificate as it is. Where the prior has learned parameters, what the subtraction leaves of the network's
// error is not known, so further draws would not decide.
func (c *Compiled) decide(ctx context.Context, post *expfam.Posterior, obs expfam.Observations) {
	draws, cells := post.Dims()
	if !isSmall(cells) || augmented(c.prior) {
		return
	}
	silent := *c.setup
	silent.sampler.Progress, silent.sampler.Watch, silent.sampler.Plan = nil, nil, func(Plan) {}
	again := &Compiled{setup: &silent, compiler: c.compiler, moments: c.moments}
	own := &certifier{measurement: c.measurement}
	defer own.close()
	x := post.X
	for post.Info.Certificate.Open() {
		n, _ := x.Dims()
		silent.sampler.First, silent.sampler.Draws = n-draws, n
		further, err := again.sample(ctx, obs, furtherSeed(post.Info.Seed, c.sampler.First), nil)
		if err != nil {
			return
		}
		var all mat.Dense
		all.Stack(x, further.X)
		x = &all
		found, err := own.certify(ctx, &expfam.Posterior{X: x, Likelihood: post.Likelihood}, obs)
		if err != nil {
			return
		}
		found.Further = 2*n - draws
		post.SetCertificate(found, nil)
	}
}

// furtherSeed is the seed of further draws for draws from a number on. Shares of a run ([Sampler.Share]) have draws of
// their own, because [expfam.Merge] takes their certificates for independent.
func furtherSeed(seed uint64, first int) uint64 {
	name := "certificate/further"
	if first > 0 {
		name += fmt.Sprintf("/%d", first)
	}
	return expfam.Stream(seed, name).Uint64()
}
