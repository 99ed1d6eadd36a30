package joint

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/speak"
)

const (
	// length is the length of a trajectory, a quarter of the period under a normal distribution.
	length = math.Pi / 2
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
	mending  bool           // draws are made anew; see mend
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
	progress := speak.NewPace(ctx, "joint", fmt.Sprintf("%d draws of %d cells and %d parameters", n, r.cells,
		len(r.parameters)), n)
	var taken atomic.Int64
	finished, err := r.all(ctx, "draw", r.o.First, from, order, func() {
		if taken.Add(1)%int64(r.steps+1) == 0 { // as many as a draw takes
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

// all makes the draws in this order, from members on, with the random streams of a name and of numbers from first on.
// It reports which are finished. step is called for each start and transition.
//
// Draws of many cells go together, as many as memory lets them, so that those at the same member are moved in blocks.
// Those that stay at a member go together, and draws go one by one where a member has few of them.
func (r *run) all(ctx context.Context, name string, first int, from []*member, order []int, step func()) ([]bool,
	error) {
	n := len(order)
	size, workers := 1, runtime.GOMAXPROCS(0)
	switch {
	case r.moves == 0:
		size = latent.Width
	case r.cells > leaveCells && n > 2*len(r.pool.members):
		size = max(latent.Width, mostStates/(24*from[0].target.Rank()))
		size = (n-1)/((n-1)/size+1) + 1 // groups have the same size
		workers = 1
	}
	var groups [][]int
	for k, i := range order {
		last := len(groups) - 1
		if k == 0 || len(groups[last]) == size || r.moves == 0 && from[i] != from[order[k-1]] {
			groups, last = append(groups, nil), last+1
		}
		groups[last] = append(groups[last], i)
	}
	finished := make([]bool, n)
	return finished, parallel.Each(workers, len(groups), func(_, k int) error {
		if ctx.Err() != nil {
			return nil
		}
		states := make([]*state, len(groups[k]))
		for j, i := range groups[k] {
			if _, _, err := r.field(from[i]); err != nil {
				return err
			}
			rng := expfam.Stream(r.o.Seed, fmt.Sprintf("joint/%s-%d", name, first+i))
			states[j] = &state{member: from[i], Chain: latent.NewChain(from[i].target.Rank(), r.step, rng), i: i}
		}
		for _, s := range r.advance(ctx, states, step) {
			finished[s.i] = true
			if from := from[s.i]; r.moves == 0 && from.left.Add(-1) == 0 && from.mode != nil {
				from.target, from.mean = nil, nil
			}
		}
		return nil
	})
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
