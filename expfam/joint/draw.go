package joint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
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

// state is a draw on its way: a candidate, and a walker in the coordinates w of its field.
type state struct {
	*candidate
	walker *latent.Walker
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
	walker := r.walker(target, rng)
	walker.Start(make([]float64, target.Rank()), rng)
	for range 60 {
		adapt.Update(walker.Move(adapt.Step(), length))
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
	parallel.For(pilots, parallel.Heavy, func(i int) {
		if ctx.Err() == nil {
			_ = r.one(i, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/trial-%d", i)))
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

// draw makes draws of the joint posterior, and returns how many of the first are finished.
func (r *run) draw(ctx context.Context) (int, error) {
	if err := r.prepare(ctx); err != nil {
		return 0, err
	}
	n := r.o.Draws
	r.allocate(n)
	progress := pace.New(ctx, "joint", fmt.Sprintf("%d draws of %d cells and %d parameters", n, r.cells,
		len(r.parameters)), n)
	finished, failed := make([]bool, n), make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				failed[i] = r.one(i, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/draw-%d", r.o.First+i)))
				finished[i] = failed[i] == nil
				progress.Step(math.NaN())
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
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

// one makes draw i.
func (r *run) one(i int, rng *rand.Rand) error {
	s, err := r.start(i, rng)
	if err != nil {
		return err
	}
	s.walker.Start(r.near(s.target, nil, rng), rng)
	for k := range r.steps {
		r.accept[i] += s.walker.Move(r.step, length) / float64(r.steps)
		if (k+1)*r.moves/r.steps > k*r.moves/r.steps {
			r.move(s, rng)
		}
	}
	s.walker.Move(r.step, length)
	s.target.Place(s.walker.U, r.x.RawRowView(i))
	r.t.SetRow(i, s.t)
	if r.sparse != nil {
		r.note(i, s.walker.U, s.walker.Slope())
	}
	return nil
}

// start returns a state at values of the parameters that the proposal draws.
func (r *run) start(i int, rng *rand.Rand) (*state, error) {
	if r.pool != nil {
		c := r.pool.pick(r.pool.place(r.o.First + i))
		return &state{c, r.walker(c.target, rng)}, nil
	}
	var failure error
	for range 100 {
		c, err := r.candidate(r.proposal.draw(rng))
		if failure = err; c != nil {
			return &state{c, r.walker(c.target, rng)}, nil
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
func (r *run) walker(t target, rng *rand.Rand) *latent.Walker {
	w := latent.NewWalker(t.Density(), t.Rank(), rng)
	w.Turns = r.sparse != nil
	return w
}

// move proposes other values of the parameters for the same w.
func (r *run) move(s *state, rng *rand.Rand) {
	r.tried.Add(1)
	var c *candidate
	if r.pool != nil {
		c = r.pool.pick(rng.Float64())
	} else {
		c, _ = r.candidate(r.proposal.draw(rng))
	}
	u := rng.Float64()
	if c == nil || c.target.Rank() != s.target.Rank() {
		return
	}
	walker := r.walker(c.target, rng)
	walker.Start(s.walker.U, rng)
	if math.Log(u) < walker.LogP+c.excess-s.walker.LogP-s.excess {
		s.candidate, s.walker = c, walker
		r.accepted.Add(1)
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
