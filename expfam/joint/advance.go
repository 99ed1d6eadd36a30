package joint

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

// state is a draw on its way: a member of the pool, and a chain in the coordinates w of its field.
type state struct {
	*member
	*latent.Chain
	i      int     // number of the draw
	accept float64 // sum of the acceptance probabilities
	more   float64 // of a proposal: what the targets lack of the log ratio of the densities
}

// advance takes the steps of draws, writes where they end, and returns those that ended. Of more draws than a block on
// each core only so many go on after ctx ends.
func (r *run) advance(ctx context.Context, states []*state, step func()) []*state {
	r.each(states, func(w *latent.Walker, states []*state) {
		for _, s := range states {
			copy(s.U, r.near(w.Density, s.Chain, s.mean))
			step()
		}
		w.Start(chains(states)...)
	})
	for k := range r.steps {
		if ctx.Err() != nil {
			states = states[:min(len(states), latent.Width*runtime.GOMAXPROCS(0))]
		}
		r.each(states, func(w *latent.Walker, states []*state) {
			w.Move(length, chains(states)...)
			for _, s := range states {
				s.accept += s.Accept
				step()
			}
		})
		for m := k * r.moves / r.steps; m < (k+1)*r.moves/r.steps; m++ {
			r.move(states)
		}
	}
	if r.moves > 0 {
		if r.cells <= leaveCells {
			r.leave(states)
		}
		r.each(states, func(w *latent.Walker, states []*state) { w.Move(length, chains(states)...) })
	}
	r.each(states, func(_ *latent.Walker, states []*state) {
		var x [][]float64
		for _, s := range states {
			x = append(x, r.x.RawRowView(s.i))
			copy(r.t.RawRowView(s.i), s.t)
			if r.accept[s.i] = s.accept / float64(max(1, r.steps)); r.sparse != nil {
				r.note(s.i, s.U, s.Slope)
			}
		}
		states[0].target.Place(latent.Columns(chains(states)), x...)
	})
	return states
}

// each calls do for the draws at each member, in blocks on all cores.
func (r *run) each(states []*state, do func(w *latent.Walker, states []*state)) {
	var blocks [][]*state
	at := map[*member]int{}
	for _, s := range states {
		k, ok := at[s.member]
		if !ok || len(blocks[k]) == latent.Width {
			k = len(blocks)
			at[s.member], blocks = k, append(blocks, nil)
		}
		blocks[k] = append(blocks[k], s)
	}
	_ = parallel.Each(runtime.GOMAXPROCS(0), len(blocks), func(_, k int) error {
		do(r.walker(blocks[k][0].target), blocks[k])
		return nil
	})
}

func chains(states []*state) (all []*latent.Chain) {
	for _, s := range states {
		all = append(all, s.Chain)
	}
	return all
}

// walker returns a walker of a target. With a sparse precision a gradient costs more than a turn, which lets steps be
// longer.
func (r *run) walker(t target) *latent.Walker {
	return &latent.Walker{Density: t.Density(), Turns: r.sparse != nil}
}

// move goes to other members with the same w, by the ratios of the densities.
func (r *run) move(states []*state) {
	to := make([]*state, len(states))
	for k, s := range states {
		c := r.pool.pick(s.Random.Float64())
		to[k] = s.at(c, c.excess-s.excess)
	}
	r.tried.Add(int64(len(states)))
	r.accepted.Add(r.accepts(states, to))
}

// leave moves the parameters off the members, by a node at most along each axis, so that draws of few cells have values
// of their own.
func (r *run) leave(states []*state) {
	var some, to []*state
	for _, s := range states {
		z := slices.Clone(s.z)
		for k := range z {
			z[k] += 2*s.Random.Float64() - 1
		}
		if c, err := r.member(z, true); err == nil {
			some, to = append(some, s), append(to, s.at(c, c.logScale-s.logScale))
		}
	}
	r.accepts(some, to)
}

// at proposes another member to a draw, with the same w.
func (s *state) at(c *member, more float64) *state {
	chain := *s.Chain
	chain.Slope = make([]float64, len(s.U))
	return &state{member: c, Chain: &chain, i: s.i, more: more}
}

// accepts lets draws go to other members with the probabilities that the ratios of the densities are. It returns how
// many went.
func (r *run) accepts(states, to []*state) (accepted int64) {
	logs := make([]float64, len(states))
	for k, s := range states {
		logs[k] = math.Log(s.Random.Float64())
	}
	r.each(slices.DeleteFunc(slices.Clone(to), func(s *state) bool { return s.target.Rank() != len(s.U) }),
		func(w *latent.Walker, to []*state) { w.Start(chains(to)...) })
	for k, s := range states {
		if to := to[k]; to.target.Rank() == len(s.U) && logs[k] < to.LogP+to.more-s.LogP {
			s.member, s.LogP, s.Slope = to.member, to.LogP, to.Slope
			accepted++
		}
	}
	return accepted
}
