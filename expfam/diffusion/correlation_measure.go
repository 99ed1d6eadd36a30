package diffusion

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/loggrid"
	"github.com/expfam/lab/expfam/internal/ownkind"
	"github.com/expfam/lab/expfam/store"
)

// correlationRevision is part of the keys of stored tables. Raise spreadRevision of package expfam with it.
const correlationRevision = 2

// measurement measures the correlations of the cells of x₀ | x_t, at most once.
type measurement struct {
	*model
	sampler Sampler // its engine, type of numbers and Fresh count
	block   int     // number of draws in one evaluation
	found   *correlations
}

// correlations returns the correlations. They are stored unless the prior is [expfam.Linear] or the sampler is Fresh.
// The measurement ends with ctx, by the error [expfam.ErrInterrupted].
func (c *measurement) correlations(ctx context.Context) (*correlations, error) {
	if c.found != nil {
		return c.found, nil
	}
	compute := func() (*correlations, error) { return c.measure(ctx) }
	var err error
	if c.linear() || c.sampler.Fresh {
		c.found, err = compute()
		return c.found, err
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	c.found, err = store.OnceContext(ctx, "correlation", key, store.JSON[*correlations](), compute)
	return c.found, err
}

// change returns by how much the variances of x₀ | x_t change between draws of x_t; see [correlations.Change].
func (c *measurement) change(ctx context.Context) (float64, error) {
	measure := func() (float64, error) {
		t, err := c.correlations(ctx)
		if err != nil {
			return 0, err
		}
		return t.Change, nil
	}
	if c.sampler.Fresh {
		return measure()
	}
	key, err := c.key()
	if err != nil {
		return 0, err
	}
	return store.OnceContext(ctx, "change", key, store.JSON[float64](), measure)
}

// key returns the key of what is measured of the prior. The last digits depend on the type of
// numbers and on the number of draws in a block. So both belong to the key, except the usual ones.
func (c *measurement) key() (string, error) {
	key, err := PriorFingerprint(c.prior, c.sampler.Engine)
	if err != nil {
		return "", err
	}
	parts := []any{correlationRevision, key}
	usual := Sampler{Engine: c.sampler.Engine, DType: dtypes.Float32}
	if dtype, block := c.sampler.DType, usual.block(c.prior); dtype != usual.DType || c.block != block {
		parts = append(parts, dtype.String(), c.block)
	}
	return store.Key(parts...), nil
}

// measure averages rows of Cov(x₀ | x_t), which it takes by Jacobian products. The
// points x_t are those of a deterministic descent without data, from pure noise to low noise.
func (c *measurement) measure(ctx context.Context) (*correlations, error) {
	interrupted := func() error {
		if ctx.Err() == nil {
			return nil
		}
		return fmt.Errorf("sample: %w while measuring the correlations of %v", expfam.ErrInterrupted, c.prior)
	}
	if err := interrupted(); err != nil { // before the graph is compiled
		return nil, err
	}
	out, err := newCorrelations(c.prior)
	if err != nil {
		return nil, err
	}
	d, batch := c.prior.Dim(), c.block
	exec, err := NewExec(c.sampler.Engine.Backend, func(args []*Node) []*Node {
		l := expfam.LevelNodes{SqrtAlpha: args[2], V: args[3]}
		p := &Point{X: args[0], Level: l}
		mean, variance := ownkind.Moments(c.prior, p.X,
			func() (mean, variance *Node) { return c.prior.Moments(p.X, l) })
		p.Mean = mean
		return []*Node{p.Cov(args[1]), mean, BroadcastToDims(Sqrt(variance), mean.Shape().Dimensions...)}
	})
	if err != nil {
		return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
	}
	defer exec.Finalize()
	x, rng := make([]float64, batch*d), expfam.Stream(0, "correlation")
	_, _, prior, err := c.rows(exec, x, nil, expfam.LevelAt(pureNoise))
	if err != nil {
		return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
	}
	scale := math.Max(rms(prior[:d]), 1e-30)
	sigmas := loggrid.Of(40*scale, 0.005*scale, correlationLevels-1)
	out.Sigma, out.Table = make([]float64, correlationLevels), make([][]float64, correlationLevels)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	linear := c.linear()
	for i, sigma := range sigmas {
		sum, level, variances := newCovariances(out), expfam.LevelAt(sigma), newChanges(d)
		cells := out.probes(linear, rng)
		var mean []float64
		for first := 0; first < len(cells); first += batch {
			if err := interrupted(); err != nil {
				return nil, err
			}
			some := cells[first:min(first+batch, len(cells))]
			row, m, sd, err := c.rows(exec, x, some, level)
			if err != nil {
				return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
			}
			mean = m
			for b, cell := range some {
				sum.add(cell, row[b*d:(b+1)*d], sd[b*d:(b+1)*d])
				variances.add(cell, row[b*d+cell])
			}
		}
		at := correlationLevels - 1 - i
		out.Sigma[at], out.Table[at] = sigma, sum.correlations()
		if sigma < informative*scale {
			out.Change = max(out.Change, variances.most())
		}
		if i+1 < len(sigmas) { // an Euler step of the probability flow in σ
			next := expfam.LevelAt(sigmas[i+1])
			for k := range x {
				x[k] = next.SqrtAlpha * (mean[k] + sigmas[i+1]/sigma*(x[k]/level.SqrtAlpha-mean[k]))
			}
		}
	}
	return out, nil
}

// rows returns rows of Cov(x₀ | x_t) for some cells, at most c.block of them. Row b belongs to cell cells[b] at the x_t
// in row b of x. mean and sd hold the mean and the standard deviation of all cells at every x_t.
func (c *measurement) rows(exec *Exec, x []float64, cells []int, level expfam.Level) (row, mean, sd []float64,
	err error) {
	d, batch := c.prior.Dim(), c.block
	unit := make([]float64, batch*d)
	for b, cell := range cells {
		unit[b*d+cell] = 1
	}
	dtype := c.sampler.DType
	args := []*tensors.Tensor{tensorAs(dtype, x, batch, d), tensorAs(dtype, unit, batch, d),
		tensorAs(dtype, []float64{level.SqrtAlpha}, 1, 1), tensorAs(dtype, []float64{level.V}, 1, 1)}
	got, err := c.sampler.Engine.Call(exec, arguments(args)...)
	if err != nil {
		return nil, nil, nil, err
	}
	for k, to := range []*[]float64{&row, &mean, &sd} {
		if *to, err = doubles(got[k]); err != nil {
			return nil, nil, nil, err
		}
	}
	return row, mean, sd, engine.Release(append(args, got...)...)
}

// rms returns the root mean square of v.
func rms(v []float64) float64 { return floats.Norm(v, 2) / math.Sqrt(float64(len(v))) }
