package diffusion

import (
	"errors"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/graphcheck"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
)

// stepGraph builds the graph of one step of the reverse diffusion for a batch of draws.
type stepGraph struct {
	*setup
	graphs *graphs
	kind   kind
	prior  expfam.Prior // of the grade of the step
	// x is x_t, previous the estimate of the step before, and noise is standard normal; all are (batch, d).
	x, previous, noise *Node
	// stat and size are the observations, (1, data).
	stat, size *Node
	// numbers is the row of numbers, (1, inputs + open constants).
	numbers *Node
	// more has the table of correlations, if the kind has one, and then the noise of a drawn step or imputed values.
	more  []*Node
	level level.Nodes
}

// graph returns the builder of the graph of a step. The arguments have the shapes of
// [compiler.shapes]; the outputs are outX to outVar.
func (c *compiler) graph(g *graphs, of program) func(args []*Node) []*Node {
	k := of.kind
	return func(args []*Node) []*Node {
		g.building.Lock()
		defer g.building.Unlock()
		s := &stepGraph{setup: c.setup, graphs: g, kind: k, prior: c.served(of.grade), x: args[0],
			previous: args[1], noise: args[2], stat: args[3], size: args[4], numbers: args[5], more: args[6:]}
		s.level = level.Nodes{SqrtAlpha: s.number(inSqrtAlpha), V: s.number(inV)}
		p := s.point()
		estimate := traits.InBounds(c.prior, Add(p.Mean, s.shift(p)))
		g.products[of], g.coupled, g.knows = p.products, g.coupled || p.coupled, p.rest != nil
		score, estimate := s.score(estimate)
		var next *Node
		if k == corrector {
			next = s.correct(score)
		} else {
			next = s.move(p, estimate)
		}
		sd, distance := Sqrt(p.Var), Abs(StopGradient(p.Mean))
		return []*Node{outX: next, outEstimate: estimate, outNorm: ReduceAllSum(Square(next)),
			outSD: ReduceAllMax(sd), outDistance: ReduceAllMax(distance),
			outProduct: ReduceAllMax(Mul(sd, Add(sd, distance))), outVar: Slice(p.Var, AxisElem(0))}
	}
}

// number returns an entry of the row of numbers, (1, 1).
func (s *stepGraph) number(i int) *Node { return Slice(s.numbers, AxisRange(), AxisElem(i)) }

// fed returns the forward model, whose open constants read the row of numbers.
func (s *stepGraph) fed() *expfam.Forward {
	if len(s.values) == 0 {
		return s.forward
	}
	f, next := *s.forward, inputs
	f.Parts = slices.Clone(f.Parts)
	for i, part := range f.Parts {
		var fed []*expfam.Terms
		for _, t := range inputTerms(part) {
			names, _ := t.Constants()
			nodes := make(map[string]*Node)
			for _, name := range names {
				nodes[name] = ConvertDType(Reshape(s.number(next)), s.graphs.data)
				next++
			}
			fed = append(fed, t.Feed(nodes))
		}
		if f.Parts[i].Terms = fed[0]; len(fed) > 1 {
			f.Parts[i].Sum = fed[1]
		}
	}
	return &f
}

// momentsOf returns the moments of x₀ | x_t under a prior, which may be a user's own.
func momentsOf(prior expfam.Prior, x *Node, l level.Nodes) (mean, variance *Node) {
	return graphcheck.Moments(prior, x, func() (mean, variance *Node) { return prior.Moments(x, l) })
}

// point evaluates the prior, and returns what the guidance gets to see.
func (s *stepGraph) point() *Point {
	mean, variance := momentsOf(s.prior, s.x, s.level)
	p := &Point{
		X: s.x, Level: s.level, Mean: mean, Var: StopGradient(variance),
		Stat: s.stat, Size: s.size, Terms: s.terms, covariance: s.covariance,
	}
	if s.kind == skewed {
		p.skew, p.variance = s.number(inSkew), variance
	}
	p.wide = s.graphs.newton > 0 || s.graphs.inner
	if f := s.fed(); f.Plain() {
		p.Terms = f.Parts[0].Terms
	} else {
		p.forward = f
	}
	if a := augmentationOf(s.prior); len(a.parameters) > 0 && (s.kind == affine || s.kind == light) {
		p.denoiser = &denoiser{s.prior, a.data, a.scale}
	}
	if s.imputes(s.kind) {
		p.imputed = s.more[len(s.more)-1]
	}
	if s.kind == drawn {
		s.addNoise(p, s.more[len(s.more)-1])
	}
	if s.covariance.tableDims(s.kind) != nil {
		s.covariance.setTable(p, s.more[0])
		if s.graphs.unconditioned {
			p.cosines = nil
		}
	}
	if s.model.coupling(s.steps[0].Level.Sigma()) > 0 {
		p.coupling = s.number(inCoupling)
	}
	return p
}

// addNoise gives the point of a drawn step its random numbers, the columns of noise for cells and then for data, and
// the root of its covariance. If the root is not in the table, it comes from a [Rooted] prior, and from Lanczos
// steps for other priors.
func (s *stepGraph) addNoise(p *Point, noise *Node) {
	d := s.prior.Dim()
	p.noise = &stepNoise{z: Slice(noise, AxisRange(), AxisRange(0, d)),
		e: Slice(noise, AxisRange(), AxisRange(d, d+s.forward.Data()))}
	if r, ok := s.prior.(Rooted); ok {
		p.noise.own = func(z *Node) *Node { return r.Root(z, p.Level) }
	}
}

// shift returns how the data move the mean of x₀ | x_t. In a drawn step it has the noise of a draw of x₀ | x_t, y.
func (s *stepGraph) shift(p *Point) *Node {
	guidance := s.kind.of(s.graphs.guidance)
	return graphcheck.Shift(guidance, s.x, func() *Node {
		defer func() { // also after a panic, which may be about the shape of data that are no cells
			if _, none := guidance.(Unguided); p.forward != nil && !p.throughForward && !none {
				panic(errors.New("the guidance takes data of single cells, and these data look through an operator; " +
					"guide by Quadrature"))
			}
		}()
		if s.kind == drawn {
			return s.graphs.guidance.(Drawer).Draw(p)
		}
		return guidance.Shift(p)
	})
}

// score returns the score (√α D − x)/v of x_t given y, with D the estimate, and the estimate.
// Where steps are clipped, it returns the clipped score and the estimate that has this score.
func (s *stepGraph) score(estimate *Node) (score, clipped *Node) {
	level := s.level
	score = Div(Sub(Mul(level.SqrtAlpha, estimate), s.x), level.V)
	if slices.ContainsFunc(s.steps, func(s Step) bool { return s.Clip > 0 }) {
		score = Max(Min(score, s.number(inClip)), Neg(s.number(inClip)))
		estimate = Div(Add(s.x, Mul(level.V, score)), level.SqrtAlpha)
	}
	return score, estimate
}

// move returns x after a step that is affine in x, the estimate, the estimate before and noise; see [Step].
func (s *stepGraph) move(p *Point, estimate *Node) *Node {
	sd := s.number(inS)
	spreads := slices.ContainsFunc(s.steps, func(s Step) bool { return s.Spread > 0 })
	if spreads {
		sd = Sqrt(Add(Square(sd), Mul(Square(s.number(inRest)), p.remaining())))
	}
	x := Add(Add(Mul(s.number(inA), s.x), Mul(s.number(inB), estimate)),
		Add(Mul(s.number(inC), s.previous), Mul(sd, s.noise)))
	if s.graphs.rest && !spreads {
		x = Add(x, Mul(s.number(inRest), Mul(Sqrt(p.rest), s.noise)))
	}
	return x
}

// correct returns x after a step of Langevin dynamics, whose rate keeps the ratio of signal to noise
// (Song et al. 2021, algorithm 5).
func (s *stepGraph) correct(score *Node) *Node {
	norm := func(v *Node) *Node { return ReduceAllMean(Sqrt(rowDot(v, v))) }
	ratio := Div(Mul(s.number(inSNR), norm(s.noise)), MaxScalar(norm(score), 1e-12))
	rate := MulScalar(Square(ratio), 2)
	return Add(Add(s.x, Mul(rate, score)), Mul(Sqrt(MulScalar(rate, 2)), s.noise))
}
