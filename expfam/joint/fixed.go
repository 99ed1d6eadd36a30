package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// skewed is the shift of the mean of a cell off its mode, in standard deviations, from which draws of Laplace's
	// approximation are not taken as they are. Its correction to first order leaves an error of the size of the square.
	// farSkewed is the root mean square of the shifts of all cells from which the approximation is only a start.
	skewed, farSkewed = 0.15, 0.3
	// mostExact is the time on a processor that exact draws may take where the approximation is near, and farExact
	// where it is far off.
	mostExact, farExact = 2, 20
	// placesSeconds is the time that values of the parameters may take, and leastPlaces and mostPlaces bound their
	// number.
	placesSeconds, leastPlaces, mostPlaces = 0.6, 24, 256
	// heldBytes is the memory that approximations at all places may take. Where they need more they are made twice.
	heldBytes = 1 << 25
	// mostTransitions bounds the transitions of a draw at fixed values of the parameters.
	mostTransitions = 40
)

// place has values of the parameters at which draws of the field are made.
type place struct {
	z, t, mode []float64
	around     *latent.Around // or nil
	sum        float64        // of the weights up to this place
}

// draws makes all draws and returns how many are finished. After an interrupt these are the first ones.
func (r *run) draws(ctx context.Context) (int, error) {
	known := len(r.parameters) == 0
	if !known && !r.model.approximate {
		return r.draw(ctx)
	}
	enough, err := r.enough()
	if err != nil {
		return 0, err
	}
	if !known && (!enough || r.proposal.split == nil) {
		return r.draw(ctx)
	}
	if r.begin, err = r.places(ctx); err != nil {
		return 0, err
	}
	return r.fixed(ctx)
}

// enough reports whether Laplace's approximation at few values of the parameters is enough: draws of the joint
// posterior cost more, and they are not needed or cannot be had. It chooses the transitions of draws at these values.
func (r *run) enough() (bool, error) {
	worst, whole, err := shifts(r.centre)
	if err != nil {
		return false, err
	}
	factor, gradient := r.sparse.Operations()
	transition := 10 * (2*gradient/1.5e9 + 3e-7*float64(r.cells))
	budget := 1. * mostExact
	if whole > farSkewed {
		budget = farExact
	}
	r.steps = 0
	if n := int(budget / (transition * float64(r.o.Draws))); worst > skewed && n >= 3 {
		r.steps, r.skewed = min(n, mostTransitions), true
		r.adapt(r.centre)
	}
	seconds := float64(r.size(r.o.Draws))*2*factor/1.5e9 + float64(r.o.Draws)*4*transition
	return seconds > budget || worst < skewed && seconds > mostExact, nil
}

// shifts returns the largest shift of the mean of a cell off its mode, in standard deviations, and their root mean
// square.
func shifts(a *latent.Around) (most, rms float64, err error) {
	if err := a.Whiten(); err != nil {
		return 0, 0, err
	}
	z, variances := a.Moments()
	mean, mode := make([]float64, len(variances)), make([]float64, len(variances))
	a.Place(z, mean)
	clear(z)
	a.Place(z, mode)
	for i, v := range variances {
		if v > 0 {
			off := math.Abs(mean[i]-mode[i]) / math.Sqrt(v)
			most, rms = math.Max(most, off), rms+off*off/float64(len(mean))
		}
	}
	return most, math.Sqrt(rms), nil
}

// evenly returns n points of a sequence that fills the unit cube of p dimensions evenly (Roberts 2018: multiples of
// powers of the root of g^(p+1) = g + 1).
func evenly(n, p int) [][]float64 {
	g := 2.
	for range 40 {
		g = math.Pow(1+g, 1/float64(p+1))
	}
	points := make([][]float64, n)
	for k := range points {
		for i := range p {
			_, u := math.Modf(0.5 + float64(k)/math.Pow(g, float64(i+1)))
			points[k] = append(points[k], u)
		}
	}
	return points
}

// places returns values of the parameters by the proposal, at even points, weighted by their Laplace evidence.
func (r *run) places(ctx context.Context) ([]place, error) {
	p := len(r.parameters)
	if p == 0 {
		return []place{{around: r.centre, sum: 1}}, nil
	}
	n := int(math.Min(math.Max(placesSeconds/(4*r.sparse.Seconds()), leastPlaces), mostPlaces))
	points := evenly(n, p)
	all, logs, errs := make([]place, n), make([]float64, n), make([]error, n)
	search := pace.Search(ctx, "joint", "values of the parameters are weighed", "point", n)
	parallel.For(n, parallel.Heavy, func(k int) {
		z := r.proposal.quantiles(points[k])
		t := r.proposal.at(z)
		logs[k] = math.Inf(-1)
		if errs[k] = ctx.Err(); errs[k] != nil {
			return
		}
		var a *latent.Around
		if logs[k], a = r.weigh(t); a != nil {
			logs[k] -= r.proposal.log(z)
			if all[k] = (place{z: z, t: t, mode: a.Mode}); float64(n)*r.sparse.Bytes() < heldBytes {
				all[k].around = a
			}
		}
		search.Step(math.NaN())
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
	}
	total := floats.LogSumExp(logs)
	if math.IsInf(total, -1) {
		return nil, errors.New("joint: the evidence is nowhere finite near its largest value; give some parameters")
	}
	sum := 0.0
	for k := range all {
		sum += math.Exp(logs[k] - total)
		all[k].sum = sum
	}
	return all, nil
}

// quantiles returns the point of a design at which the proposal has these probabilities below it along each axis.
func (p *proposal) quantiles(u []float64) []float64 {
	student, z := distuv.StudentsT{Sigma: 1, Nu: freedom}, make([]float64, len(u))
	for k, s := range p.split {
		if side := s[0] / (s[0] + s[1]); u[k] < side {
			z[k] = -s[0] * student.Quantile(1-u[k]/side/2)
		} else {
			z[k] = s[1] * student.Quantile(1-(1-u[k])/(1-side)/2)
		}
	}
	return z
}

// pick returns the place at the probability u.
func (r *run) pick(u float64) int {
	return sort.Search(len(r.begin)-1, func(k int) bool { return r.begin[k].sum > u })
}

// fixed makes the draws at the places. Draw k has the place at a multiple of the golden ratio among their weights.
func (r *run) fixed(ctx context.Context) (int, error) {
	n, places := r.o.Draws, r.begin
	r.allocate(n)
	r.proposal.order = make([][8]int, len(places))
	progress := pace.New(ctx, "joint", fmt.Sprintf("%d draws of %d cells", n, r.cells), n)
	members := make([][]int, len(places))
	phase := expfam.Stream(r.o.Seed, "joint/nodes").Float64()
	for i := range n {
		_, u := math.Modf(phase + float64(r.o.First+i)*math.Phi)
		k := r.pick(u)
		members[k] = append(members[k], i)
	}
	finished, failed := make([]bool, n), make([]error, len(places))
	parallel.For(len(places), parallel.Heavy, func(k int) {
		if len(members[k]) > 0 && ctx.Err() == nil {
			failed[k] = r.at(ctx, places[k], members[k], finished, progress)
		}
	})
	if err := errors.Join(failed...); err != nil {
		return 0, fmt.Errorf("joint: %w", err)
	}
	done := 0
	for done < n && finished[done] {
		done++
	}
	if done == 0 {
		return 0, fmt.Errorf("joint: %w before the first draw", expfam.ErrInterrupted)
	}
	return done, nil
}

// near returns a point from which transitions start: a draw of the approximation around the mean. Of a skewed posterior
// it is one of several, by their weights: the ratios of the posterior density and the density of the approximation
// (Rubin 1988, sampling-importance resampling). A draw that lies far off, where a log rate is large, would hardly move.
func (r *run) near(density latent.Density, c *latent.Chain, mean []float64) []float64 {
	candidates := 1
	if r.skewed {
		candidates = latent.Width
	}
	points, half := make([]float64, len(c.U)*candidates), make([]float64, candidates)
	for k := range candidates {
		for i := range c.U {
			v := c.Random.NormFloat64()
			half[k] += v * v / 2
			if mean != nil {
				v += mean[i]
			}
			points[i*candidates+k] = v
		}
	}
	if !r.skewed {
		return points
	}
	// The candidate with the largest log weight plus Gumbel noise is a draw by the weights.
	weights, best := make([]float64, candidates), make([]float64, len(c.U))
	density(points, make([]float64, len(points)), weights)
	for k := range weights {
		weights[k] += half[k] - math.Log(c.Random.ExpFloat64())
	}
	top := floats.MaxIdx(weights)
	for i := range best {
		best[i] = points[i*candidates+top]
	}
	return best
}

// at makes the draws of a place.
func (r *run) at(ctx context.Context, p place, members []int, finished []bool, progress *pace.Pace) error {
	if ctx.Err() != nil {
		return nil
	}
	a := p.around
	if a == nil {
		values := r.values(p.t)
		data, err := r.tuner(values[r.own:])
		if err != nil {
			return err
		}
		if a, err = r.sparse.Mode(context.WithoutCancel(ctx), values[:r.own], data, p.mode); err != nil {
			return err
		}
	}
	if err := a.Whiten(); err != nil {
		return err
	}
	mean, _ := a.Moments()
	for len(members) > 0 && ctx.Err() == nil {
		some := members[:min(latent.Width, len(members))]
		members = members[len(some):]
		all, x := make([]*latent.Chain, len(some)), make([][]float64, len(some))
		walker := r.walker(a)
		for k, i := range some {
			all[k] = latent.NewChain(len(mean), r.step, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/draw-%d", r.o.First+i)))
			copy(all[k].U, r.near(walker.Density, all[k], mean))
		}
		walker.Start(all...)
		for range r.steps {
			walker.Move(length, all...)
			for k, i := range some {
				r.accept[i] += all[k].Accept / float64(r.steps)
			}
		}
		for k, i := range some {
			x[k] = r.x.RawRowView(i)
			copy(r.t.RawRowView(i), p.t)
			r.note(i, all[k].U, all[k].Slope)
			finished[i] = true
			progress.Step(math.NaN())
		}
		a.Place(latent.Columns(all), x...)
	}
	return nil
}
