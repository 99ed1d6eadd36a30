package diffusion

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

// mostDecomposed is the largest number of cells of a covariance whose modes are sought. Other priors are polished if
// they have a fast transform; see [expfam.Spectral].
const mostDecomposed = 8192

// polish makes draws under a Gaussian prior exact. The score of such a prior is known, so a draw can take transitions
// of Hamiltonian Monte Carlo with a Metropolis test, which leave the posterior as it is and forget where they began. A
// pilot run of some chains finds the length of the steps and how many transitions forget the start. It depends on the
// model and the data alone, so that a draw is the same in every batch and share. Draws so far off that steps
// of this length cannot move them start from a point of the pilot's chains.
type polish struct {
	pilot   *latent.Pilot
	moves   int
	far     int
	taken   int     // transitions of all draws
	accepts float64 // sum of their acceptance probabilities
}

// polish returns the polish for observations, and nil if there is none: the prior is not Gaussian, or has too many
// modes and no fast transform, the method or the guidance is not the default, or no mode of the posterior is found.
func (s *setup) polish(ctx context.Context, obs expfam.Observations) (*polish, error) {
	if s.sampler.Moves < 0 || s.sampler.Moves == 0 && !s.usual {
		return nil, nil
	}
	if !s.linear() || obs.Blanks() == len(obs) {
		return nil, nil
	}
	target, err := s.target(ctx, s.forward.LogLikelihood(obs))
	if target == nil && err == nil {
		return nil, nil
	}
	var pilot *latent.Pilot
	if err == nil {
		pilot, err = latent.NewPilot(ctx, target,
			func(name string) *rand.Rand { return expfam.Stream(0, "polish/"+name) })
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("sample: %w before the first step", expfam.ErrInterrupted)
	case err != nil:
		return nil, nil // the certificate says whether the draws are right without it
	}
	return &polish{pilot: pilot, moves: cmp.Or(s.sampler.Moves, pilot.Moves)}, nil
}

// target returns the posterior in coordinates in which it is near N(0, I), and nil if there are none.
func (s *setup) target(ctx context.Context, data latent.Data) (latent.Posterior, error) {
	if spectrum, ok := traits.Spectrum(s.prior); ok && latent.Spectral(len(spectrum.Mean), len(spectrum.Variances)) {
		return latent.ByModes(ctx, spectrum, data)
	}
	if d := s.prior.Dim(); d > mostDecomposed {
		return nil, nil
	}
	mean, l, ok := traits.Modes(s.prior, 0)
	if !ok {
		return nil, nil
	}
	_, rank := l.Dims()
	if cost := latent.DenseCost(len(mean), rank); (latent.Cost{Flops: cost.Flops}).Fits("", "") != nil {
		return nil, nil // the factors of so many modes take longer than a diffusion
	}
	return latent.ByLaplace(mean, l, data)
}

// apply moves the draws in the rows of x, the first of which has this number.
func (p *polish) apply(ctx context.Context, x *mat.Dense, seed uint64, first int) error {
	if p == nil {
		return nil
	}
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx) // the batch was finished before, and is not to be lost
	}
	return p.move(ctx, x, false, func(i int) *rand.Rand {
		return expfam.Stream(seed, fmt.Sprintf("polish/%d", first+i))
	})
}

// move makes transitions of the draws in the rows of x, which start from Laplace's approximation or where they are.
func (p *polish) move(ctx context.Context, x *mat.Dense, laplace bool, random func(i int) *rand.Rand) error {
	moved, err := latent.Moves{Pilot: p.pilot, N: p.moves, Laplace: laplace, Random: random}.Apply(ctx, x)
	p.far, p.taken, p.accepts = p.far+moved.Far, p.taken+moved.Taken, p.accepts+moved.Accepts
	if err != nil {
		return expfam.ErrInterrupted
	}
	return nil
}

// report writes what the polish did into the Info of the draws.
func (p *polish) report(info *expfam.Info) {
	if p == nil {
		return
	}
	info.Method += fmt.Sprintf(", %d transitions of HMC", p.moves)
	if info.Diagnostics == nil {
		info.Diagnostics = map[string]float64{}
	}
	info.Diagnostics["transitions"] = float64(p.moves)
	info.Diagnostics["step"] = p.pilot.Step
	if p.taken > 0 {
		info.Diagnostics["accept"] = p.accepts / float64(p.taken)
		info.Diagnostics["far"] = float64(p.far)
	}
	if !p.pilot.Mixed {
		info.Diagnostics["unmixed"] = 1
	}
}
