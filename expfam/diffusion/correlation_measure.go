package diffusion

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/store"
)

// correlationRevision is part of the keys of stored tables. Raise spreadRevision of package expfam with it.
const correlationRevision = 3

// measurement measures the correlations of the cells of x₀ | x_t, at most once. It evaluates the moments of x₀ | x_t,
// and products with its covariance C.
type measurement struct {
	*model
	sampler  Sampler // its engine, type of numbers and Fresh count
	block    int     // number of draws in one evaluation
	found    *correlations
	mean     []*Exec // of the mean and the variances of the cells, for each worker
	products *Exec   // of the mean, the standard deviations and C q
	building sync.Mutex
}

// close frees the graphs.
func (c *measurement) close() {
	for _, exec := range append(c.mean, c.products) {
		if exec != nil {
			exec.Finalize()
		}
	}
	c.mean, c.products = nil, nil
}

// correlations returns the correlations. They are stored unless the prior is [expfam.Linear] or the sampler is Fresh.
// The measurement ends with ctx, by the error [expfam.ErrInterrupted].
func (c *measurement) correlations(ctx context.Context) (*correlations, error) {
	if c.found != nil {
		return c.found, nil
	}
	var err error
	c.found, err = stored(ctx, "correlation", c.linear() || c.sampler.Fresh, c.key,
		func() (*correlations, error) { return c.measure(ctx) })
	return c.found, err
}

// change returns by how much the variances of x₀ | x_t change between draws of x_t; see [correlations.Change].
func (c *measurement) change(ctx context.Context) (float64, error) {
	return stored(ctx, "change", c.sampler.Fresh, c.key, func() (float64, error) {
		t, err := c.correlations(ctx)
		if err != nil {
			return 0, err
		}
		return t.Change, nil
	})
}

// stored returns what is stored under a key, and computes it if there is nothing or it is to be fresh.
func stored[T any](ctx context.Context, kind string, fresh bool, key func() (string, error),
	compute func() (T, error)) (out T, err error) {
	if fresh {
		return compute()
	}
	name, err := key()
	if err != nil {
		return out, err
	}
	return store.OnceContext(ctx, kind, name, store.JSON[T](), compute)
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
	defer c.close()
	x, rng := atPureNoise(c.prior, batch), expfam.Stream(0, "correlation")
	_, _, prior, err := c.rows(x, nil, level.At(pureNoise))
	if err != nil {
		return nil, err
	}
	scale := math.Max(rms(averageOfRows(prior, d)), 1e-30)
	sigmas := level.Between(40*scale, 0.005*scale, correlationLevels-1)
	out.Sigma, out.Table = make([]float64, correlationLevels), make([][]float64, correlationLevels)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	linear := c.linear()
	for i, sigma := range sigmas {
		sum, noise, variances := newCovariances(out), level.At(sigma), newVariationSums(d)
		cells := out.probes(linear, rng)
		var mean []float64
		for first := 0; first < len(cells); first += batch {
			if err := interrupted(); err != nil {
				return nil, err
			}
			some := cells[first:min(first+batch, len(cells))]
			row, m, sd, err := c.rows(x, some, noise)
			if err != nil {
				return nil, err
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
			out.Change = max(out.Change, variances.largestVariation())
		}
		if i+1 < len(sigmas) { // an Euler step of the probability flow in σ
			next := level.At(sigmas[i+1])
			for k := range x {
				x[k] = next.SqrtAlpha * (mean[k] + sigmas[i+1]/sigma*(x[k]/noise.SqrtAlpha-mean[k]))
			}
		}
	}
	return out, nil
}

// rows returns rows of Cov(x₀ | x_t) for some cells, at most c.block of them. Row b belongs to cell cells[b] at the x_t
// in row b of x. mean and sd hold the mean and the standard deviation of all cells at every x_t.
func (c *measurement) rows(x []float64, cells []int, at level.Level) (row, mean, sd []float64, err error) {
	unit := make([]float64, len(x))
	for b, cell := range cells {
		unit[b*c.prior.Dim()+cell] = 1
	}
	got, err := c.call(&c.products, at, x, unit)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
	}
	return got[2], got[0], got[1], nil
}

// call returns what a graph computes of a block of x_t, and of q if it makes products. It compiles the graph once.
func (c *measurement) call(exec **Exec, at level.Level, blocks ...[]float64) ([][]float64, error) {
	if *exec == nil {
		var err error
		*exec, err = NewExec(c.sampler.Engine.Backend, func(args []*Node) []*Node {
			c.building.Lock() // the prior need not be safe for simultaneous use
			defer c.building.Unlock()
			p := &Point{X: args[0], Level: level.Nodes{SqrtAlpha: args[len(args)-2], V: args[len(args)-1]}}
			mean, variance := momentsOf(c.prior, p.X, p.Level)
			dims := mean.Shape().Dimensions
			if len(args) == 3 {
				return []*Node{mean, BroadcastToDims(variance, dims...)}
			}
			p.Mean = mean
			return []*Node{mean, BroadcastToDims(Sqrt(variance), dims...), p.Cov(args[1])}
		})
		if err != nil {
			return nil, err
		}
	}
	var args []*tensors.Tensor
	for _, block := range blocks {
		args = append(args, tensorAs(c.sampler.DType, block, c.block, c.prior.Dim()))
	}
	args = append(args, tensorAs(c.sampler.DType, []float64{at.SqrtAlpha}, 1, 1),
		tensorAs(c.sampler.DType, []float64{at.V}, 1, 1))
	got, err := c.sampler.Engine.Call(*exec, arguments(args)...)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(got))
	for k := range got {
		if out[k], err = float64s(got[k]); err != nil {
			return nil, err
		}
	}
	return out, engine.Release(append(args, got...)...)
}

// rms returns the root mean square of v.
func rms(v []float64) float64 { return floats.Norm(v, 2) / math.Sqrt(float64(len(v))) }
