package expfam

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ErrInterrupted is the error of a run that was stopped. The draws that were finished are
// returned with it.
var ErrInterrupted = errors.New("interrupted")

// Compiled is a sampler whose graphs are compiled. It samples any observations of the
// same cells without compiling again. The exception are observations that need other
// graphs than the ones before them; very precise observations do. One goroutine at a time
// may use it.
type Compiled struct {
	prior   Prior
	terms   *Terms
	forward *Forward
	sampler Sampler
	block   int    // draws of one evaluation
	steps   []Step // of the method as it was given
	graphs  map[variant]*graphs
	// Mean and standard deviation of the prior's cells, when they were asked for.
	mean, sd []float64
	// The correlations of the prior's cells, where an operator asked for them.
	correlation, tables *correlations
	roots               map[float64][]float64 // see [Compiled.rooted]
	compiling           float64               // seconds
	// The named constants of the link that are inputs of the graphs, and their
	// values.
	constants []string
	values    []float64
}

// Compile checks the likelihood, builds the sampler's graphs and compiles them.
// Named constants of the link are compiled in; see [Live].
func Compile(prior Prior, like Likelihood, s Sampler) (*Compiled, error) {
	return CompileContext(context.Background(), prior, like, s)
}

// CompileContext is [Compile] with a context: it begins no work when ctx is done, and logs
// to the logger of ctx. A compilation that has begun is finished.
func CompileContext(ctx context.Context, prior Prior, like Likelihood, s Sampler) (*Compiled, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	c, err := prepare(prior, terms, s)
	if err != nil {
		return nil, err
	}
	return c, c.compile(ctx)
}

// prepare is all but the graphs. The sampler has its defaults, or no method for the one that suits
// the prior.
func prepare(prior Prior, terms *Terms, s Sampler) (*Compiled, error) {
	forward, err := terms.Forward(prior.Dim())
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	c := &Compiled{prior: prior, terms: terms, forward: forward, sampler: s, block: s.block(prior), graphs: make(map[variant]*graphs)}
	if s.Method == nil {
		c.sampler.Method = c.suited()
	}
	if c.steps, err = c.trajectory(c.sampler.Method); err != nil {
		return nil, err
	}
	return c, c.sampler.draws(c.steps)
}

// compile makes the graphs of data that ask for nothing special, and tells what a run
// will take.
func (c *Compiled) compile(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("sample: %w before compiling", ErrInterrupted)
	}
	if _, err := c.ready(c.plain()); err != nil {
		return err
	}
	c.sampler.announce(ctx, c.Plan())
	return nil
}

// variant is how graphs are made for the data at hand; see [Compiled.fit].
type variant struct {
	dtype dtypes.DType // of x_t
	data  dtypes.DType // of the observations, in which the evidence is computed
	solve int          // steps of conjugate gradients, where the guidance leaves them open
	// newton are the steps to the mode of a datum, where the guidance leaves them open.
	newton int
	rest   bool // the last step adds the variance that its estimate lacks
}

// plain is the variant of data that ask for nothing special.
func (c *Compiled) plain() variant {
	return variant{dtype: c.sampler.DType, data: c.sampler.DType}
}

// graphs are those of a step.
type graphs struct {
	variant
	guidance Guidance
	execs    [kinds][]*Exec // one a worker, of the kinds that the steps have
	// What was found while the graph was built: products with Cov(x₀ | x_t) an
	// evaluation, and what the guidance asks for and knows.
	products       [kinds]int
	coupled, knows bool
}

// graphsOf are those of a variant, not compiled.
func (c *Compiled) graphsOf(v variant) *graphs {
	g := &graphs{variant: v, guidance: c.sampler.Guidance}
	if q, ok := g.guidance.(Quadrature); ok && v.solve+v.newton > 0 {
		if v.solve > 0 {
			q.Steps = v.solve
		}
		if v.newton > 0 {
			q.Newton = v.newton
		}
		g.guidance = q
	}
	return g
}

// ready are the graphs of a variant, compiled by the first call.
func (c *Compiled) ready(v variant) (*graphs, error) {
	if g := c.graphs[v]; g != nil {
		return g, nil
	}
	start, g := time.Now(), c.graphsOf(v)
	for _, k := range c.kinds() {
		exec, err := c.build(g, k)
		if err != nil {
			g.close()
			return nil, err
		}
		g.execs[k] = []*Exec{exec}
	}
	c.graphs[v] = g
	c.compiling += since(start)
	return g, nil
}

// kinds are those of the steps.
func (c *Compiled) kinds() (all []kind) {
	for k := range kinds {
		if k.in(c.steps) {
			all = append(all, k)
		}
	}
	return all
}

// any is the graph of a step that can look at the prior.
func (g *graphs) any() (kind, *Exec) {
	for k, execs := range g.execs {
		if len(execs) > 0 {
			return kind(k), execs[0]
		}
	}
	return 0, nil
}

// workers is for how many of them graphs are compiled.
func (g *graphs) workers() int {
	k, _ := g.any()
	return len(g.execs[k])
}

// taken is the number of Jacobian products of steps.
func (g *graphs) taken(steps []Step) (sum int) {
	for _, s := range steps {
		sum += g.products[s.kind()]
	}
	return sum
}

func (g *graphs) close() {
	for _, execs := range g.execs {
		for _, exec := range execs {
			exec.Finalize()
		}
	}
}

func (c *Compiled) build(g *graphs, k kind) (*Exec, error) {
	exec, err := NewExec(c.sampler.Engine.Backend, c.graph(g, k))
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	compile := func() error {
		_, err := exec.Compile(c.shapes(g.variant, c.block, k)...)
		return err
	}
	if c.sampler.corrects() { // its batches are one block
		err = compile()
	} else {
		err = c.sampler.Engine.Alone(compile)
	}
	if err != nil {
		return nil, c.refused(err)
	}
	return exec, nil
}

// shapes are those of the arguments of a step of so many draws.
func (c *Compiled) shapes(v variant, batch int, k kind) []shapes.Shape {
	d := c.prior.Dim()
	draws, data := shapes.Make(v.dtype, batch, d), shapes.Make(v.data, 1, c.forward.data)
	all := []shapes.Shape{draws, draws, draws, data, data, shapes.Make(v.dtype, 1, inputs+len(c.constants))}
	if dims := c.tableDims(k); dims != nil {
		all = append(all, shapes.Make(v.dtype, dims...))
	}
	if k == drawn {
		all = append(all, shapes.Make(v.dtype, batch, d+c.forward.data))
	}
	return all
}

func (c *Compiled) refused(err error) error {
	return fmt.Errorf("sample: compiling %v under %v on %v: %w", c.sampler.Guidance, c.terms, c.sampler.Engine, err)
}

// Close frees the compiled graphs.
func (c *Compiled) Close() {
	for _, g := range c.graphs {
		g.close()
	}
}

// The scalars of a step enter the graph as one row, the open constants of the
// link after them.
const (
	inSqrtAlpha = iota
	inV
	inA
	inB
	inC
	inS
	inSNR
	inClip
	inCoupling
	inRest
	inSkew
	inputs
)

// What a graph returns: x and D of the step, Σx², the largest s, the largest |m|
// and the largest s (s + |m|) of the prior, and the s² of the first draw.
const (
	outX = iota
	outEstimate
	outNorm
	outSD
	outDistance
	outProduct
	outVar
)

// graph is one step for a batch: (x, D', z, stat, size, scalars), then what tableDims has, and
// in a drawn step noise of all cells and data, to the outputs.
func (c *Compiled) graph(g *graphs, k kind) func(args []*Node) []*Node {
	clip := slices.ContainsFunc(c.steps, func(s Step) bool { return s.Clip > 0 })
	spreads := slices.ContainsFunc(c.steps, func(s Step) bool { return s.Spread > 0 })
	return func(args []*Node) []*Node {
		x, previous, z, stat, size := args[0], args[1], args[2], args[3], args[4]
		scalar := func(i int) *Node { return Slice(args[5], AxisRange(), AxisElem(i)) }
		level := LevelNodes{SqrtAlpha: scalar(inSqrtAlpha), V: scalar(inV)}
		terms := c.terms
		if len(c.constants) > 0 {
			fed := make(map[string]*Node)
			for i, name := range c.constants {
				fed[name] = ConvertDType(Reshape(scalar(inputs+i)), g.data)
			}
			terms = terms.feed(fed)
		}
		mean, variance := c.prior.Moments(x, level)
		p := &Point{
			X: x, Level: level, Mean: mean, Var: StopGradient(variance),
			Stat: stat, Size: size, Terms: terms,
		}
		d := c.prior.Dim()
		if k == skewed {
			p.skew, p.slope = scalar(inSkew), variance
		}
		if c.tableDims(k) != nil {
			p.correlation, p.whole = args[6], d <= wholeCells
		}
		if !c.forward.plain() {
			p.forward, p.wide = c.forward, g.newton > 0
			if !p.whole && c.pairs() {
				p.pairs = Slice(args[6], AxisRangeToEnd(1))
				p.correlation = Slice(args[6], AxisRange(0, 1))
			}
		}
		if k == drawn {
			c.roll(p, args[len(args)-1])
		}
		if _, ok := c.prior.(Coupled); ok {
			p.coupling = scalar(inCoupling)
		}
		var shift *Node
		if k == drawn {
			shift = g.guidance.(Drawer).Draw(p)
		} else {
			shift = k.of(g.guidance).Shift(p)
		}
		estimate := inBounds(c.prior, Add(mean, shift))
		g.products[k], g.coupled, g.knows = p.products, g.coupled || p.coupled, p.rest != nil

		// score = (√α D − x)/v.
		score := Div(Sub(Mul(level.SqrtAlpha, estimate), x), level.V)
		if clip {
			score = Max(Min(score, scalar(inClip)), Neg(scalar(inClip)))
			estimate = Div(Add(x, Mul(level.V, score)), level.SqrtAlpha)
		}
		if k == corrector {
			mean := func(v *Node) *Node { return ReduceAllMean(Sqrt(rowDot(v, v))) }
			ratio := Div(Mul(scalar(inSNR), mean(z)), MaxScalar(mean(score), 1e-12))
			rate := MulScalar(Square(ratio), 2)
			x = Add(Add(x, Mul(rate, score)), Mul(Sqrt(MulScalar(rate, 2)), z))
		} else {
			noise := scalar(inS)
			if spreads {
				noise = Sqrt(Add(Square(noise), Mul(Square(scalar(inRest)), p.remaining())))
			}
			x = Add(Add(Mul(scalar(inA), x), Mul(scalar(inB), estimate)),
				Add(Mul(scalar(inC), previous), Mul(noise, z)))
			if g.rest && !spreads {
				x = Add(x, Mul(scalar(inRest), Mul(Sqrt(p.rest), z)))
			}
		}
		sd, distance := Sqrt(p.Var), Abs(StopGradient(mean))
		return []*Node{x, estimate, ReduceAllSum(Square(x)),
			ReduceAllMax(sd), ReduceAllMax(distance), ReduceAllMax(Mul(sd, Add(sd, distance))),
			Slice(p.Var, AxisElem(0))}
	}
}
