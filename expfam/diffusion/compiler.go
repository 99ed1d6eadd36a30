package diffusion

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"golang.org/x/sync/errgroup"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// variant is what the data decide about graphs; see [diagnosis.variant]. A number that is 0 is left to the guidance.
type variant struct {
	dtype         dtypes.DType // type of x_t
	data          dtypes.DType // type of the observations, in which the evidence is computed
	solve         int          // number of steps of conjugate gradients
	newton        int          // number of Newton's steps to the mode of a datum
	rest          bool         // the last step adds the variance that its estimate lacks
	inner         bool         // a preconditioner takes more steps, because the data are precise
	unconditioned bool         // a solve behind a blur is not preconditioned, because the data are precise
}

// plain returns the variant of data that ask for nothing special.
func (s *setup) plain() variant { return variant{dtype: s.sampler.DType, data: s.sampler.DType} }

// compiler makes the graphs of a setup.
type compiler struct {
	*setup
	compiled map[variant]*graphs
	seconds  float64 // that compiling took
}

func newCompiler(s *setup) *compiler { return &compiler{setup: s, compiled: make(map[variant]*graphs)} }

// graphs has the compiled graphs of a variant, for each kind of step.
type graphs struct {
	variant
	guidance Guidance
	execs    map[program][]*Exec // one for each worker
	// building is held while a graph is built from the prior, which need not be safe for simultaneous
	// use. The engine, which takes most of the time, compiles several graphs at once.
	building sync.Mutex
	// The fields below are found while graphs are built: the number of products with Cov(x₀ | x_t) in
	// an evaluation, whether the guidance asks for the coupling of the prior, and whether it knows
	// the variance of x₀ given x_t and a cell's own datum.
	products       map[program]int
	coupled, knows bool
}

// graphsOf returns the graphs of a variant before any is compiled.
func (c *compiler) graphsOf(v variant) *graphs {
	g := &graphs{variant: v, guidance: c.sampler.Guidance, execs: map[program][]*Exec{}, products: map[program]int{}}
	if q, ok := g.guidance.(Quadrature); ok {
		q.Steps, q.Newton = cmp.Or(v.solve, q.Steps), cmp.Or(v.newton, q.Newton)
		g.guidance = q
	}
	return g
}

// ready returns the graphs of a variant for steps and all workers. The first call for a program of a step compiles it,
// as many at the same time as there are workers.
func (c *compiler) ready(v variant, steps []Step) (*graphs, error) {
	start, g := time.Now(), c.compiled[v]
	if g == nil {
		g = c.graphsOf(v)
	}
	missing := slices.DeleteFunc(c.programs(steps), func(p program) bool { return g.execs[p] != nil })
	if len(missing) == 0 {
		return g, nil
	}
	var all errgroup.Group
	all.SetLimit(c.workers)
	for _, p := range missing {
		execs := make([]*Exec, c.workers)
		g.execs[p] = execs
		for w := range execs {
			all.Go(func() (err error) {
				execs[w], err = c.build(g, p)
				return err
			})
		}
	}
	if err := all.Wait(); err != nil {
		g.close()
		delete(c.compiled, v)
		return nil, err
	}
	c.compiled[v] = g
	c.seconds += secondsSince(start)
	return g, nil
}

// first returns the graph of the first kind of step that there is, at the grade of the highest noise. Every graph
// evaluates the prior, so any of them serves to look at it.
func (g *graphs) first() (program, *Exec) {
	for k := range kinds {
		found := program{kind: k, grade: -1}
		for p := range g.execs {
			if p.kind == k {
				found.grade = max(found.grade, p.grade)
			}
		}
		if found.grade >= 0 {
			return found, g.execs[found][0]
		}
	}
	return program{}, nil
}

// taken returns the number of Jacobian products that the steps of a setup take.
func (g *graphs) taken(s *setup, steps []Step) (sum int) {
	for _, step := range steps {
		sum += g.products[s.program(step)]
	}
	return sum
}

func (g *graphs) close() {
	for _, execs := range g.execs {
		for _, exec := range execs {
			if exec != nil { // nil where compiling failed
				exec.Finalize()
			}
		}
	}
}

// build compiles the graph of a step.
func (c *compiler) build(g *graphs, p program) (*Exec, error) {
	exec, err := NewExec(c.sampler.Engine.Backend, c.graph(g, p))
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	compile := func() error {
		_, err := exec.Compile(c.shapes(g.variant, c.block, p.kind)...)
		return err
	}
	if c.sampler.corrects() { // its batches are one block
		err = compile()
	} else {
		err = c.sampler.Engine.Alone(compile)
	}
	if err != nil {
		return nil, c.compileError(err)
	}
	return exec, nil
}

// compileError wraps an error of compiling with what was compiled.
func (c *compiler) compileError(err error) error {
	return fmt.Errorf("sample: compiling %v under %v on %v: %w", c.sampler.Guidance, c.terms, c.sampler.Engine, err)
}

// close frees all graphs.
func (c *compiler) close() {
	for _, g := range c.compiled {
		g.close()
	}
}

// moments are the means and the standard deviations of the prior's cells.
type moments struct{ mean, sd []float64 }

// moments finds the moments of the prior. It takes them from one step without data at the first noise level,
// where x_t carries no information about x₀.
func (c *compiler) moments(g *graphs) (*moments, error) {
	p, exec := g.first()
	d, n := c.prior.Dim(), c.forward.Data()
	zero := make([]float64, c.block*(d+n))
	in := stepInputs{kind: p.kind, row: c.scalars(g, Step{Level: c.steps[0].Level, B: 1}, false),
		noise: zero[:c.block*d],
		table: c.covariance.independent(p.kind), data: c.observationTensors(g, make(expfam.Observations, n))}
	if p.kind == drawn { // with zero noise the draw is the mean
		in.more = zero
	}
	b := c.newBlock(g, atPureNoise(c.prior, c.block))
	out, err := c.evaluate(g, exec, &b, in)
	if err != nil {
		return nil, fmt.Errorf("sample: the moments of the prior: %w", err)
	}
	mean, err := float64s(out[outEstimate])
	if err != nil {
		return nil, err
	}
	sd, err := float64s(out[outVar])
	if err != nil {
		return nil, err
	}
	for j, v := range sd {
		sd[j] = math.Sqrt(v)
	}
	return &moments{averageOfRows(mean, d), sd}, errors.Join(b.release(), engine.Release(append(out, in.data[:]...)...))
}
