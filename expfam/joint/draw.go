package joint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

const (
	// length is the length of a trajectory, a quarter of the period under a normal distribution.
	length = math.Pi / 2
	// pilots is the number of draws of the trial that chooses the number of steps.
	pilots = 24
	// mostMoves is the largest number of moves of the parameters of a draw, and offMoves how many times more they are
	// where the Laplace evidence is off.
	mostMoves, offMoves = 40, 8
	// left is the share of a first deviation that the steps leave.
	left = 0.02
	// largeCells is the number of cells from which draws share a pool of values of the parameters.
	largeCells = 150
	// leastSteps is the least number of transitions of the field where it costs more than a proposal of the parameters:
	// in its coordinates it hardly depends on these, so it forgets sooner where it began.
	leastSteps = 4
	// mostStates is the memory of the points of draws that go together, in bytes.
	mostStates = 1 << 28
)

// run makes the draws of a model.
type run struct {
	*model
	proposal *proposal
	o        Options
	step     float64        // of the leapfrog
	steps    int            // of the field
	moves    int            // of the parameters, among these
	skewed   bool           // Laplace's approximation is far off, under a sparse precision
	off      bool           // the Laplace evidence of the parameters is
	centre   *latent.Around // under a sparse precision, at the first node
	begin    []place        // of draws at fixed values of the parameters
	pool     *pool          // of values of the parameters, or nil if each draw has its own
	x, t     *mat.Dense     // the draws of the field, and of the scores

	// Coordinates and scores of the draws under a sparse precision, for the certificate.
	position, score *mat.Dense

	tried, accepted atomic.Int64
	accept          []float64 // mean acceptance of the field's steps, by draw
}

// candidate has values of the parameters, and the field there.
type candidate struct {
	t      []float64
	target target
	// excess is what the log density of the target lacks of that of the joint posterior over that of proposals.
	excess float64
}

// state is a draw on its way: a candidate, and a chain in the coordinates w of its field.
type state struct {
	*candidate
	*latent.Chain
	i      int     // number of the draw
	accept float64 // sum of the acceptance probabilities
	next   *state  // that is proposed, or nil
}

// run returns the run that makes draws, at the nodes of the parameters.
func (m *model) run(l *lattice, o Options) (*run, error) {
	off := m.correct(l, o.Seed)
	r := &run{model: m, proposal: newProposal(l), o: o, steps: 1, off: off}
	if m.sparse == nil {
		return r, nil
	}
	var err error
	if r.centre, err = m.mode(l.node(l.order[0])); err != nil {
		return nil, fmt.Errorf("joint: %w", err)
	}
	return r, r.centre.Whiten()
}

// adapt chooses the step size at a target.
func (r *run) adapt(target target) {
	rng := expfam.Stream(r.o.Seed, "joint/step")
	adapt := latent.NewAdapt(target.Rank(), 0.9)
	walker, chain := r.walker(target), latent.NewChain(target.Rank(), 0, rng)
	walker.Start(chain)
	for range 60 {
		chain.Step = adapt.Step()
		walker.Move(length, chain)
		adapt.Update(chain.Accept)
	}
	r.step = adapt.Final()
}

// prepare chooses the step size and the number of steps in a trial.
func (r *run) prepare(ctx context.Context) error {
	if r.cells > largeCells {
		var err error
		if r.pool, err = r.newPool(ctx); err != nil {
			return err
		}
	}
	target, err := r.target(r.proposal.node(r.proposal.order[0]))
	if err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	r.adapt(target)
	transitions := r.steps
	r.steps, r.moves = 1, 1
	r.allocate(pilots)
	if _, err := r.make(ctx, pilots, "trial", 0, func() {}); err != nil {
		return err
	}
	r.moves = stepsFor(r.rate())
	if r.off {
		r.moves = min(mostMoves, offMoves*r.moves)
	}
	if r.steps = r.moves; r.pool != nil {
		r.steps = min(r.moves, max(leastSteps, (r.moves+2)/3))
	}
	if r.skewed {
		r.steps = max(r.steps, transitions)
	}
	r.tried.Store(0)
	r.accepted.Store(0)
	return nil
}

// stepsFor returns the number of steps for a share of proposals that are accepted. A step forgets the first
// place with the probability that its proposal is accepted.
func stepsFor(rate float64) int {
	kept := 1 - math.Min(0.99, rate)
	return int(math.Min(mostMoves, math.Max(3, math.Ceil(math.Abs(math.Log(left)/math.Log(kept))))))
}

// rate returns the share of proposals of parameters that were accepted.
func (r *run) rate() float64 {
	return float64(r.accepted.Load()) / math.Max(1, float64(r.tried.Load()))
}

func (r *run) allocate(draws int) {
	r.x, r.t = mat.NewDense(draws, r.cells, nil), mat.NewDense(draws, max(1, len(r.parameters)), nil)
	r.accept = make([]float64, draws)
	if r.sparse != nil {
		k := min(certified, r.sparse.Nodes())
		r.position, r.score = mat.NewDense(draws, k, nil), mat.NewDense(draws, k, nil)
	}
}

// draw makes draws of the joint posterior, and returns how many of the first are finished.
func (r *run) draw(ctx context.Context) (int, error) {
	if err := r.prepare(ctx); err != nil {
		return 0, err
	}
	n := r.o.Draws
	r.allocate(n)
	progress := pace.New(ctx, "joint", fmt.Sprintf("%d draws of %d cells and %d parameters", n, r.cells,
		len(r.parameters)), n)
	var taken atomic.Int64
	finished, err := r.make(ctx, n, "draw", r.o.First, func() {
		if taken.Add(1)%int64(r.steps+2) == 0 { // as many as a draw takes
			progress.Step(math.NaN())
		}
	})
	if err != nil {
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

// make makes n draws with the random streams of a name, from number first on, and reports which are finished. Draws that
// share a pool go together, as many as memory lets them, and others one by one on all cores. step is called at
// the start and for each transition.
func (r *run) make(ctx context.Context, n int, name string, first int, step func()) (
	finished []bool, err error) {
	size := 1
	if r.pool != nil {
		size = max(latent.Width, mostStates/(24*r.pool.members[0].target.Rank()))
		size = (n-1)/((n-1)/size+1) + 1 // waves of draws have the same size
	}
	finished = make([]bool, n)
	err = parallel.Each(max(1, runtime.GOMAXPROCS(0)/size), (n+size-1)/size, func(_, k int) error {
		var states []*state
		for i := k * size; i < min(n, (k+1)*size) && ctx.Err() == nil; i++ {
			s, err := r.start(i, first, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/%s-%d", name, first+i)))
			if err != nil {
				return err
			}
			states = append(states, s)
		}
		if !r.advance(ctx, states, step) {
			return nil
		}
		r.each(states, func(_ *latent.Walker, states []*state) {
			var x [][]float64
			for _, s := range states {
				x = append(x, r.x.RawRowView(s.i))
			}
			states[0].target.Place(latent.Columns(chains(states)), x...)
		})
		for _, s := range states {
			r.t.SetRow(s.i, s.t)
			r.accept[s.i] = s.accept / float64(r.steps)
			if r.sparse != nil {
				r.note(s.i, s.U, s.Slope)
			}
			finished[s.i] = true
		}
		return nil
	})
	return finished, err
}

// advance takes the steps of draws. It is false if ctx ends before those of many draws are taken.
func (r *run) advance(ctx context.Context, states []*state, step func()) bool {
	r.each(states, func(w *latent.Walker, states []*state) {
		for _, s := range states {
			copy(s.U, r.near(w.Density, s.Chain, nil))
			step()
		}
		w.Start(chains(states)...)
	})
	for k := range r.steps + 1 {
		if r.pool != nil && ctx.Err() != nil {
			return false
		}
		r.each(states, func(w *latent.Walker, states []*state) {
			w.Move(length, chains(states)...)
			for _, s := range states {
				if step(); k < r.steps {
					s.accept += s.Accept
				}
			}
		})
		for m := k * r.moves / r.steps; k < r.steps && m < (k+1)*r.moves/r.steps; m++ {
			r.move(states)
		}
	}
	return true
}

// each calls do for the states of every target, in blocks on all cores.
func (r *run) each(states []*state, do func(w *latent.Walker, states []*state)) {
	var blocks [][]*state
	at := map[*candidate]int{}
	for _, s := range states {
		k, ok := at[s.candidate]
		if !ok || len(blocks[k]) == latent.Width {
			k = len(blocks)
			at[s.candidate], blocks = k, append(blocks, nil)
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

// start returns draw i at values of the parameters that the proposal draws.
func (r *run) start(i, first int, rng *rand.Rand) (*state, error) {
	if r.pool != nil {
		c := r.pool.pick(r.pool.place(first + i))
		return &state{candidate: c, Chain: latent.NewChain(c.target.Rank(), r.step, rng), i: i}, nil
	}
	var failure error
	for range 100 {
		c, err := r.candidate(r.proposal.draw(rng))
		if failure = err; c != nil {
			return &state{candidate: c, Chain: latent.NewChain(c.target.Rank(), r.step, rng), i: i}, nil
		}
	}
	return nil, failure
}

// candidate returns the field at a point of the lattice, or nil if the posterior has no density there.
func (r *run) candidate(z []float64) (*candidate, error) {
	t := r.proposal.at(z)
	prior := law.LogDensity(t)
	if math.IsInf(prior, -1) {
		return nil, fmt.Errorf("the scores %.3g of the parameters are out of bounds", t)
	}
	target, err := r.target(t)
	if err != nil { // just outside of where the likelihood is finite
		return nil, err
	}
	return &candidate{t, target, target.LogScale() + prior - r.proposal.log(z)}, nil
}

// walker returns a walker of a target. With a sparse precision a gradient costs more than a turn, which lets steps be
// longer.
func (r *run) walker(t target) *latent.Walker {
	return &latent.Walker{Density: t.Density(), Turns: r.sparse != nil}
}

// move proposes other values of the parameters for the same w, for every draw.
func (r *run) move(states []*state) {
	var proposed []*state
	logs := map[*state]float64{}
	for _, s := range states {
		r.tried.Add(1)
		var c *candidate
		if r.pool != nil {
			c = r.pool.pick(s.Random.Float64())
		} else {
			c, _ = r.candidate(r.proposal.draw(s.Random))
		}
		u := s.Random.Float64()
		if s.next = nil; c == s.candidate {
			r.accepted.Add(1)
		}
		if c == nil || c == s.candidate || c.target.Rank() != s.target.Rank() {
			continue
		}
		chain := *s.Chain
		chain.Slope = make([]float64, len(s.U))
		s.next = &state{candidate: c, Chain: &chain, i: s.i}
		proposed, logs[s] = append(proposed, s.next), math.Log(u)
	}
	r.each(proposed, func(w *latent.Walker, states []*state) { w.Start(chains(states)...) })
	for _, s := range states {
		if s.next == nil {
			continue
		}
		if c := s.next; logs[s] < c.LogP+c.excess-s.LogP-s.excess {
			s.candidate, s.LogP, s.Slope = c.candidate, c.LogP, c.Slope
			r.accepted.Add(1)
		}
	}
}

// diagnostics returns the diagnostics of the finished draws.
func (r *run) diagnostics(done int) map[string]float64 {
	var accept float64
	for _, v := range r.accept[:done] {
		accept += v / float64(done)
	}
	all := map[string]float64{"nodes": float64(len(r.proposal.order)), "accept": accept,
		"accept_parameters": r.rate(), "steps": float64(r.steps)}
	if r.centre != nil {
		all["log_evidence"] = r.centre.LogEvidence()
		for name, node := range r.sparse.Named() {
			all[name], all[name+"_sd"] = r.centre.Node(node)
		}
	}
	return all
}
