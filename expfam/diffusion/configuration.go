package diffusion

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// configuration is how a run samples the data at hand. Data without special demands have the method's
// own steps and the graphs that [Compile] made.
type configuration struct {
	method Method
	steps  []Step
	graphs *graphs
}

// The limits by which data are judged. TestStress of package benchmark measures on random
// configurations how accurate posteriors are within these limits.
const (
	// maxFar is the largest distance of a cell's mode from the prior's mean, in
	// prior standard deviations.
	maxFar = 30
	// maxMisfit is the largest misfit per cell with data; see [Demand].
	maxMisfit = 100
	// maxRounding is the largest change, in nats, that rounding may make to a log-likelihood.
	// The weights of a quadrature change by the same amount in relative terms.
	maxRounding = 0.02
	// maxTight is the largest s²h of a cell in Float32. The nodes of a quadrature in Float32
	// lose a posterior that is narrower than s/√maxTight.
	maxTight = 1e5
	// maxFaint is the smallest posterior standard deviation, as a multiple of the rounding
	// error of x₀.
	maxFaint = 50
	// coupledTight is the s²h above which three steps of conjugate gradients leave an error
	// where cells are strongly coupled. Above coupledTighter eight steps leave one too.
	coupledTight, coupledTighter = 30, 1e4
	// joinedTight is the same limit for the data of all cells: the largest eigenvalue of √W K √W, with the precisions W
	// of their sites. Under a smooth curve of 300, 400 and 500 cells it is 400, 510 and 600, and after three steps the
	// sd of draws is 1.1, 1.4 and 8 times as large as it should be. On a map of 64×64 cells it is 35, and the sd is
	// 1.26 times as large. Eight steps are exact to 0.002 there.
	joinedTight, joinedTighter = 10, 1e5
	// endings is the smallest posterior standard deviation as a multiple of the last noise
	// level. An estimate of x₀ at that level lacks the share 1/(2·endings²) of the standard
	// deviation, 2 percent.
	endings = 5
	// leastEnding is the same multiple for a method that cannot be refined. The estimate then
	// lacks up to 12 percent. On the paper's own benchmark its sampler has a multiple of 5.
	leastEnding = 2
)

// configure returns the configuration for observations, or an error that says why the posterior of
// these data cannot be sampled.
func (c *Compiled) configure(ctx context.Context, obs expfam.Observations) (configuration, error) {
	plain, err := c.ready(c.plain())
	if err != nil {
		return configuration{}, err
	}
	set := configuration{c.sampler.Method, c.steps, plain}
	if err := c.priorMoments(); err != nil {
		return set, err
	}
	info, found, err := c.diagnose(ctx, obs)
	if err != nil || !found {
		return set, err
	}
	if far := info.farthest; far.value > maxFar {
		return set, fmt.Errorf("sample: %s %d: the data put x₀ at %.4g, %.3g standard deviations from the prior's "+
			"mean %.3g; check their units and exposures, or put location and scale into the link",
			c.place(), far.cell, far.mode, far.value, far.mean)
	}
	v, err := c.variantFor(info)
	if err != nil {
		return set, err
	}
	if set.graphs, err = c.ready(v); err != nil {
		return set, err
	}
	demand := Demand{End: info.sharpest.value / endings}
	if l, ok := c.prior.(expfam.Linear); ok {
		demand.Misfit = info.misfit(c.dataPrior(l))
		if demand.Misfit > maxMisfit {
			return set, fmt.Errorf("sample: the data are no draw of this model: their squared distance from what "+
				"%v expects is %.3g per cell, where 1 is usual (%s %d is %.3g standard deviations off by itself); "+
				"check the data, give the prior a nugget, or take a family with overdispersion",
				c.prior, demand.Misfit, c.place(), info.farthest.cell, info.farthest.value)
		}
	}
	return c.refine(set, demand, info.sharpest)
}

// variantFor returns the variant of the graphs that data with this diagnosis need: the types of
// numbers, the steps of conjugate gradients and the Newton steps.
func (c *Compiled) variantFor(info diagnosis) (variant, error) {
	v := c.plain()
	q, quadrature := c.sampler.Guidance.(Quadrature)
	if v.dtype != dtypes.Float64 {
		coarse := info.coarsest.value*epsilon(v.dtype) > maxRounding || info.tightest.value > maxTight ||
			info.largest > math.MaxFloat32
		faint := info.faintest.value < maxFaint*epsilon(v.dtype)
		if coarse || faint {
			v.data = dtypes.Float64
		}
		if faint || coarse && !quadrature {
			v.dtype = dtypes.Float64
		}
	}
	if e := info.coarsest; e.value*epsilon(v.data) > maxRounding {
		return v, fmt.Errorf("sample: %s %d: the log-likelihood is a difference of terms of size %.3g, which %v "+
			"does not resolve; subtract what is constant in the link from the data",
			c.place(), e.cell, e.value, v.data)
	}
	if e := info.faintest; e.value < maxFaint*epsilon(v.dtype) {
		return v, fmt.Errorf("sample: %s %d: the data fix x₀ = %.4g to %.2g of itself, which %v does not resolve; "+
			"put its location and scale into the link",
			c.place(), e.cell, e.mode, e.value, v.dtype)
	}
	if quadrature && q.Newton == 0 && info.newton > usualNewton+patience {
		if v.newton = mostNewton / 2; info.newton > v.newton-patience {
			v.newton = mostNewton
		}
	}
	prior, linear := c.prior.(expfam.Linear)
	averaged := c.prior.Dim() <= wholeCells && !affine.in(c.steps) // drawn steps take no steps of conjugate gradients
	if quadrature && c.forward.Plain() && q.Steps == 0 && !q.Independent && linear && !averaged {
		switch coupling := info.coupling(prior); {
		case info.tightest.value > coupledTighter || coupling > joinedTighter:
			v.solve = min(20, c.prior.Dim())
		case info.tightest.value > coupledTight || coupling > joinedTight:
			v.solve = min(8, c.prior.Dim())
		}
	}
	return v, nil
}

// refine adapts the method of a configuration to the demand. The diffusion does not go below the noise
// levels that the prior serves ([expfam.Ranged]). If the method ends at a level too high for the
// sharpest cell, its last step adds the missing variance, or refine returns an error.
func (c *Compiled) refine(set configuration, demand Demand, sharpest extreme) (configuration, error) {
	if r, ok := c.prior.(expfam.Ranged); ok {
		low, _ := r.Range()
		demand.End = max(demand.End, low)
	}
	if m, ok := set.method.(Refiner); ok && (demand.End < endOf(set.steps) || demand.Misfit > surprising) {
		var err error
		set.method = m.Refine(demand)
		if set.steps, err = c.trajectory(set.method); err != nil {
			return set, err
		}
	}
	end := endOf(set.steps)
	if set.steps[len(set.steps)-1].draws() { // a draw of x₀ lacks no variance
		return set, nil
	}
	if sharpest.value >= endings*end*0.999 { // 0.999 allows for the rounding of the time that belongs to end
		return set, nil
	}
	if v := set.graphs.variant; set.graphs.knows && set.steps[len(set.steps)-1].estimates() {
		v.rest = true
		var err error
		set.graphs, err = c.ready(v)
		return set, err
	}
	if sharpest.value < leastEnding*end {
		return set, fmt.Errorf("sample: %s %d: the data fix x₀ to %.2g, and %v ends at noise of %.2g; use "+
			"Restarts, Multistep or ODE, which go lower",
			c.place(), sharpest.cell, sharpest.value, set.method, end)
	}
	return set, nil
}

// endOf returns the lowest noise level of a trajectory, or the noise S of its last step if that
// step adds noise.
func endOf(steps []Step) float64 {
	end := math.Inf(1)
	if last := steps[len(steps)-1]; last.S > 0 {
		return last.S
	}
	for _, s := range steps {
		end = min(end, s.Level.Sigma())
	}
	return end
}

// priorMoments finds the mean and the standard deviation of the prior's cells, once. It takes them from
// one step without data, from x_t = 0 at the first noise level, where x_t says nothing about x₀.
func (c *Compiled) priorMoments() error {
	if c.mean != nil {
		return nil
	}
	g, err := c.ready(c.plain())
	if err != nil {
		return err
	}
	d, batch := c.prior.Dim(), c.block
	zero := make([]float64, batch*d)
	draws := func() *tensors.Tensor { return tensorAs(g.dtype, zero, batch, d) }
	none := make([]float64, c.forward.Data())
	data := func() *tensors.Tensor { return tensorAs(g.data, none, 1, len(none)) }
	row := c.scalars(g, Step{Level: c.steps[0].Level, B: 1}, false)
	used := []*tensors.Tensor{draws(), draws(), draws(), data(), data(), tensorAs(g.dtype, row, 1, len(row))}
	k, exec := g.any()
	if dims := c.tableDims(k); dims != nil {
		used = append(used, tensorAs(g.dtype, c.independent(k), dims...))
	}
	if k == drawn { // with zero noise the draw is the mean
		used = append(used, tensorAs(g.dtype, make([]float64, batch*(d+len(none))), batch, d+len(none)))
	}
	out, err := exec.Call(arguments(used)...)
	if err != nil {
		return fmt.Errorf("sample: the moments of the prior: %w", err)
	}
	mean, err := doubles(out[outEstimate])
	if err != nil {
		return err
	}
	sd, err := doubles(out[outVar])
	if err != nil {
		return err
	}
	for j, v := range sd {
		sd[j] = math.Sqrt(v)
	}
	c.mean, c.sd = mean[:d], sd
	return engine.Release(append(used, out...)...)
}
