package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/internal/speak"
)

// SBC is simulation-based calibration (Talts et al. 2018). A simulation draws x₀ from the prior and data given x₀, and
// samples the posterior given the data. For an exact posterior the truth x₀ and the draws are exchangeable. Over
// simulations the rank of any function of the truth, among the same function of the draws, is then uniform.
//
//	compiled, err := diffusion.Compile(prior, like, diffusion.Sampler{Draws: 63})
//	result, err := calibrate.SBC{
//		Model: calibrate.Joint{Prior: prior, Likelihood: like}, Sample: compiled.Sample,
//	}.Run()
//
// Draws of a Markov chain are not independent: thin them first.
type SBC struct {
	Name  string // of the result, for comparisons of several results
	Model Model
	// Sample samples the posterior that is checked, such as diffusion.Compiled.Sample.
	Sample func(ctx context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error)
	// Quantities are the quantities that are ranked. Default: the quantities of the model.
	Quantities  []Quantity
	Simulations int // default 200
	// First is the number of the first simulation, where machines run parts of a study that [JoinSBC] joins.
	First int
	// Seed is the seed of the simulations. Simulation k depends only on Seed and k.
	Seed uint64
	// Progress is called after each simulation, with the seconds that it took.
	// Default none; a cell of a notebook then shows a bar.
	Progress func(done, total int, seconds float64)
}

// SBCResult has the ranks of an [SBC].
type SBCResult struct {
	Name  string
	Names []string // of the quantities
	Ranks [][]Rank // by quantity and simulation
	First int      // number of the first simulation
	Seed  uint64
}

// Run runs the simulations. After an interrupt (Ctrl-C, the notebook's stop button) or a failure it returns the
// finished simulations with the error. The error of an interrupt is [expfam.ErrInterrupted].
func (s SBC) Run() (*SBCResult, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	ctx, end := s.speak(ctx)
	defer end()
	return s.RunContext(ctx)
}

// RunSampler is [SBC.Run] for the library's own sampler, which takes the place of Sample
// and is compiled once. It takes 63 draws per simulation, unless the sampler sets Draws.
func (s SBC) RunSampler(prior expfam.Prior, like expfam.Likelihood, sampler diffusion.Sampler) (*SBCResult, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	ctx, end := s.speak(ctx)
	defer end()
	return s.RunSamplerContext(ctx, prior, like, sampler)
}

// speak returns a context with a progress bar, or ctx itself if Progress is set.
func (s SBC) speak(ctx context.Context) (_ context.Context, end func()) {
	if s.Progress != nil {
		return ctx, func() {}
	}
	return speak.With(ctx, "simulations", "seconds each")
}

// RunSamplerContext is [SBC.RunSampler] with a context: it ends when ctx ends.
func (s SBC) RunSamplerContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	sampler diffusion.Sampler) (*SBCResult, error) {
	if s.Sample != nil {
		return nil, errors.New("calibrate: sbc: both a Sample function and a sampler are given; leave one out")
	}
	sampler.Draws = cmp.Or(sampler.Draws, 63)
	speak.Say(ctx, "compiling the sampler")
	compiled, err := diffusion.CompileContext(ctx, prior, like, sampler)
	if err != nil {
		return nil, fmt.Errorf("calibrate: sbc: %w", err)
	}
	defer compiled.Close()
	s.Sample = compiled.Sample
	return s.RunContext(ctx)
}

// RunContext is [SBC.Run] with a context: it ends when ctx ends, and passes ctx to Sample.
func (s SBC) RunContext(ctx context.Context) (*SBCResult, error) {
	if s.Model == nil || s.Sample == nil {
		return nil, fmt.Errorf("calibrate: sbc: give both a Model and a Sample function")
	}
	s.Simulations = cmp.Or(s.Simulations, 200)
	if s.Quantities == nil {
		var err error
		if s.Quantities, err = s.Model.Quantities(); err != nil {
			return nil, err
		}
	}
	if s.Simulations < 1 || len(s.Quantities) == 0 {
		return nil, fmt.Errorf("calibrate: sbc: %d simulations of %d quantities; both must be at least 1",
			s.Simulations, len(s.Quantities))
	}
	out := &SBCResult{Name: s.Name, Ranks: make([][]Rank, len(s.Quantities)), First: s.First, Seed: s.Seed}
	for _, q := range s.Quantities {
		out.Names = append(out.Names, q.Name)
	}
	steps := speak.NewPace(ctx, "calibrate: sbc", fmt.Sprintf("%d simulations, a posterior each, %d quantities",
		s.Simulations, len(s.Quantities)), s.Simulations)
	part, end := steps.Parts(ctx)
	if s.Progress != nil { // Progress reports on all simulations
		part, end = speak.Parts(ctx)
	}
	defer end()
	for k := range s.Simulations {
		if ctx.Err() != nil {
			return out, fmt.Errorf("calibrate: sbc: %w after %d of %d simulations", expfam.ErrInterrupted, k,
				s.Simulations)
		}
		start := time.Now()
		ranks, err := s.simulation(part, s.First+k)
		if err != nil {
			return out, fmt.Errorf("calibrate: sbc: simulation %d: %w", s.First+k, err)
		}
		for q, r := range ranks {
			out.Ranks[q] = append(out.Ranks[q], r)
		}
		seconds := time.Since(start).Seconds()
		steps.Step(seconds)
		if s.Progress != nil {
			s.Progress(k+1, s.Simulations, seconds)
		}
	}
	return out, nil
}

// simulation runs simulation k and returns the ranks of all quantities.
func (s SBC) simulation(ctx context.Context, k int) ([]Rank, error) {
	seed := expfam.Stream(s.Seed, fmt.Sprintf("sbc/%d", k)).Uint64()
	x0, obs, err := s.Model.Simulate(seed)
	if err != nil {
		return nil, err
	}
	post, err := s.Sample(ctx, obs, seed)
	if err != nil {
		return nil, err
	}
	n, cells := post.Dims()
	if cells != len(x0) {
		return nil, fmt.Errorf("a posterior of %d cells and a truth of %d", cells, len(x0))
	}
	ranks := make([]Rank, len(s.Quantities))
	for q, quantity := range s.Quantities {
		f := quantity.Of(obs, expfam.Stream(seed, "sbc/"+quantity.Name))
		values := make([]float64, n)
		truth := f(x0)
		sum := truth
		for i := range values {
			values[i] = f(post.X.RawRowView(i))
			sum += values[i]
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return nil, fmt.Errorf("the quantity %q is %v for the truth and %v summed over the truth and all "+
				"draws; it must be finite for each field of %d cells", quantity.Name, truth, sum, cells)
		}
		ranks[q] = rankOf(values, truth)
	}
	return ranks, nil
}

// PIT returns the ranks of a quantity as values in [0, 1); see [Rank.PIT]. For an exact
// posterior the values are independent and uniform.
func (r *SBCResult) PIT(quantity int) []float64 {
	return pits(r.Ranks[quantity], r.Seed, "sbc/pit/"+r.Names[quantity])
}

// ECDF returns the distribution of the ranks of a quantity with its band. Level 0 means 0.95.
// For [TARP] the distribution is the expected coverage against the credibility level.
func (r *SBCResult) ECDF(quantity int, level float64) (ECDF, error) {
	return NewECDF(r.PIT(quantity), level)
}

// P returns the p values of the quantities; see [ECDF].
func (r *SBCResult) P() ([]float64, error) {
	p := make([]float64, len(r.Names))
	for q := range p {
		e, err := r.ECDF(q, 0)
		if err != nil {
			return nil, err
		}
		p[q] = e.P
	}
	return p, nil
}

// Passes reports whether all quantities together look uniform. An exact posterior fails with probability at most 1 −
// level. The p values are compared with (1−level)/quantities, which allows for any dependence. Level 0 means 0.95.
func (r *SBCResult) Passes(level float64) (bool, error) {
	level = cmp.Or(level, 0.95)
	p, err := r.P()
	for _, v := range p {
		if v < (1-level)/float64(len(p)) {
			return false, nil
		}
	}
	return err == nil, err
}

// String returns the name of the result, if it has one, and a line for each quantity: its
// p value, and the coverage of 50% and 90% intervals.
func (r *SBCResult) String() string {
	p, err := r.P()
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if r.Name != "" {
		b.WriteString(r.Name + "\n")
	}
	for q, name := range r.Names {
		half, most := make(Scores, len(r.Ranks[q])), make(Scores, len(r.Ranks[q]))
		for k, rank := range r.Ranks[q] {
			half[k], most[k] = rank.Inside(0.5), rank.Inside(0.9)
		}
		fmt.Fprintf(&b, "%-16s p %-7.2g  50%% intervals hold %v, 90%% %v of %d\n", name, p[q], half.Mean(), most.Mean(),
			len(r.Ranks[q]))
	}
	return b.String()
}
