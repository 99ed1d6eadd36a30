package diffusion

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
)

// run is how the data at hand are sampled. Data without special demands have the method's own steps and the graphs
// that [Compile] made.
type run struct {
	*setup
	moments *moments
	method  Method
	steps   []Step // of method
	graphs  *graphs
	data    [][2]*tensors.Tensor // statistics and sizes, a copy for each worker: a call locks its arguments
}

// run returns the run for observations, or an error that says why the posterior of these data cannot be sampled.
func (c *Compiled) run(ctx context.Context, obs expfam.Observations) (*run, error) {
	plain, err := c.compiler.ready(c.plain())
	if err != nil {
		return nil, err
	}
	if c.moments == nil {
		if c.moments, err = c.compiler.moments(plain); err != nil {
			return nil, err
		}
	}
	r := &run{setup: c.setup, moments: c.moments, method: c.sampler.Method, steps: c.steps, graphs: plain}
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
	if r.graphs, err = c.compiler.ready(v); err != nil {
		return nil, err
	}
	demand, err := info.demand(c.model, c.moments.mean)
	if err != nil {
		return nil, err
	}
	if err := r.resolved(ctx, info); err != nil {
		return nil, err
	}
	return r, r.refine(demand, info.sharpest, c.compiler.ready)
}

// refine adapts the method of a run to the demand. The diffusion does not go below the noise
// levels that the prior serves ([expfam.Ranged]). If the method ends at a level too high for the
// sharpest cell, its last step adds the missing variance, or refine returns an error.
func (r *run) refine(demand Demand, sharpest extreme, ready func(variant) (*graphs, error)) (err error) {
	if p, ok := r.prior.(expfam.Ranged); ok {
		low, _ := p.Range()
		demand.End = max(demand.End, low)
	}
	if m, ok := r.method.(Refiner); ok && (demand.End < endOf(r.steps) || demand.Misfit > surprising) {
		r.method = m.Refine(demand)
		if r.steps, err = r.trajectory(r.method, r.sampler.Guidance, r.setup.steps); err != nil {
			return err
		}
	}
	end := endOf(r.steps)
	if r.steps[len(r.steps)-1].draws() { // a draw of x₀ lacks no variance
		return nil
	}
	if sharpest.value >= endings*end*0.999 { // 0.999 allows for the rounding of the time that belongs to end
		return nil
	}
	if v := r.graphs.variant; r.graphs.knows && r.steps[len(r.steps)-1].estimates() {
		v.rest = true
		r.graphs, err = ready(v)
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
	if many, ok := r.covariance.(*productCovariance); ok && widest < wideColumn && many.lines() {
		if r.linear() {
			return fmt.Sprintf("behind an operator the %d cells of %v are taken for a line: if they are a grid, take "+
				"a prior that knows it, such as gmrf.Prior.Field, or use gmrf.Sample", r.prior.Dim(), r.prior)
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
