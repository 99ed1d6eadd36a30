package learn

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
)

// Prior is a prior whose denoiser is a network that was trained on draws. The best scalar denoiser of each
// cell gives the estimate x̂ and its standard deviation s₀. The network outputs F₁ and F₂ correct them:
//
//	s₀² = σ² sd²/(σ² + sd²),  x̂ = μ + (sd²/(σ² + sd²)) (x_t/√α − μ),
//	m = x̂ + s₀ F₁,  log s² = log s₀² + F₂,
//
// A network with output 0 is therefore a sensible estimator already, and the targets of
// the network are of order one at every noise level (compare Karras et al. 2022).
type Prior struct {
	Net nn.Network
	// Scale holds the mean and sd of each cell, estimated from draws.
	Scale Scale
	// Curve is the course of the training.
	Curve Curve

	augmentation
	weights  []float32
	coupling []float64 // at couplingLevels
	scales   Scales    // of larger images; see [Prior.Measure]
	report   *Report
	digest   string
}

// Scale is the mean and the standard deviation of every cell of a prior.
type Scale struct {
	Mean, SD []float64
	// Low and High are the bounds of all cells of an [expfam.Bounded] prior. Both are 0 if the prior has no bounds.
	Low, High float64
}

func (s Scale) bounded() bool { return s.Low < s.High }

// Curve is the course of a training. At some steps it has the mean training loss since the point before, and
// the loss of the averaged weights on held-out draws.
type Curve struct {
	Step           []float64
	Train, HeldOut []float64
	Seconds        float64 // of all runs of the training
}

// Dim returns the number of cells.
func (p *Prior) Dim() int { return len(p.Scale.Mean) }

// String names the network by its architecture and a digest of its weights, its scale and its coupling.
func (p *Prior) String() string { return fmt.Sprintf("learned(%v, %s)", p.Net, p.digest) }

// Bounds returns the bounds of the draws that the network was trained on; see [expfam.Bounded].
func (p *Prior) Bounds() (low, high float64) { return p.Scale.Low, p.Scale.High }

// Moments evaluates the network; see [expfam.Prior].
func (p *Prior) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	flat := Const(x.Graph(), tensors.FromFlatDataAndDimensions(p.weights, len(p.weights)))
	w := nn.Unpack(ConvertDType(flat, x.DType()), p.Net.Params(p.Dim(), heads))
	return denoise(p.Net, w.Frozen(), p.Scale, x, l)
}

// denoise returns the mean and variance of x₀ | x_t by a network with two heads; see [Prior] for the formula.
func denoise(net nn.Network, w nn.Weights, scale Scale, x *Node, l level.Nodes) (mean, variance *Node) {
	estimate, s0, in := precondition(scale, x, l)
	out := net.Apply(w, in, heads)
	mean = Add(estimate, Mul(s0, out[0]))
	// The clip keeps a bad variance head from overflowing.
	variance = Mul(Square(s0), Exp(ClipScalar(out[1], -12, 6)))
	return mean, variance
}

// precondition returns the best scalar denoiser, which is the estimate x̂ and its sd s₀, both broadcastable
// to x, and the network's input.
func precondition(scale Scale, x *Node, l level.Nodes) (estimate, s0 *Node, in nn.Input) {
	g, dtype := x.Graph(), x.DType()
	row := func(v []float64) *Node { return ConvertDType(Const(g, [][]float64{v}), dtype) }
	mu, sd := row(scale.Mean), row(scale.SD)
	alpha, variance := Square(l.SqrtAlpha), Square(sd)
	total := Add(Mul(alpha, variance), l.V) // Var x_t
	deviation := Sub(x, Mul(l.SqrtAlpha, mu))
	estimate = Add(mu, Mul(deviation, Div(Mul(l.SqrtAlpha, variance), total)))
	s0 = Sqrt(Div(Mul(variance, l.V), total))
	return estimate, s0, nn.Input{
		X:        Div(deviation, Sqrt(total)),
		Estimate: Div(Sub(estimate, mu), sd),
		SD:       sd,
		LogSigma: Log(l.Sigma()),
		LogNoise: Sub(Log(l.Sigma()), ReduceAndKeep(Log(sd), ReduceMean, -1)),
	}
}

// Footprint estimates the memory that the network needs; see [expfam.Sized].
func (p *Prior) Footprint() expfam.Footprint { return footprint(p.Net, len(p.weights), p.Dim()) }

// footprint estimates the memory that a network with this number of weights needs.
func footprint(net nn.Network, weights, cells int) expfam.Footprint {
	return expfam.Footprint{Fixed: float64(weights), Draw: nn.Footprint(net, cells, heads)}
}

// prior makes a prior of a trained network.
func (t *trained) prior() *Prior {
	return &Prior{Net: t.net, Scale: t.scale, Curve: t.curve, weights: t.weights,
		coupling: t.coupling, scales: t.scales, report: t.report,
		augmentation: t.augmentation,
		digest:       digestOf(t.weights, t.scale, t.coupling, t.ahead)}
}

// digestOf returns the first half of the SHA-256 of weights, scale, coupling and cells ahead, in hexadecimal.
func digestOf(weights []float32, scale Scale, coupling []float64, ahead []law.Normal) string {
	hash := sha256.New()
	binary.Write(hash, binary.LittleEndian, weights)
	binary.Write(hash, binary.LittleEndian, scale.Mean)
	binary.Write(hash, binary.LittleEndian, scale.SD)
	if scale.bounded() {
		binary.Write(hash, binary.LittleEndian, []float64{scale.Low, scale.High})
	}
	binary.Write(hash, binary.LittleEndian, coupling)
	binary.Write(hash, binary.LittleEndian, ahead)
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// Lattice returns the grid of a network that has a grid, such as [nn.UNet]. For other networks, and for cells of which
// some are parameters, it returns one row of all cells; see [expfam.Lattice].
func (p *Prior) Lattice() (rows, cols int) {
	if l, ok := p.Net.(expfam.Lattice); ok && len(p.parameters) == 0 {
		return l.Lattice()
	}
	return 1, p.Dim()
}

// ParametricSimulator is a simulator whose draws have parameters, such as the length scale of a curve or the
// reproduction number of an epidemic. [Train] learns the field together with the parameters, and posteriors have the
// draws of the parameters under any likelihood ([expfam.Posterior.Parameter]). Data look at the field alone. The
// parameters of a draw are independent, each with its law.
type ParametricSimulator interface {
	expfam.Simulator
	// Parameters returns the parameters with their laws.
	Parameters() []law.Parameter
	// DrawGiven fills x with a draw of x₀ given the values of the parameters, in their own units and in the order of
	// Parameters. Draw is DrawGiven with values of [law.Draw].
	DrawGiven(rng *rand.Rand, values, x []float64)
}
