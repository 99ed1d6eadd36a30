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
	// left is the share of a first deviation that the steps leave.
	left = 0.02
	// mostSeconds is the time that values of the parameters of a large sparse field may take, and leastDistinct the
	// least number of them all the same. Beyond, draws share values.
	mostSeconds, leastDistinct = 6, 100
	// largeCells is the number of cells from which draws share values of the parameters, because a whitened target of n
	// cells costs n³.
	largeCells = 150
	// mostDense is the number of values at this number of cells, and leastDense the least number.
	mostDense, leastDense = 1000, 64
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
	groups   int            // number of groups of draws, which share values of the parameters
	centre   *latent.Around // under a sparse precision, at the first node
	begin    []place        // where draws begin, or nil
	x, t     *mat.Dense     // the draws of the field, and of the scores

	// Coordinates and scores of the draws under a sparse precision, for the certificate.
	position, score *mat.Dense

	tried, accepted atomic.Int64
	accept          []float64 // mean acceptance of the field's steps, by draw
}

// state is a draw on its way: a point z of the lattice, the target there, and a walker in the coordinates w.
type state struct {
	z, t   []float64
	target target
	walker *latent.Walker
}

// run returns the run that makes draws, at the nodes of the parameters.
func (m *model) run(l *lattice, o Options) (*run, error) {
	r := &run{model: m, proposal: newProposal(l), o: o, steps: 1, groups: m.distinct(o.Draws)}
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
	trials := max(4, pilots*r.groups/r.o.Draws)
	r.allocate(trials)
	parallel.For(trials, parallel.Heavy, func(i int) {
		if ctx.Err() == nil {
			r.one(i, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/trial-%d", i)), nil)
		}
	})
	r.moves = stepsFor(r.rate())
	if r.steps = r.moves; r.skewed {
		r.steps = max(r.steps, transitions)
	}
	r.tried.Store(0)
	r.accepted.Store(0)
	return nil
}

// distinct returns how many values of the parameters so many draws have.
func (m *model) distinct(draws int) int {
	if m.sparse != nil {
		return affordable(draws, m.sparse.Seconds())
	}
	ratio := math.Max(1, float64(m.cells)/largeCells)
	return min(draws, max(leastDense, int(mostDense/(ratio*ratio*ratio))))
}

// affordable returns how many values of the parameters so many draws have, if an approximation takes so long.
func affordable(draws int, seconds float64) int {
	return min(draws, max(leastDistinct, int(mostSeconds/(4*seconds))))
}

// stepsFor returns the number of steps for a share of proposals that are accepted. A step forgets the first
// place with the probability that its proposal is accepted.
func stepsFor(rate float64) int {
	kept := 1 - math.Min(0.99, rate)
	return int(math.Min(40, math.Max(3, math.Ceil(math.Abs(math.Log(left)/math.Log(kept))))))
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
	finished, failed := make([]bool, r.groups), make([]error, r.groups)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for g := range next {
				failed[g] = r.group(g, progress)
				finished[g] = failed[g] == nil
			}
		})
	}
	for g := 0; g < r.groups && ctx.Err() == nil; g++ {
		next <- g
	}
	close(next)
	wg.Wait()
	done := 0
	for g := range r.groups {
		if failed[g] != nil {
			return 0, fmt.Errorf("joint: %w", failed[g])
		}
		if !finished[g] {
			break
		}
		done = (g + 1) * n / r.groups
	}
	if done == 0 {
		return 0, fmt.Errorf("joint: %w before the first draw", expfam.ErrInterrupted)
	}
	return done, nil
}

// group makes the draws that share the values of the parameters.
func (r *run) group(g int, progress *pace.Pace) error {
	var s *state
	for i := g * r.o.Draws / r.groups; i < (g+1)*r.o.Draws/r.groups; i++ {
		var err error
		if s, err = r.one(i, expfam.Stream(r.o.Seed, fmt.Sprintf("joint/draw-%d", r.o.First+i)), s); err != nil {
			return err
		}
		progress.Step(math.NaN())
	}
	return nil
}

// one makes draw i. With a state it keeps the values of the parameters.
func (r *run) one(i int, rng *rand.Rand, shared *state) (*state, error) {
	s := shared
	if s == nil {
		var err error
		if s, err = r.start(rng); err != nil {
			return nil, err
		}
	}
	s.walker.Start(r.near(s.target, nil, rng), rng)
	for k := range r.steps {
		r.accept[i] += s.walker.Move(r.step, length) / float64(r.steps)
		if shared == nil && (k+1)*r.moves/r.steps > k*r.moves/r.steps {
			r.move(s, rng)
		}
	}
	s.walker.Move(r.step, length)
	s.target.Place(s.walker.U, r.x.RawRowView(i))
	r.t.SetRow(i, s.t)
	if r.sparse != nil {
		score := make([]float64, len(s.walker.U))
		s.target.Density()(s.walker.U, score)
		r.note(i, s.walker.U, score)
	}
	return s, nil
}

// start returns a state at values of the parameters that the proposal draws.
func (r *run) start(rng *rand.Rand) (*state, error) {
	var failure error
	for range 100 {
		z := r.proposal.draw(rng)
		if r.begin != nil {
			z = r.begin[r.pick(rng.Float64())].z
		}
		s := &state{z: z, t: r.proposal.at(z)}
		if s.target, failure = r.target(s.t); failure != nil || math.IsInf(law.LogDensity(s.t), -1) {
			continue // just outside of where the likelihood is finite
		}
		s.walker = r.walker(s.target, rng)
		return s, nil
	}
	return nil, failure
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
	z, u := r.proposal.draw(rng), rng.Float64()
	t := r.proposal.at(z)
	prior := law.LogDensity(t)
	if math.IsInf(prior, -1) {
		return
	}
	target, err := r.target(t)
	if err != nil || target.Rank() != s.target.Rank() {
		return
	}
	walker := r.walker(target, rng)
	walker.Start(s.walker.U, rng)
	ratio := walker.LogP + target.LogScale() + prior - r.proposal.log(z) -
		(s.walker.LogP + s.target.LogScale() + law.LogDensity(s.t) - r.proposal.log(s.z))
	if math.Log(u) < ratio {
		s.z, s.t, s.target, s.walker = z, t, target, walker
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
