// Package joint draws a field and the unknown parameters of its prior and of its likelihood together:
//
//	x₀ | u ~ N(μ(u), K(u)),  y | x₀, u ~ p(y | x₀, u),  u ~ π(u).
//
// diffusion.Sample calls it for a prior or a likelihood with unknown parameters. A [Bridge] has unknown constants of a
// likelihood under any prior of which there is a sampler. In [Sample] each parameter is known by its score
// t, which is standard normal under its law ([law.At]). The field given t has the coordinates w in which the Laplace
// approximation of p(x₀ | y, t) is N(0, I):
//
//	x₀ = x̂(t) + A(t) w.
//
// In them the field hardly depends on the parameters, so that (t, w) is close to a product of the Laplace evidence of t
// and N(0, I). A draw begins there, and then takes steps of two kinds that leave the joint posterior as it is. One
// proposes another t with the same w, from the Laplace evidence, and accepts it by the ratio of the exact densities
// (Metropolis & Hastings). The other moves w by Hamiltonian Monte Carlo. Draws are independent of each other given the
// pool of values of t that all of them take; those of few cells leave it by a last step to a value of their own.
//
// # Reading order
//
// joint.go, model.go, explore.go, ascent.go, lattice.go, proposal.go, pool.go, correct.go, draw.go, trial.go, fixed.go,
// largest.go, certify.go; bridge.go, search.go, nodes.go, slice.go.
package joint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/speak"
)

// Options are the options of [Sample].
type Options struct {
	Draws int // default 500
	// First is the number of the first draw. Draw k depends on Seed and k alone, unless Approximate is set, where the
	// draws of a call share what they are moved to.
	First int
	Seed  uint64
	// Approximate takes draws of Laplace's approximation, moved to the mean, at few values of the parameters, under a
	// sparse precision of so many cells that others would take long, unless the posterior is skewed. Where the
	// certificate calls them wrong, they are made anew with transitions, if there is time.
	Approximate bool
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
}

// revision is part of the key of stored posteriors. Raise it when a change of the code makes the same arguments give
// other draws.
const revision = 15

// Sample draws the field and the parameters. The prior is [expfam.Parametric], or has the methods Mean and Cov of a
// Gaussian prior beside a likelihood with unknown constants. Info.Diagnostics has
//
//	nodes              places of the parameters at which the evidence was computed
//	accept             mean acceptance probability of the steps of the field
//	accept_parameters  share of the proposals of parameters that were accepted
//	steps              transitions of the field of a draw: as many as proposals of the parameters, which are 3 to 40 by
//	                   their acceptance in a trial, or a third of them for many cells; 0 where none is needed
//	log_evidence       log p(y) at the mode of the parameters by Laplace's approximation, under a sparse precision
//
// Info.Certificate compares the field with its posterior given the parameters of each draw, along the coarsest cosines
// of the cells. It is nil for less than 100 draws.
//
// The result is stored, and a second call with the same arguments loads it. An interrupt returns the finished draws
// with an error that is [expfam.ErrInterrupted].
func Sample(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("field and parameters", "")
	defer end()
	return SampleContext(ctx, prior, like, obs, o)
}

// SampleContext is [Sample] with a context: it ends when ctx ends.
func SampleContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	o.Draws = cmp.Or(o.Draws, 500)
	if o.Draws < 1 || o.First < 0 {
		return nil, fmt.Errorf("joint: %d draws from number %d on; ask for at least 1 draw, and no negative numbers",
			o.Draws, o.First)
	}
	if err := o.fits(prior); err != nil {
		return nil, err
	}
	m, err := newModel(prior, like, obs)
	if err != nil {
		return nil, fmt.Errorf("joint: %w", err)
	}
	if m.approximate = o.Approximate; m.few() {
		m.sparse.Done = 1e-3
	}
	bytes := 64 * float64(m.cells) * float64(m.rank())
	if m.sparse != nil {
		n, _ := m.size(false)
		bytes = 6*float64(runtime.GOMAXPROCS(0))*m.sparse.Bytes() + float64(n)*m.sparse.Held()
	}
	if err := machine.Fits(fmt.Sprintf("joint: %d draws of %d cells", o.Draws, m.cells),
		8*float64(o.Draws)*float64(m.cells)+bytes, "draw fewer, or take a prior with a sparse precision"); err != nil {
		return nil, err
	}
	key, err := m.key(o)
	if err != nil {
		return nil, fmt.Errorf("joint: %w", err)
	}
	post, err := Stored(ctx, o.Fresh, key, like, obs, m.own,
		func() (*expfam.Posterior, error) { return m.sample(ctx, o) })
	if post != nil {
		post.Locate(prior)
		f, wrong := post.Likelihood.Forward(m.cells)
		if wrong != nil {
			return post, errors.Join(err, wrong)
		}
		post.Examine(f, m.obs)
	}
	return post, err
}

// fits refuses sparse precisions of so many cells that their factor alone takes too long. Neighbours in a plane have a
// factor of n log₂ n entries and n^1.5 multiplications, times some number, in the best order (George 1973, SIAM Journal
// on Numerical Analysis 10).
func (o Options) fits(prior expfam.Prior) error {
	if _, ok := prior.(precise); !ok {
		return nil
	}
	const factors, gradients = 100, 40 // of the search and the pool, and of a draw
	n := math.Max(2, float64(prior.Dim()))
	entries := 4 * n * math.Log2(n)
	cost := latent.Cost{Flops: factors * 10 * math.Pow(n, 1.5), Bytes: 8 * (2*entries + float64(o.Draws)*n)}
	if !o.Approximate {
		cost.Flops += float64(o.Draws) * gradients * 4 * entries
	}
	return cost.Fits(fmt.Sprintf("joint: %d draws of %.0f cells", o.Draws, n),
		"take fewer cells, such as larger areas or a coarser grid, or fewer draws")
}

// sample explores the parameters and makes the draws.
func (m *model) sample(ctx context.Context, o Options) (*expfam.Posterior, error) {
	began := time.Now()
	speak.Say(ctx, "evidence of the parameters")
	nodes, err := m.explore(ctx)
	if err != nil {
		return nil, err
	}
	run, err := m.run(nodes, o)
	if err != nil {
		return nil, err
	}
	speak.Say(ctx, "draws")
	post, err := run.posterior(ctx)
	if err == nil && run.mend(post.Info.Certificate) {
		speak.Say(ctx, "the certificate of Laplace's approximation is wrong; draws with transitions")
		again, failed := run.posterior(ctx)
		switch {
		case failed == nil:
			post = again
		case ctx.Err() == nil:
			return nil, failed
		default: // the draws of the approximation are not lost
			err = fmt.Errorf("joint: %w before the draws, which the certificate calls wrong, were mended",
				expfam.ErrInterrupted)
		}
	}
	if post != nil {
		post.Info.Seconds = time.Since(began).Seconds()
	}
	return post, err
}

// posterior makes the draws and their certificate.
func (r *run) posterior(ctx context.Context) (*expfam.Posterior, error) {
	m, o := r.model, r.o
	done, err := r.draws(ctx)
	if done == 0 {
		return nil, err
	}
	post := &expfam.Posterior{X: mat.DenseCopyOf(r.x.Slice(0, done, 0, m.cells)), Info: expfam.Info{
		Method: fmt.Sprintf("%v, joint with %d parameters", m.name, len(m.parameters)), Engine: "go", Seed: o.Seed,
		First: o.First, Missing: m.obs.Blanks(), Diagnostics: r.diagnostics(done)}}
	for k, p := range m.parameters {
		values := make([]float64, done)
		for i := range values {
			values[i] = law.At(p.Law, r.t.At(i, k))
		}
		post.AddParameter(p, values)
	}
	if post.Likelihood, _, err = AtMedians(m.like, m.obs, post.Parameters[m.own:]); err != nil {
		return nil, err
	}
	if key, err := m.key(Options{Seed: o.Seed}); err == nil {
		post.Info.Run = key
	}
	post.SetCertificate(r.certify(post))
	if done < o.Draws {
		return post, fmt.Errorf("joint: %w after %d of %d draws", expfam.ErrInterrupted, done, o.Draws)
	}
	return post, nil
}

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
