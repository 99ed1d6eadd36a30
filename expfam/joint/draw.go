package joint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
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
	pool     *pool          // of values of the parameters
	x, t     *mat.Dense     // the draws of the field, and of the scores

	// Coordinates and scores of the draws under a sparse precision, for the certificate.
	position, score *mat.Dense

	tried, accepted atomic.Int64
	accept          []float64 // mean acceptance of the field's steps, by draw
}

// state is a draw on its way: a member of the pool, and a walker in the coordinates w of its field.
type state struct {
	*member
	walker *latent.Walker
}

// run returns the run that makes draws, at the nodes of the parameters.
func (m *model) run(l *lattice, o Options) (*run, error) {
	r := &run{model: m, proposal: newProposal(l), o: o, steps: 1, moves: 1}
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
	walker := r.walker(target, rng)
	walker.Start(make([]float64, target.Rank()), rng)
	for range 60 {
		adapt.Update(walker.Move(adapt.Step(), length))
	}
	r.step = adapt.Final()
}

// prepare chooses the step size and the number of steps in a trial.
func (r *run) prepare(ctx context.Context) error {
	target, err := r.target(r.proposal.node(r.proposal.order[0]))
	if err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	r.adapt(target)
	transitions := r.steps
	r.steps, r.moves = 1, 1
	r.allocate(pilots)
	parallel.For(pilots, parallel.Heavy, func(i int) {
		if rng := expfam.Stream(r.o.Seed, fmt.Sprintf("joint/trial-%d", i)); ctx.Err() == nil {
			_ = r.one(i, r.pool.pick(rng.Float64()), rng)
		}
	})
	r.moves = stepsFor(r.rate())
	if r.off {
		r.moves = min(mostMoves, offMoves*r.moves)
	}
	if r.steps = r.moves; r.skewed {
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

// draws makes all draws and returns how many are finished. After an interrupt these are the first ones.
func (r *run) draws(ctx context.Context) (int, error) {
	fixed, err := r.fixed()
	if err != nil {
		return 0, err
	}
	if r.pool, err = r.newPool(ctx); err != nil {
		return 0, err
	}
	r.off = r.correct()
	r.pool.weigh()
	if !fixed {
		if err := r.prepare(ctx); err != nil {
			return 0, err
		}
	}
	n := r.o.Draws
	r.allocate(n)
	from, order := make([]*member, n), make([]int, n)
	for i := range n {
		from[i], order[i] = r.pool.pick(r.pool.place(r.o.First+i)), i
		from[i].left.Add(1)
	}
	if fixed { // one member after the other, because not all may be in memory
		slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(from[a].z, from[b].z) })
	}
	progress := pace.New(ctx, "joint", fmt.Sprintf("%d draws of %d cells and %d parameters", n, r.cells,
		len(r.parameters)), n)
	finished, failed := make([]bool, n), make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				failed[i] = r.one(i, from[i], expfam.Stream(r.o.Seed, fmt.Sprintf("joint/draw-%d", r.o.First+i)))
				finished[i] = failed[i] == nil
				progress.Step(math.NaN())
			}
		})
	}
	for _, i := range order {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	done := 0
	for done < n && finished[done] {
		done++
	}
	if done < n && failed[done] != nil {
		return 0, fmt.Errorf("joint: %w", failed[done])
	}
	if done == 0 {
		return 0, fmt.Errorf("joint: %w before the first draw", expfam.ErrInterrupted)
	}
	return done, nil
}

// one makes draw i from a member on.
func (r *run) one(i int, from *member, rng *rand.Rand) error {
	target, mean, err := r.field(from)
	if err != nil {
		return err
	}
	s := &state{from, r.walker(target, rng)}
	s.walker.Start(r.near(target, mean, rng), rng)
	for k := range r.steps {
		r.accept[i] += s.walker.Move(r.step, length) / float64(r.steps)
		if (k+1)*r.moves/r.steps > k*r.moves/r.steps {
			r.move(s, r.pool.pick(rng.Float64()), rng)
		}
	}
	if r.moves > 0 {
		if r.cells <= leaveCells {
			r.leave(s, rng)
		}
		s.walker.Move(r.step, length)
		target = s.target
	}
	target.Place(s.walker.U, r.x.RawRowView(i))
	copy(r.t.RawRowView(i), s.t)
	if r.sparse != nil {
		r.note(i, s.walker.U, s.walker.Slope())
	}
	if from.left.Add(-1) == 0 && from.mode != nil {
		from.target, from.mean = nil, nil
	}
	return nil
}

// walker returns a walker of a target. With a sparse precision a gradient costs more than a turn, which lets steps be
// longer.
func (r *run) walker(t target, rng *rand.Rand) *latent.Walker {
	w := latent.NewWalker(t.Density(), t.Rank(), rng)
	w.Turns = r.sparse != nil
	return w
}

// move goes to another member with the same w, by the ratio of the densities.
func (r *run) move(s *state, to *member, rng *rand.Rand) {
	r.tried.Add(1)
	if r.accepts(s, to, to.excess-s.excess, rng) {
		r.accepted.Add(1)
	}
}

// leave moves the parameters off the members, by a node at most along each axis, so that draws of few cells have values
// of their own.
func (r *run) leave(s *state, rng *rand.Rand) {
	z := slices.Clone(s.z)
	for k := range z {
		z[k] += 2*rng.Float64() - 1
	}
	if to, err := r.member(z, true); err == nil {
		r.accepts(s, to, to.logScale-s.logScale, rng)
	}
}

// accepts goes to other values of the parameters with the same w, with the probability that the ratio of the densities
// is, where the log of what the targets lack of it is more. It reports whether it did.
func (r *run) accepts(s *state, to *member, more float64, rng *rand.Rand) bool {
	u := rng.Float64()
	if to.target.Rank() != s.target.Rank() {
		return false
	}
	walker := r.walker(to.target, rng)
	walker.Start(s.walker.U, rng)
	if !(math.Log(u) < walker.LogP+more-s.walker.LogP) {
		return false
	}
	s.member, s.walker = to, walker
	return true
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
