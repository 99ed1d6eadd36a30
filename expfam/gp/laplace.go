package gp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/internal/speak"
)

// Options are the options of [Stationary.Sample].
type Options struct {
	Draws int // default 500
	Seed  uint64
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
}

// laplaceRevision is part of the key of stored posteriors. Raise it when a change of the code makes the same
// arguments give other draws.
const laplaceRevision = 3

// Sample makes independent draws from the Laplace approximation of the posterior of x₀. It is the normal
// distribution with mean x̂, the mode, and precision K⁻¹ + W. The diagonal matrix W has the informations of the
// cells at the mode, the negative second derivatives of their log-likelihoods. The approximation is exact where
// the log-likelihood is quadratic; elsewhere Info.Certificate says how good it is. A draw is
//
//	f − K√W B⁻¹(√W f + z) + x̂,  B = I + √W K √W,
//
// with f ~ N(0, K) and z standard normal. B⁻¹ is applied by conjugate gradients. Draw k depends on the data, the
// seed and k alone.
//
// The data may have an operator. Let J be the Jacobian of η: H for a linear operator, and H_kj f′(xⱼ)/θ_k for a sum
// of intensities. The model is linearised at the mode, where the precision is K⁻¹ + JᵀWJ, with W the informations
// of the data. A draw is f − KJᵀ√W B⁻¹(√W J f + z) + x̂ with B = I + √W J K Jᵀ√W.
//
// The result is stored, and a second call with the same arguments loads it. An interrupt returns the finished draws
// with an error that is [expfam.ErrInterrupted].
func (s *Stationary) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("stationary Gaussian process", "")
	defer end()
	return s.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Stationary.Sample] with a context: it ends when ctx ends; see [diffusion.SampleContext].
func (s *Stationary) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("gp: laplace: %w", err)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	forward, err := terms.Forward(s.Dim())
	if err != nil {
		return nil, fmt.Errorf("gp: laplace: %w", err)
	}
	draw := func() (*expfam.Posterior, error) { return s.laplace(ctx, forward, obs, o) }
	var post *expfam.Posterior
	if o.Fresh {
		post, err = draw()
	} else {
		post, err = forward.Stored(ctx, obs, draw, "stationary", laplaceRevision, s, o)
	}
	if post != nil {
		post.Info.Rows, post.Info.Cols = s.Rows, s.Cols
		post.Examine(forward, obs)
	}
	return post, err
}

// laplace finds the mode and makes the draws of [Stationary.Sample].
func (s *Stationary) laplace(ctx context.Context, forward *expfam.Forward, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	start := time.Now()
	o.Draws = cmp.Or(o.Draws, 500)
	d := s.Dim()
	if o.Draws < 1 || len(obs) != forward.Data() {
		return nil, fmt.Errorf("gp: laplace: %d draws, %d observations and %d data of a field of %d cells; ask for "+
			"at least 1 draw and give one term for each cell, or for each row of an operator", o.Draws, len(obs),
			forward.Data(), d)
	}
	speak.Say(ctx, "looking for the mode")
	mode, look, root, steps, err := s.mode(ctx, forward, obs)
	if err != nil {
		return nil, err
	}
	like := forward.Terms().Likelihood
	post := &expfam.Posterior{X: mat.NewDense(o.Draws, d, nil), Likelihood: like, Info: expfam.Info{
		Method: fmt.Sprintf("%v, laplace", s), Engine: "go", Seed: o.Seed, Missing: obs.Blanks(),
		Diagnostics: map[string]float64{"newton": float64(steps)}}}
	t := newTorus(2*s.Rows, 2*s.Cols)
	right, cells := make([]float64, len(obs)), make([]float64, d)
	draws := pace.New(ctx, "gp: laplace", fmt.Sprintf("%d draws of %d by %d cells", o.Draws, s.Rows, s.Cols), o.Draws)
	for k := range o.Draws {
		if ctx.Err() != nil {
			err := fmt.Errorf("gp: %w after %d of %d draws", expfam.ErrInterrupted, k, o.Draws)
			if k == 0 {
				return nil, err
			}
			post.X = mat.DenseCopyOf(post.X.Slice(0, k, 0, d))
			return post, err
		}
		rng := expfam.Stream(o.Seed, fmt.Sprintf("stationary/draw-%d", k))
		f := post.X.RawRowView(k)
		s.Draw(rng, f)
		for j := range f {
			f[j] -= s.Level
		}
		look.MulVec(right, f)
		for i := range right {
			right[i] = root[i]*right[i] + rng.NormFloat64()
		}
		u, err := s.solve(t, look, root, right, 1e-5)
		if err != nil {
			return nil, err
		}
		floats.Mul(u, root)
		look.MulTransVec(cells, u)
		s.multiply(t, cells, cells)
		floats.Sub(f, cells)
		floats.Add(f, mode)
		draws.Step(math.NaN())
	}
	post.SetCertificate(post.Certify(s, obs))
	post.Info.Seconds = time.Since(start).Seconds()
	return post, nil
}

// solve returns u with (I + √W J K Jᵀ √W) u = right, where root is √W. It uses conjugate gradients, until the norm
// of the residual is below tolerance times the norm of right.
func (s *Stationary) solve(t *torus, look *sparse.Matrix, root, right []float64, tolerance float64) ([]float64, error) {
	n := len(right)
	u, image, cells := make([]float64, n), make([]float64, n), make([]float64, s.Dim())
	r := append([]float64(nil), right...)
	p := append([]float64(nil), right...)
	rr := floats.Dot(r, r)
	for limit, count := tolerance*tolerance*rr, 0; rr > limit; count++ {
		if count == 20*n+1000 {
			return nil, errors.New("gp: conjugate gradients don't converge; the data are far more precise than the " +
				"field can follow")
		}
		floats.MulTo(image, root, p)
		look.MulTransVec(cells, image)
		s.multiply(t, cells, cells)
		look.MulVec(image, cells)
		floats.Mul(image, root)
		floats.Add(image, p)
		length := rr / floats.Dot(p, image)
		floats.AddScaled(u, length, p)
		floats.AddScaled(r, -length, image)
		next := floats.Dot(r, r)
		floats.AddScaledTo(p, r, next/rr, p)
		rr = next
	}
	return u, nil
}
