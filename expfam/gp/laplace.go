package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/internal/interrupt"
	"github.com/expfam/lab/internal/speak"
)

// Options of [Stationary.Sample].
type Options struct {
	Draws int // default 500
	Seed  uint64
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
}

// laplaceRevision is part of the key of stored posteriors: it goes up when the same
// arguments give other draws.
const laplaceRevision = 1

// Sample makes independent draws from the Laplace approximation of the posterior
// of x₀: normal around the mode x̂, with precision K⁻¹ + W, W the
// informations −∂² of the cells' log-likelihoods there. It is exact where the
// log-likelihood is quadratic. A draw is f − K√W B⁻¹(√W f + z) + x̂ with f ~ N(0, K),
// z standard normal and B = I + √W K √W, by conjugate gradients; draw k depends on
// the data, the seed and k alone.
//
// Data may have an operator. Let J be the Jacobian of η: H for a linear operator, and H_kj
// f′(xⱼ)/θ_k for a sum of intensities. The model is linearised at the mode, where the
// precision is K⁻¹ + JᵀWJ, and a draw is f − KJᵀ√W B⁻¹(√W J f + z) + x̂ with B = I + √W J K
// Jᵀ√W. The result is stored, and a second call with the same arguments loads it. An
// interrupt returns the finished draws with an error that is [expfam.ErrInterrupted].
func (s *Stationary) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	ctx, end := speak.With(ctx, "stationary Gaussian process", "")
	defer end()
	return s.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Stationary.Sample] that ends with ctx; see [expfam.SampleContext].
func (s *Stationary) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("gp: laplace: %w", err)
	}
	draw := func() (*expfam.Posterior, error) { return s.laplace(ctx, terms, obs, o) }
	if o.Fresh {
		return draw()
	}
	post, err := expfam.Stored(ctx, terms, obs, draw, "stationary", laplaceRevision, s, o)
	if post != nil {
		post.Info.Rows, post.Info.Cols = s.Rows, s.Cols
	}
	return post, err
}

func (s *Stationary) laplace(ctx context.Context, terms *expfam.Terms, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	start := time.Now()
	if o.Draws == 0 {
		o.Draws = 500
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	d := s.Dim()
	forward, err := terms.Forward(d)
	if err != nil {
		return nil, fmt.Errorf("gp: laplace: %w", err)
	}
	if o.Draws < 1 || len(obs) != forward.Data() {
		return nil, fmt.Errorf("gp: laplace: %d draws, %d observations and %d data of a field of %d cells; ask for at least 1 draw and give one term for each cell, or for each row of an operator", o.Draws, len(obs), forward.Data(), d)
	}
	speak.Say(ctx, "looking for the mode")
	mode, look, root, steps, err := s.mode(ctx, terms, forward, obs)
	if err != nil {
		return nil, err
	}
	post := &expfam.Posterior{X: mat.NewDense(o.Draws, d, nil), Likelihood: terms.Likelihood, Info: expfam.Info{
		Method: fmt.Sprintf("%v, laplace", s), Engine: "go", Seed: o.Seed, Missing: obs.Blanks(), Diagnostics: map[string]float64{"newton": float64(steps)}}}
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
		look.to(right, f)
		for i := range right {
			right[i] = root[i]*right[i] + rng.NormFloat64()
		}
		u, err := s.solve(t, look, root, right, 1e-5)
		if err != nil {
			return nil, err
		}
		floats.Mul(u, root)
		look.from(cells, u)
		s.multiply(t, cells, cells)
		floats.Sub(f, cells)
		floats.Add(f, mode)
		draws.Step(math.NaN())
	}
	post.Info.Seconds = time.Since(start).Seconds()
	return post, nil
}

// looking is J, the Jacobian of what data look at; nil where each looks at its own cell.
type looking struct{ j *sparse.Matrix }

// to is J v, and from Jᵀ u.
func (l looking) to(out, v []float64) {
	if l.j == nil {
		copy(out, v)
		return
	}
	l.j.MulVec(out, v)
}

func (l looking) from(out, u []float64) {
	if l.j == nil {
		copy(out, u)
		return
	}
	l.j.MulTransVec(out, u)
}

// mode is x̂, J and √W, by Newton's method in a with x = μ + K a (Rasmussen &
// Williams 2006, algorithm 3.1), and how many steps it took.
func (s *Stationary) mode(ctx context.Context, terms *expfam.Terms, forward *expfam.Forward, obs expfam.Observations) (x []float64, look looking, root []float64, steps int, err error) {
	fail := func(err error) ([]float64, looking, []float64, int, error) { return nil, look, nil, 0, err }
	if err := forward.Check(obs); err != nil {
		return fail(fmt.Errorf("gp: laplace: %w", err))
	}
	c := &climb{s: s, torus: newTorus(2*s.Rows, 2*s.Cols), terms: terms, obs: obs, tolerance: 1e-10, done: 1e-7}
	if terms.Cellwise() != nil {
		if c.forward = forward; !forward.Linear() {
			// Steps without the curvature of the link gain by a constant factor.
			c.tolerance, c.done = 1e-7, 1e-5
		}
	}
	for _, v := range []*[]float64{&c.a, &c.trial, &c.f, &c.x, &c.slope, &c.b, &c.image} {
		*v = make([]float64, s.Dim())
	}
	for _, v := range []*[]float64{&c.root, &c.information, &c.right} {
		*v = make([]float64, len(obs))
	}
	now := c.value(c.a)
	if math.IsInf(now, 0) {
		return fail(fmt.Errorf("gp: laplace: the log-likelihood is not finite at x₀ = %g; check the data and the link", s.Level))
	}
	r, err := newton.Maximise(ctx, c, now, newton.Options{Steps: 100, Slack: 1e-9, Least: 1e-8})
	switch {
	case ctx.Err() != nil:
		return fail(fmt.Errorf("gp: %w while the mode was sought", expfam.ErrInterrupted))
	case err != nil:
		return fail(err)
	case r.End == newton.OutOfSteps:
		return fail(errors.New("gp: laplace: no mode after 100 Newton steps; the log-likelihood may not be concave in x₀"))
	case r.End == newton.NoGain: // rounding hides what is left to gain
		c.value(c.a)
	}
	return c.x, c.look, c.root, r.Steps, nil
}

// climb is the way to the mode in a; see [newton.Problem].
type climb struct {
	s       *Stationary
	torus   *torus
	terms   *expfam.Terms
	forward *expfam.Forward // of an operator, or nil
	obs     expfam.Observations

	a, trial, step           []float64
	f, x, slope              []float64 // K a, x and the slopes where value was taken last
	b, image                 []float64
	look                     looking
	root, information, right []float64 // of the data
	tolerance, done          float64
}

// value is the log density at a up to a constant.
func (c *climb) value(a []float64) float64 {
	c.s.multiply(c.torus, a, c.f)
	for j, v := range c.f {
		c.x[j] = c.s.Level + v
	}
	v := c.logLik() - floats.Dot(a, c.f)/2
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

func (c *climb) logLik() float64 {
	if c.forward != nil {
		return c.forward.LogLikSlope(c.x, c.obs, c.slope)
	}
	return c.terms.LogLikSlope(c.x, c.obs, c.slope)
}

// sites leaves J and √W at the present point, and W f + slope in b.
func (c *climb) sites() {
	if c.forward == nil {
		c.terms.Informations(c.x, c.obs, c.information)
		for j, v := range c.information {
			w := max(0, v)
			c.root[j] = math.Sqrt(w)
			c.b[j] = w*c.f[j] + c.slope[j]
		}
		return
	}
	rows, w := c.forward.Precision(c.x, c.obs)
	c.look.j = sparse.New(len(c.obs), len(c.x), rows)
	c.look.to(c.right, c.f)
	for k, v := range w {
		c.root[k] = math.Sqrt(v)
		c.right[k] *= v
	}
	c.look.from(c.b, c.right)
	floats.Add(c.b, c.slope)
}

// Direction is the step of algorithm 3.1; it is done where no entry of a changes any more.
// The decrement, which would cost a product with K, is left 0: every gain is taken.
func (c *climb) Direction() (decrement float64, done bool, err error) {
	c.sites()
	c.s.multiply(c.torus, c.b, c.image)
	c.look.to(c.right, c.image)
	floats.Mul(c.right, c.root)
	u, err := c.s.solve(c.torus, c.look, c.root, c.right, c.tolerance)
	if err != nil {
		return 0, false, err
	}
	floats.Mul(u, c.root)
	c.step = make([]float64, len(c.a))
	c.look.from(c.step, u)
	var largest float64 // of the change in a
	for j, v := range c.step {
		c.step[j] = c.b[j] - v - c.a[j]
		largest = max(largest, math.Abs(c.step[j]))
	}
	return 0, largest < c.done*(1+floats.Norm(c.a, math.Inf(1))), nil
}

// Try is the value at a plus size times the step.
func (c *climb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.a, size, c.step)
	return c.value(c.trial)
}

// Take keeps the a that was tried.
func (c *climb) Take() { c.a, c.trial = c.trial, c.a }

// solve is u with (I + √W J K Jᵀ √W) u = right, by conjugate gradients until the
// residual is below a fraction of the right side.
func (s *Stationary) solve(t *torus, look looking, root, right []float64, tolerance float64) ([]float64, error) {
	n := len(right)
	u, image, cells := make([]float64, n), make([]float64, n), make([]float64, s.Dim())
	r := append([]float64(nil), right...)
	p := append([]float64(nil), right...)
	rr := floats.Dot(r, r)
	for limit, count := tolerance*tolerance*rr, 0; rr > limit; count++ {
		if count == 20*n+1000 {
			return nil, errors.New("gp: conjugate gradients don't converge; the data are far more precise than the field can follow")
		}
		floats.MulTo(image, root, p)
		look.from(cells, image)
		s.multiply(t, cells, cells)
		look.to(image, cells)
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
