package expfam

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// Inference is the paper's inference network: it emits the conjugate prior of θ
// given x_t, and is trained for one family of conjugates and one link. With u
// the coordinate of θ as a function of x₀, and x̂ and s₀ the best scalar
// denoiser of each cell and its error (see [Learned]),
//
//	loc = u(x̂) + s₀ |u'| F₁,  log conc = −log(s₀² u'²) + F₂,
//
// u' at the mean of the cell.
//
// It knows nothing of data: one network serves all exposures, trials and
// replicates, and links that differ in the intercept of u.
type Inference struct {
	Net nn.Network
	// Scale holds mean and sd of the cells, from the training draws.
	Scale Scale
	// Curve is the course of the training.
	Curve Curve
	// Likelihood gives the conjugate and the link.
	Likelihood Likelihood

	weights []float32
	digest  string
}

func (n *Inference) String() string {
	return fmt.Sprintf("inference(%s, %v, %s)", n.Likelihood.target(), n.Net, n.digest)
}

// Infer evaluates the network; see [Inferrer].
func (n *Inference) Infer(x *Node, l LevelNodes) (loc, logConc *Node) {
	flat := Const(x.Graph(), tensors.FromFlatDataAndDimensions(n.weights, len(n.weights)))
	w := nn.Unpack(ConvertDType(flat, x.DType()), n.Net.Params(len(n.Scale.Mean), heads)).Frozen()
	return infer(n.Net, w, n.Scale, n.Likelihood, x, l)
}

func infer(net nn.Network, w nn.Weights, scale Scale, like Likelihood, x *Node, l LevelNodes) (loc, logConc *Node) {
	estimate, s0, in := precondition(scale, x, l)
	coordinate := like.Coordinate()
	center := ConvertDType(Const(x.Graph(), [][]float64{scale.Mean}), x.DType())
	slope := Gradient(ReduceAllSum(coordinate(center)), center)[0]
	spread := Mul(s0, MaxScalar(Abs(StopGradient(slope)), 1e-3))
	out := net.Apply(w, in, heads)
	loc = Add(coordinate(estimate), Mul(spread, out[0]))
	// The clip spans what noise levels from 0.001 to pure noise ask for.
	logConc = ClipScalar(Sub(out[1], MulScalar(Log(spread), 2)), -4, 16)
	return loc, logConc
}

// target names what an inference network is for: the conjugate and the
// coordinate of θ as a function of x₀, without its intercept, which the network
// does not see: exp(x) and exp(5+x) share one.
func (l Likelihood) target() string {
	conjugate := l.Family.Conjugate()
	link, ok := LinkFormula(l.Link)
	if !ok {
		return fmt.Sprintf("%v, %v", conjugate, l.Link)
	}
	coordinate := conjugate.Coordinate().Substitute(link)
	if _, slope, affine := coordinate.Affine(); affine {
		return fmt.Sprintf("%v, %v = c + %g x", conjugate, conjugate.Coordinate(), slope)
	}
	return fmt.Sprintf("%v, %v = %v", conjugate, conjugate.Coordinate(), coordinate)
}

// TrainInference trains the inference network of a likelihood on draws of the
// prior, by the paper's amortised objective (its eq. for ρ*): the mean of
// −log q(θ | x_t) over x₀, t and noise. Noise levels, storing and resuming are
// as in [Train].
func TrainInference(sim Simulator, like Likelihood, t Training) (*Inference, error) {
	like.Link = like.link()
	if err := like.Check(); err != nil {
		return nil, err
	}
	if _, formula := LinkFormula(like.Link); !formula {
		t.Fresh = true // no text determines a Go function
	}
	conjugate, coordinate := like.Family.Conjugate(), like.Coordinate()
	done, err := train(sim, t, "inference: "+like.target(), func(net nn.Network, scale Scale) objective {
		return func(w nn.Weights, x0, x *Node, l LevelNodes) *Node {
			loc, logConc := infer(net, w, scale, like, x, l)
			return ReduceAllMean(conjugate.NegLogDensity(loc, logConc, coordinate(x0)))
		}
	}, nil, nil)
	if err != nil {
		return nil, err
	}
	return done.inference(like), nil
}

func (t *trained) inference(like Likelihood) *Inference {
	return &Inference{Net: t.net, Scale: t.scale, Curve: t.curve, Likelihood: like,
		weights: t.weights, digest: digestOf(t.weights, t.scale)}
}

// Save writes the network as [Learned.Save] does.
func (n *Inference) Save(path string) error {
	f, err := (&trained{net: n.Net, scale: n.Scale, weights: n.weights, curve: n.Curve}).file()
	if err != nil {
		return err
	}
	f.Meta["target"] = n.Likelihood.target()
	return store.Write(path, f)
}

// LoadInference reads a network that [Inference.Save] wrote, for a likelihood
// with the conjugate and the link that it was trained for; net is its
// architecture, nil for the default.
func LoadInference(path string, like Likelihood, net nn.Network) (*Inference, error) {
	if net == nil {
		net = nn.Experts{}
	}
	like.Link = like.link()
	if err := like.Check(); err != nil {
		return nil, err
	}
	f, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	if _, ok := f.Meta["target"]; !ok {
		return nil, fmt.Errorf("inference: %s holds no inference network; give a score network to LoadPrior", path)
	}
	if f.Meta["target"] != like.target() {
		return nil, fmt.Errorf("inference: %s was trained for %q, not for %q; train one with TrainInference", path, f.Meta["target"], like.target())
	}
	t, err := trainedFrom(f, net)
	if err != nil {
		return nil, fmt.Errorf("inference: %s %w", path, err)
	}
	return t.inference(like), nil
}
