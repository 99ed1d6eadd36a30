package diffusion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// Sample draws from the posterior given observations, without the store. The function [Sample]
// loads and stores its result.
func (c *Compiled) Sample(ctx context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
	return c.sample(ctx, obs, seed, nil)
}

// sample takes the draws that former runs have stored, makes the missing ones and stores
// them batch by batch. With former nil it makes all draws and stores none.
func (c *Compiled) sample(ctx context.Context, obs expfam.Observations, seed uint64,
	former *partial) (*expfam.Posterior, error) {
	d, draws, n := c.prior.Dim(), c.sampler.Draws, c.forward.Data()
	if err := c.takes(obs); err != nil {
		return nil, err
	}
	set, err := c.configure(ctx, obs)
	if err != nil {
		return nil, err
	}
	post := &expfam.Posterior{X: mat.NewDense(draws, d, nil), Likelihood: c.terms.Likelihood, Info: expfam.Info{
		Method:      fmt.Sprintf("%v, %v", set.graphs.guidance, set.method),
		Engine:      c.sampler.Engine.String(),
		Seed:        seed,
		First:       c.sampler.First,
		Evaluations: len(set.steps),
		Products:    set.graphs.taken(set.steps),
		Missing:     obs.Blanks(),
		Compile:     c.compiling,
		Memory:      c.Plan().Memory,
	}}
	var fixed [][2]*tensors.Tensor
	for range set.graphs.workers() {
		pair := [2]*tensors.Tensor{tensorAs(set.graphs.data, obs.Stats(), 1, n),
			tensorAs(set.graphs.data, obs.Sizes(), 1, n)}
		defer engine.Release(pair[:]...)
		fixed = append(fixed, pair)
	}
	for first := 0; first < draws; {
		if n, seconds := former.load(post.X, first); n > 0 {
			first, post.Info.Seconds = first+n, post.Info.Seconds+seconds
			continue
		}
		start := time.Now()
		err := c.chunk(set, fixed, seed, first, draws).run(ctx, post.X)
		if errors.Is(err, expfam.ErrInterrupted) && first > 0 {
			finished := mat.DenseCopyOf(post.X.Slice(0, first, 0, d))
			post.X = finished
			return post, fmt.Errorf("sample: %w after %d of %d draws%s", expfam.ErrInterrupted, first, draws,
				former.hint())
		}
		if err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
		n, seconds := min(c.sampler.Batch, draws-first), since(start)
		if first+n < draws {
			former.save(post.X, first, n, seconds)
		}
		first, post.Info.Seconds = first+n, post.Info.Seconds+seconds
	}
	return post, nil
}

// takes refuses observations if their number is wrong or if one of them is impossible.
func (c *Compiled) takes(obs expfam.Observations) error {
	d, n := c.prior.Dim(), c.forward.Data()
	if c.forward.Plain() && len(obs) != d {
		return fmt.Errorf("sample: %d cells observed and %d in the prior; give one term a cell, zero where it is "+
			"missing", len(obs), d)
	}
	if len(obs) != n {
		return fmt.Errorf("sample: %d observations and an operator of %d data; give one term a datum, zero where "+
			"it is missing", len(obs), n)
	}
	if err := c.forward.Check(obs); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}

// block is the state of some draws between two steps: x, and the estimate D' of the step before.
type block struct{ x, previous *tensors.Tensor }

// view is what a step reports about its draws: squares is Σx², and the other fields are the
// largest s, |m| and s (s + |m|) of x₀ | x_t under the prior.
type view struct{ squares, sd, mean, product float64 }

// add joins the views of two blocks. NaN stays NaN.
func (v view) add(w view) view {
	return view{v.squares + w.squares, math.Max(v.sd, w.sd), math.Max(v.mean, w.mean), math.Max(v.product, w.product)}
}

// stepInputs are the inputs of a step of a block beside the block's state.
type stepInputs struct {
	kind
	row, noise, table []float64          // scalars of the step, noise z, table of correlations
	more              []float64          // noise of cells and data, in a drawn step
	fixed             [2]*tensors.Tensor // statistics and sizes of the observations
}

// step moves a block by one evaluation of a graph, and returns its view of the draws.
func (c *Compiled) step(g *graphs, exec *graph.Exec, b *block, in stepInputs) (seen view, err error) {
	z, scalars := tensorAs(g.dtype, in.noise, c.block, c.prior.Dim()), tensorAs(g.dtype, in.row, 1, len(in.row))
	own := []*tensors.Tensor{z, scalars}
	args := []*tensors.Tensor{b.x, b.previous, z, in.fixed[0], in.fixed[1], scalars}
	if in.table != nil {
		t := tensorAs(g.dtype, in.table, c.tableDims(in.kind)...)
		own, args = append(own, t), append(args, t)
	}
	if in.more != nil {
		t := tensorAs(g.dtype, in.more, c.block, len(in.more)/c.block)
		own, args = append(own, t), append(args, t)
	}
	results, err := exec.Call(arguments(args)...)
	if err != nil {
		return seen, errors.Join(err, engine.Release(own...))
	}
	var values [4]float64
	for k := range values {
		value, err := doubles(results[outNorm+k])
		if err != nil {
			return seen, err
		}
		values[k] = value[0]
	}
	if err := engine.Release(append(append(own, b.x, b.previous), results[outNorm:]...)...); err != nil {
		return seen, err
	}
	*b = block{results[outX], results[outEstimate]}
	return view{values[0], values[1], values[2], values[3]}, nil
}

// arguments returns the tensors in the type that the call of a graph takes.
func arguments(t []*tensors.Tensor) []any {
	out := make([]any, len(t))
	for i, v := range t {
		out[i] = v
	}
	return out
}

// covers refuses a prior that is too wide or too narrow for the noise levels of a trajectory.
// The arguments sd, mean and product are the largest s, |m| and s (s + |m|) at the first step.
// At pure noise the moments m and s² of x₀ | x_t are the moments of the prior, or s² is nearly
// σ² if the prior is wider.
//
// Too wide: every draw starts from N(0, 1), whatever the prior. On the way down the error of
// this start decays to about s²/σ² of the variance of x₀, and to s|μ|/σ² standard deviations
// of the mean of x₀, for a prior of mean μ and standard deviation s and a start at σ.
//
// Too narrow: the estimate at the end lacks the variance that the last noise level hides. A
// prior whose draws lie near a surface has little variance of that size. For a prior that is
// narrow in all directions it is the whole variance.
func covers(steps []Step, sd, mean, product float64) error {
	start, end := steps[0].Level.Sigma(), endOf(steps)
	if steps[len(steps)-1].draws() { // a draw of x₀ lacks no variance
		end = 0
	}
	if product > 0.1*start*start || sd < 3*end {
		return fmt.Errorf("the prior has cells of mean up to %.3g and of sd up to %.3g, beyond a diffusion of "+
			"noise from %.3g to %.3g; standardise x₀ and put location and scale into the link", mean, sd, start, end)
	}
	return nil
}

// scalars returns the numbers of a step as one row, in the order of the indices inSqrtAlpha and
// so on, with the values of the link's open constants after them.
func (c *Compiled) scalars(g *graphs, step Step, rest bool) []float64 {
	row := append(make([]float64, inputs), c.values...)
	row[inSqrtAlpha], row[inV] = step.Level.SqrtAlpha, step.Level.V
	row[inA], row[inB], row[inC], row[inS] = step.A, step.B, step.C, step.S
	row[inSNR], row[inClip] = step.SNR, step.Clip
	if step.Clip == 0 {
		row[inClip] = math.MaxFloat32
	}
	row[inRest], row[inSkew] = step.Spread, step.Skew
	if rest {
		row[inRest] = 1
	}
	if g.coupled {
		coupled := c.prior.(expfam.Coupled)
		row[inCoupling] = coupled.Coupling(step.Level.Sigma())
	}
	return row
}

// tensorAs returns a tensor of values with dimensions dims, in Float64 or Float32.
func tensorAs(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(slices.Clone(values), dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

// doubles returns the content of a tensor of either precision, in float64.
func doubles(t *tensors.Tensor) ([]float64, error) {
	if t.DType() == dtypes.Float64 {
		return tensors.CopyFlatData[float64](t)
	}
	single, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(single))
	for i, v := range single {
		values[i] = float64(v)
	}
	return values, nil
}

// collect puts the draws of a block into the rows of out from row first on. It leaves out draws
// that would fall outside the rows of out; first may be negative.
func (c *Compiled) collect(out *mat.Dense, x *tensors.Tensor, first int) error {
	values, err := doubles(x)
	if err != nil {
		return err
	}
	draws, d := out.Dims()
	for k := max(0, -first); k < c.block && first+k < draws; k++ {
		out.SetRow(first+k, values[k*d:(k+1)*d])
	}
	return nil
}
