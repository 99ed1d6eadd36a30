package diffusion

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/speak"
)

// run is how the data at hand are sampled. Data without special demands have the method's own steps and the graphs
// that [Compile] made.
type run struct {
	*setup
	moments *moments
	method  Method
	steps   []Step // of method
	graphs  *graphs
	imputed []float64            // precisions of imputed values, see imputation.go; nil if there are none
	uneven  float64              // see [diagnosis.imputed]
	data    [][2]*tensors.Tensor // statistics and sizes, a copy for each worker: a call locks its arguments
}

// run returns the run for observations, or an error that says why the posterior of these data cannot be sampled.
func (c *Compiled) run(ctx context.Context, obs expfam.Observations) (*run, error) {
	plain, err := c.compiler.ready(c.plain(), c.steps)
	if err != nil {
		return nil, err
	}
	if c.moments == nil {
		if c.moments, err = c.compiler.moments(plain); err != nil {
			return nil, err
		}
	}
	r := &run{setup: c.setup, moments: c.moments, method: c.sampler.Method, steps: c.steps, graphs: plain}
	if out := c.forward.Outside(c.prior, obs); out != nil {
		speak.Logger(ctx).Warn("sample: " + out.String())
	}
	info, found, err := c.diagnose(ctx, c.moments, obs)
	if err != nil || !found {
		return r, err
	}
	if err := info.possible(c.model); err != nil {
		return nil, err
	}
	v, err := info.variant(c.setup)
	if err != nil {
		return nil, err
	}
	demand, err := info.demand(c.model, c.moments.mean)
	if err != nil {
		return nil, err
	}
	if err := r.resolved(ctx, info); err != nil {
		return nil, err
	}
	if r.imputed, r.uneven = info.imputed(r.setup); r.imputed != nil {
		demand.Gaps = observedShare(r.imputed)
	}
	return r, r.refine(demand, info.sharpest, v, c.compiler)
}

// refine adapts the method of a run to the demand, and takes the graphs of the variant for its steps. The diffusion
// does not go below the noise levels that the prior serves ([expfam.Ranged]). If the method ends at a level too high
// for the sharpest cell, its last step adds the missing variance, or refine returns an error.
func (r *run) refine(demand Demand, sharpest extreme, v variant, c *compiler) (err error) {
	if p, ok := r.prior.(expfam.Ranged); ok {
		low, _ := p.Range()
		demand.End = max(demand.End, low)
	}
	if m, ok := r.method.(Refiner); ok && (demand.End < endOf(r.steps) || demand.Misfit > surprising ||
		demand.Faint || demand.Gaps > 0) {
		r.method = m.Refine(demand)
		if r.steps, err = r.trajectory(r.method, r.sampler.Guidance, r.setup.steps); err != nil {
			return err
		}
	}
	if r.graphs, err = c.ready(v, r.steps); err != nil {
		return err
	}
	end, last := endOf(r.steps), r.steps[len(r.steps)-1]
	if last.draws() { // a draw of x₀ lacks no variance
		return nil
	}
	if sharpest.value >= endings*end*0.999 { // 0.999 allows for the rounding of the time that belongs to end
		return nil
	}
	if r.graphs.knows && last.ends() {
		v.rest = true
		r.graphs, err = c.ready(v, r.steps)
		return err
	}
	if sharpest.value < leastEnding*end {
		return fmt.Errorf("sample: %s %d: the data fix x₀ to %.2g, and %v ends at noise of %.2g; use "+
			"Restarts, Multistep or ODE, which go lower",
			r.forward.Place(), sharpest.cell, sharpest.value, r.method, end)
	}
	return nil
}

// wideColumn is the prior standard deviation of what a datum looks at, by one cell alone, from which that cell has the
// wrong unit: a rate would vary by the factor e^30.
const wideColumn = 30

// advice says what to do about draws that diverge. An operator whose weights have another unit than the prior's cells,
// such as a covariate in metres, is the cause that stands in the data.
func (r *run) advice() string {
	cell, weight, widest := 0, 0.0, 0.0
	data := 0
	for _, s := range r.forward.Parts {
		if s.H == nil {
			continue
		}
		for i, j := range s.H.Cell {
			if v := math.Abs(s.H.Weight[i]) * r.moments.sd[j]; v > widest {
				cell, weight, widest, data = j, s.H.Weight[i], v, s.Rows
			}
		}
	}
	if widest < wideColumn {
		return "use more steps, a guidance with covariance correction, or check the data"
	}
	name := fmt.Sprintf("cell %d of the prior", cell)
	if cell >= data { // operator.Design has the cells of the field first
		name = fmt.Sprintf("column %d of the design (cell %d of the prior)", cell-data, cell)
	}
	return fmt.Sprintf("%s has values up to %.4g in the operator, and its prior a standard deviation of %.3g, so "+
		"that a datum varies by %.3g: "+
		"centre and rescale it, for example kilometres for metres, or give its prior a smaller standard deviation",
		name, weight, r.moments.sd[cell], widest)
}

// block is the state of some draws between two steps: x, the estimate D' of the step before, and what was imputed at
// the last return, nil if nothing was.
type block struct{ x, previous, imputed *tensors.Tensor }

// release frees the state.
func (b block) release() error {
	all := []*tensors.Tensor{b.x, b.previous}
	if b.imputed != nil {
		all = append(all, b.imputed)
	}
	return engine.Release(all...)
}

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
	data              [2]*tensors.Tensor // statistics and sizes of the observations
}

// step moves a block by one evaluation of a graph, and returns its view of the draws.
func (r *run) step(exec *graph.Exec, b *block, in stepInputs) (seen view, err error) {
	results, err := r.evaluate(r.graphs, exec, b, in)
	if err != nil {
		return seen, err
	}
	var values [4]float64
	for k := range values {
		value, err := float64s(results[outNorm+k])
		if err != nil {
			return seen, err
		}
		values[k] = value[0]
	}
	if err := engine.Release(append(results[outNorm:], b.x, b.previous)...); err != nil {
		return seen, err
	}
	b.x, b.previous = results[outX], results[outEstimate]
	return view{values[0], values[1], values[2], values[3]}, nil
}

// evaluate returns the outputs of a graph of a step at a block. It leaves the block as it is.
func (s *setup) evaluate(g *graphs, exec *graph.Exec, b *block, in stepInputs) ([]*tensors.Tensor, error) {
	z, scalars := tensorAs(g.dtype, in.noise, s.block, s.prior.Dim()), tensorAs(g.dtype, in.row, 1, len(in.row))
	own := []*tensors.Tensor{z, scalars}
	args := []*tensors.Tensor{b.x, b.previous, z, in.data[0], in.data[1], scalars}
	if in.table != nil {
		t := tensorAs(g.dtype, in.table, s.covariance.tableDims(in.kind)...)
		own, args = append(own, t), append(args, t)
	}
	if s.imputes(in.kind) {
		if b.imputed == nil { // none yet
			d := s.prior.Dim()
			b.imputed = tensorAs(g.dtype, make([]float64, 2*s.block*d), s.block, 2*d)
		}
		args = append(args, b.imputed)
	}
	if in.more != nil {
		t := tensorAs(g.dtype, in.more, s.block, len(in.more)/s.block)
		own, args = append(own, t), append(args, t)
	}
	results, err := exec.Call(arguments(args)...)
	return results, errors.Join(err, engine.Release(own...))
}

// newBlock returns the state of draws at x before the first step.
func (s *setup) newBlock(g *graphs, x []float64) block {
	return block{x: tensorAs(g.dtype, x, s.block, s.prior.Dim()),
		previous: tensorAs(g.dtype, make([]float64, len(x)), s.block, s.prior.Dim())}
}
