package diffusion

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// mostDiffused is the largest number of data from which draws under a Gaussian prior start by a diffusion, whose
	// systems have the size of the data.
	mostDiffused = 128
	// directMoves is how many times as many transitions a draw takes that starts from Laplace's approximation.
	directMoves = 2
)

// direct reports whether draws start from Laplace's approximation of the posterior: under a Gaussian prior of more than
// 128 cells, or with more than 128 data, by the default method. The transitions make them exact, as they do after a
// diffusion, and no graph is compiled.
func (s *setup) direct() bool {
	if s.sampler.Moves != 0 || !s.usual || !s.linear() {
		return false
	}
	return !isSmall(s.prior.Dim()) || s.forward.Data() > mostDiffused
}

// affordable refuses transforms of so many cells that the draws take too long.
func (s *setup) affordable() error {
	p, ok := traits.Spectrum(s.prior)
	if !ok || !latent.Spectral(len(p.Mean), len(p.Variances)) {
		return nil
	}
	return latent.SpectralCost(len(p.Mean), len(p.Variances), s.sampler.Draws).Fits(
		fmt.Sprintf("sample: a posterior of %d cells", len(p.Mean)), "take fewer draws, a coarser grid, or gmrf.Sample")
}

// possible refuses data that put a cell far from the prior, where each datum has its own cell.
func (s *setup) possible(obs expfam.Observations) error {
	if !s.forward.Plain() {
		return nil
	}
	m, err := s.measurement.known()
	if err != nil || m == nil {
		return err
	}
	info, found, err := diagnose(s.terms, obs, m.mean, m.sd)
	if err != nil || !found {
		return err
	}
	if err := info.possible(s.model); err != nil {
		return err
	}
	_, err = info.variant(s)
	return err
}

// known returns the moments of a Gaussian prior that says them, and nil if it does not.
func (m *measurement) known() (*moments, error) {
	of, ok := m.prior.(interface{ Mean() []float64 })
	if !ok {
		return nil, nil
	}
	out := &moments{mean: of.Mean(), sd: make([]float64, m.prior.Dim())}
	var variance []float64
	switch p := m.prior.(type) {
	case interface{ Variance() []float64 }:
		variance = p.Variance()
	case interface{ Cov() *mat.SymDense }:
		cov := p.Cov()
		for j := range out.sd {
			variance = append(variance, cov.At(j, j))
		}
	}
	if len(variance) != len(out.sd) || len(out.mean) != len(out.sd) {
		return nil, nil
	}
	for j, v := range variance {
		out.sd[j] = math.Sqrt(math.Max(v, 0))
	}
	return out, nil
}

// sampleDirect is sample with draws that start from Laplace's approximation.
func (c *Compiled) sampleDirect(ctx context.Context, obs expfam.Observations, seed uint64, p *polish,
	stored *storage, began time.Time) (*expfam.Posterior, error) {
	d, draws := c.prior.Dim(), c.sampler.Draws
	p.moves *= directMoves
	post := &expfam.Posterior{X: mat.NewDense(draws, d, nil), Likelihood: c.terms.Likelihood, Info: expfam.Info{
		Method: "Laplace's approximation", Engine: "go", Seed: seed, First: c.sampler.First, Missing: obs.Blanks(),
		Memory: 8 * int64(draws) * int64(d), Seconds: secondsSince(began)}}
	defer func() { p.report(&post.Info) }()
	return c.batches(post, stored, func(x *mat.Dense, first int) error {
		err := p.move(ctx, x, true, func(i int) *rand.Rand {
			return expfam.Stream(seed, fmt.Sprintf("direct/%d", c.sampler.First+first+i))
		})
		if progress := c.sampler.Progress; err == nil && progress != nil {
			progress(first+x.RawMatrix().Rows, draws, 0)
		}
		return err
	})
}
