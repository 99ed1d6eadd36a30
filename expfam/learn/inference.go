package learn

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
)

// ShiftFamily is an [expfam.Conjugate] whose density depends on the coordinate u only through u − loc. Every conjugate
// of package expfam except BetaPrior is a ShiftFamily.
type ShiftFamily interface {
	expfam.Conjugate
	ShiftFamily()
}

// Inference is the paper's inference network: it emits the conjugate prior of θ given x_t. It is trained for one family
// of conjugates and one link. Let u be the coordinate of θ as a function of x₀. Let x̂ be the estimate of the best
// scalar denoiser of each cell and s₀ its standard deviation (see [Prior]). The network outputs F₁ and F₂ give
//
//	loc = u(x̂) + s₀ |u'| F₁,  log conc = −log(s₀² u'²) + F₂,
//
// where u' is taken at the mean of the cell.
//
// The network does not depend on data: one network serves all exposures, trials and replicates. If u = c + b x and the
// conjugate is an [ShiftFamily], the network serves every intercept c, because F₁ and F₂ do not depend on c. A sampler
// then evaluates the network with the u of its own likelihood. Any other link is refused.
//
// For a likelihood with an operator, η = H x₀ + offset, the network emits the prior of θ_k =
// g⁻¹(η_k) of every datum k, with u as a function of η:
//
//	loc_k = u(η̂_k) + |u'| Σⱼ H_kj s₀ⱼ F₁ⱼ,  η̂ = H x̂ + offset,
//	log conc_k = −log(v_k u'²) + Σⱼ (H_kj² s₀ⱼ²/v_k) F₂ⱼ,  v_k = Σⱼ H_kj² s₀ⱼ².
//
// So the architecture does not depend on the number of data. The location can be exact where u is linear. The
// concentrations of data that share cells depend on each other. A network serves only the operator that it was
// trained for. Sums of intensities are refused.
type Inference struct {
	Net nn.Network
	// Scale holds the mean and sd of each cell, estimated from draws.
	Scale Scale
	// Curve is the course of the training.
	Curve Curve
	// Terms is the likelihood that the network was trained for: the conjugate and the link of [Inference.Infer].
	Terms *expfam.Terms

	weights []float32
	digest  string
	sight   *sight // the operator of the data, nil without one
}

// String names the network by its conjugate, its complete link with the intercept, its architecture, and a digest
// of weights and scale.
func (n *Inference) String() string {
	return fmt.Sprintf("inference(%v, %v%s, %v, %s)", n.Terms.Family.Conjugate(), n.Terms.Link, n.sight.name(), n.Net,
		n.digest)
}

// Infer evaluates the network for its own likelihood; see [diffusion.Inferrer].
func (n *Inference) Infer(x *Node, l level.Nodes) (loc, logConc *Node) {
	if cells := x.Shape().Dim(1); cells != len(n.Scale.Mean) {
		panic(fmt.Errorf("the inference network was trained on %d cells, and the prior has %d; train one on this "+
			"prior with TrainInference", len(n.Scale.Mean), cells))
	}
	flat := Const(x.Graph(), tensors.FromFlatDataAndDimensions(n.weights, len(n.weights)))
	w := nn.Unpack(ConvertDType(flat, x.DType()), n.Net.Params(len(n.Scale.Mean), heads)).Frozen()
	if n.sight != nil {
		return n.sight.infer(n.Net, w, n.Scale, n.Terms.Coordinate(), x, l)
	}
	return infer(n.Net, w, n.Scale, n.Terms.Coordinate(), x, l)
}

// Footprint estimates the memory that the network needs; see [expfam.Sized].
func (n *Inference) Footprint() expfam.Footprint {
	return footprint(n.Net, len(n.weights), len(n.Scale.Mean))
}

// For returns the network for another likelihood. It is an error if the network was not trained for that
// likelihood; only the intercept of the link may differ. See [diffusion.InferrerFor].
func (n *Inference) For(terms *expfam.Terms) (diffusion.Inferrer, error) {
	trained, _ := target(n.Terms)
	trained += n.sight.name()
	wanted, _ := target(terms)
	seen, err := sightOf(terms, len(n.Scale.Mean))
	if err != nil {
		return nil, err
	}
	wanted += seen.name()
	if trained == wanted {
		own := *n
		own.Terms = terms
		return &own, nil
	}
	return nil, fmt.Errorf("the inference network was trained for %q, not for %q; train one with TrainInference",
		trained, wanted)
}

// infer returns the conjugate prior of every cell; see [Inference] for the formula.
func infer(net nn.Network, w nn.Weights, scale Scale, coordinate func(x *Node) *Node, x *Node,
	l level.Nodes) (loc, logConc *Node) {
	estimate, s0, in := precondition(scale, x, l)
	center := ConvertDType(Const(x.Graph(), [][]float64{scale.Mean}), x.DType())
	slope := Gradient(ReduceAllSum(coordinate(center)), center)[0]
	spread := Mul(s0, MaxScalar(Abs(StopGradient(slope)), 1e-3))
	out := net.Apply(w, in, heads)
	loc = Add(coordinate(estimate), Mul(spread, out[0]))
	// The clip spans the log concentrations that occur from noise levels of 0.001 to pure noise.
	logConc = ClipScalar(Sub(out[1], MulScalar(Log(spread), 2)), -4, 16)
	return loc, logConc
}

// target returns the coordinate of θ as a function of x₀, and a name made of the conjugate and this coordinate. The
// name tells for which likelihoods an inference network serves. If the coordinate is c + b x and the conjugate is
// an [ShiftFamily], c is left out of both, so exp(x) and exp(5+x) share a network.
func target(t *expfam.Terms) (name string, coordinate func(x *Node) *Node) {
	conjugate := t.Family.Conjugate()
	link, ok := t.Formula()
	if !ok {
		return fmt.Sprintf("%v, %v", conjugate, t.LinkKey()), t.Coordinate()
	}
	u := conjugate.Coordinate().Substitute(link)
	if _, shifts := conjugate.(ShiftFamily); shifts {
		if slope, zero, constant := u.Derivative().Affine(); constant && zero == 0 {
			return fmt.Sprintf("%v, %v = c + %g x", conjugate, conjugate.Coordinate(), slope),
				formula.MustParse(fmt.Sprint(slope, "*x")).Graph
		}
	}
	return fmt.Sprintf("%v, %v = %v", conjugate, conjugate.Coordinate(), u), u.Graph
}

// TrainInference trains the inference network of a likelihood on draws of the prior. It minimises the paper's amortised
// objective (its eq. for ρ*): the mean of −log q(θ | x_t) over x₀, t and noise. Noise levels, storing and resuming are
// as in [Train]. With an operator, the mean is over the θ of every datum; see [Inference].
func TrainInference(sim expfam.Simulator, like expfam.Likelihood, t Training) (*Inference, error) {
	ctx, end := speak.Work("training", "held-out loss")
	defer end()
	return TrainInferenceContext(ctx, sim, like, t)
}

// TrainInferenceContext is [TrainInference] with a context: it ends when ctx ends; see [TrainContext].
func TrainInferenceContext(ctx context.Context, sim expfam.Simulator, like expfam.Likelihood, t Training) (*Inference,
	error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	conjugate := terms.Family.Conjugate()
	target, coordinate := target(terms)
	var seen *sight
	if sim != nil {
		if err := traits.Check(sim); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
		if seen, err = sightOf(terms, sim.Dim()); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	done, err := train(ctx, sim, t, task{purpose: "inference: " + target + seen.name(), kind: anInferrer,
		loss: func(net nn.Network, scale Scale) objective {
			return func(w nn.Weights, x0, x *Node, l level.Nodes) *Node {
				if seen != nil {
					loc, logConc := seen.infer(net, w, scale, coordinate, x, l)
					return ReduceAllMean(conjugate.NegLogDensity(loc, logConc, coordinate(seen.eta(x0))))
				}
				loc, logConc := infer(net, w, scale, coordinate, x, l)
				return ReduceAllMean(conjugate.NegLogDensity(loc, logConc, coordinate(x0)))
			}
		}})
	if err != nil {
		return nil, err
	}
	return done.inference(terms, seen), nil
}

// inference makes an inference network of a trained network.
func (t *trained) inference(terms *expfam.Terms, seen *sight) *Inference {
	return &Inference{Net: t.net, Scale: t.scale, Curve: t.curve, Terms: terms, sight: seen,
		weights: t.weights, digest: digestOf(t.weights, t.scale, nil, nil)}
}

// Save writes the network as [Prior.Save] does.
func (n *Inference) Save(path string) error {
	f, err := (&trained{net: n.Net, scale: n.Scale, weights: n.weights, curve: n.Curve}).file()
	if err != nil {
		return err
	}
	f.Meta["target"], _ = target(n.Terms)
	f.Meta["target"] += n.sight.name()
	return store.Write(path, f)
}

// LoadInference reads a network that [Inference.Save] wrote, for a likelihood with the conjugate and the link that it
// was trained for. The file names the architecture; see [Load].
func LoadInference(path string, like expfam.Likelihood, trained ...nn.Network) (*Inference, error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	f, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	if _, ok := f.Meta["target"]; !ok {
		return nil, fmt.Errorf("inference: %s holds no inference network; give a score network to Load", path)
	}
	t, err := network(f, trained)
	if err != nil {
		return nil, fmt.Errorf("inference: %s %w", path, err)
	}
	seen, err := sightOf(terms, len(t.scale.Mean))
	if err != nil {
		return nil, fmt.Errorf("inference: %w", err)
	}
	target, _ := target(terms)
	if target += seen.name(); f.Meta["target"] != target {
		return nil, fmt.Errorf("inference: %s was trained for %q, not for %q; train one with TrainInference", path,
			f.Meta["target"], target)
	}
	return t.inference(terms, seen), nil
}
