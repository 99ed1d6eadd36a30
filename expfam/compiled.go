package expfam

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ErrInterrupted is the error of a run that was stopped; what it had finished
// is returned with it.
var ErrInterrupted = errors.New("interrupted")

// Compiled is a sampler whose graphs are ready: any observations of the same
// cells can be sampled again and again without compiling. It may be used by
// one goroutine at a time.
type Compiled struct {
	prior   Prior
	like    Likelihood
	terms   *Terms
	sampler Sampler
	block   int // draws of one evaluation
	steps   []Step
	move    *Exec // an affine step
	correct *Exec // a Langevin step
	// products per evaluation, found while the graph was built.
	products  int
	coupled   bool // the guidance asks for the coupling of the cells
	compiling float64
	// The named constants of the link that are inputs of the graphs, and their
	// values.
	constants []string
	values    []float64
}

// Compile checks the likelihood, builds the sampler's graphs and compiles them.
// Named constants of the link are compiled in; see [Live].
func Compile(prior Prior, like Likelihood, s Sampler) (*Compiled, error) {
	return compile(prior, like, s, false)
}

// compile leaves the named constants of the link open, if it is told to.
func compile(prior Prior, like Likelihood, s Sampler, open bool) (*Compiled, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return nil, err
	}
	c, err := prepare(prior, like, s, open)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if c.move, err = c.build(false); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(c.steps, func(s Step) bool { return s.SNR > 0 }) {
		if c.correct, err = c.build(true); err != nil {
			return nil, err
		}
	}
	c.compiling = since(start)
	s.announce(c.Plan())
	return c, nil
}

// prepare checks all that is needed to build the graphs. The sampler has its
// defaults.
func prepare(prior Prior, like Likelihood, s Sampler, open bool) (c *Compiled, err error) {
	like.Link = like.link()
	if err := like.Check(); err != nil {
		return nil, err
	}
	c = &Compiled{prior: prior, like: like, sampler: s, block: s.block(prior)}
	if c.steps, err = stepsOf(s.Method); err != nil {
		return nil, err
	}
	if c.terms, err = like.Terms(); err != nil {
		return nil, err
	}
	if open {
		c.constants, c.values = like.constants()
	}
	return c, nil
}

func (c *Compiled) build(corrector bool) (*Exec, error) {
	exec, err := NewExec(c.sampler.Engine.Backend, c.graph(corrector))
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	if _, err := exec.Compile(c.shapes(c.block)...); err != nil {
		return nil, c.refused(err)
	}
	return exec, nil
}

// shapes are those of the arguments of a step of so many draws.
func (c *Compiled) shapes(batch int) []shapes.Shape {
	d, dtype := c.prior.Dim(), c.sampler.DType
	draws, cells := shapes.Make(dtype, batch, d), shapes.Make(dtype, 1, d)
	return []shapes.Shape{draws, draws, draws, cells, cells, shapes.Make(dtype, 1, inputs+len(c.constants))}
}

func (c *Compiled) refused(err error) error {
	return fmt.Errorf("sample: compiling %v under %v on %v: %w", c.sampler.Guidance, c.like, c.sampler.Engine, err)
}

// Close frees the compiled graphs.
func (c *Compiled) Close() {
	c.move.Finalize()
	if c.correct != nil {
		c.correct.Finalize()
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
	inputs
)

// graph is one step for a batch: (x, D', z, stat, size, scalars) to x, D and
// what check looks at: Σx², and of the prior the largest s, the largest |m| and
// the largest s (s + |m|).
func (c *Compiled) graph(corrector bool) func(args []*Node) []*Node {
	clip := slices.ContainsFunc(c.steps, func(s Step) bool { return s.Clip > 0 })
	return func(args []*Node) []*Node {
		x, previous, z, stat, size := args[0], args[1], args[2], args[3], args[4]
		scalar := func(i int) *Node { return Slice(args[5], AxisRange(), AxisElem(i)) }
		level := LevelNodes{SqrtAlpha: scalar(inSqrtAlpha), V: scalar(inV)}
		like, terms := c.like, c.terms
		if len(c.constants) > 0 {
			fed := make(map[string]*Node)
			for i, name := range c.constants {
				fed[name] = Reshape(scalar(inputs + i))
			}
			like, terms = like.feed(fed, terms)
		}
		mean, variance := c.prior.Moments(x, level)
		p := &Point{
			X: x, Level: level, Mean: mean, Var: StopGradient(variance),
			Stat: stat, Size: size, Likelihood: like, Terms: terms,
		}
		if knowsCoupling(c.prior) {
			p.coupling = scalar(inCoupling)
		}
		estimate := Add(mean, c.sampler.Guidance.Shift(p))
		if b, ok := c.prior.(Bounded); ok {
			if low, high := b.Bounds(); low < high {
				estimate = ClipScalar(estimate, low, high)
			}
		}
		c.products, c.coupled = p.products, p.coupled

		// score = (√α D − x)/v.
		score := Div(Sub(Mul(level.SqrtAlpha, estimate), x), level.V)
		if clip {
			score = Max(Min(score, scalar(inClip)), Neg(scalar(inClip)))
			estimate = Div(Add(x, Mul(level.V, score)), level.SqrtAlpha)
		}
		if corrector {
			mean := func(v *Node) *Node { return ReduceAllMean(Sqrt(rowDot(v, v))) }
			ratio := Div(Mul(scalar(inSNR), mean(z)), MaxScalar(mean(score), 1e-12))
			rate := MulScalar(Square(ratio), 2)
			x = Add(Add(x, Mul(rate, score)), Mul(Sqrt(MulScalar(rate, 2)), z))
		} else {
			x = Add(Add(Mul(scalar(inA), x), Mul(scalar(inB), estimate)),
				Add(Mul(scalar(inC), previous), Mul(scalar(inS), z)))
		}
		sd, distance := Sqrt(p.Var), Abs(StopGradient(mean))
		return []*Node{x, estimate, ReduceAllSum(Square(x)),
			ReduceAllMax(sd), ReduceAllMax(distance), ReduceAllMax(Mul(sd, Add(sd, distance)))}
	}
}
