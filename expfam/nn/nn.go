// Package nn has the networks of the library. An architecture is a struct literal that
// lists its parameters and applies them on a graph. The networks use only operations that
// XLA, ONNX Runtime and pure Go all support, together with their gradients.
package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// Network is an architecture that computes outputs, its heads, from a noisy x and its noise level. Each head has
// the size of x.
type Network interface {
	// String returns a text that determines the architecture.
	String() string
	// Params lists the parameters that [Network.Apply] needs for this number of cells and heads, in the order in
	// which the flat vector holds them.
	Params(cells, heads int) []Param
	// Apply returns the heads, each (batch, d).
	Apply(w Weights, in Input, heads int) []*Node
}

// Checker is a network that does not suit every number of cells, or whose fields may be impossible.
// Its Params may panic if Check returns an error.
type Checker interface{ Check(cells int) error }

// ScaleChecker is a network that does not suit every scale of the cells. CheckScale gets the standard deviation of
// every cell of the prior.
type ScaleChecker interface{ CheckScale(sd []float64) error }

// Augmenter is a network that can treat some cells at the end as parameters of the field in the other cells. Networks
// without this method take them for cells.
type Augmenter interface {
	Network
	// Augment returns the network for cells of which so many at the end are parameters.
	Augment(parameters int) Network
}

// Weigher is a network that weighs the errors of its mean itself. The weights may depend on x_t alone, so that the mean
// of x₀ | x_t has the least expected error.
type Weigher interface {
	Network
	// Weigh returns weighted squared errors for the errors of the mean in units of x₀, both (batch, d).
	Weigh(w Weights, in Input, err *Node) *Node
}

// Param is one array of weights.
type Param struct {
	Name  string
	Shape []int
	// SD is the standard deviation of the initial values. With SD 0 all of them are 0.
	SD float64
}

// Size returns the number of values.
func (p Param) Size() int {
	n := 1
	for _, k := range p.Shape {
		n *= k
	}
	return n
}

// Weights are parameters on a graph, by name.
type Weights map[string]*Node

// Input is what a network sees.
type Input struct {
	// X is x_t, (batch, d), scaled to unit variance.
	X *Node
	// Estimate is the best scalar denoiser's estimate of x₀, (batch, d), with mean 0 and sd 1 under the prior as the
	// noise goes to 0. It goes to 0 as the noise grows, like the information that x_t has about x₀. The Jacobian of a
	// network with this input is therefore a usable covariance at every noise level.
	Estimate *Node
	// SD is the standard deviation of every cell in units of x₀, (1, d). Nil: 1.
	SD *Node
	// LogSigma is the logarithm of the noise in units of x₀: (batch, 1), or (1, 1) if one level serves the whole batch.
	LogSigma *Node
	// LogNoise is the logarithm of the noise in units of the prior's sd, more exactly of its
	// geometric mean over the cells. It has the shape of LogSigma.
	LogNoise *Node
}

// Count returns the number of values of all parameters together.
func Count(parameters []Param) int {
	n := 0
	for _, p := range parameters {
		n += p.Size()
	}
	return n
}

// Initial draws the initial values of all parameters as a flat vector. They are the same for every engine.
func Initial(parameters []Param, rng *rand.Rand) []float32 {
	flat := make([]float32, 0, Count(parameters))
	for _, p := range parameters {
		for range p.Size() {
			flat = append(flat, float32(p.SD*rng.NormFloat64()))
		}
	}
	return flat
}

// Unpack cuts a flat vector, (Count,), into the parameters. Take gradients with respect
// to the results, because ONNX Runtime has no gradient of a slice.
func Unpack(flat *Node, parameters []Param) Weights {
	w := make(Weights, len(parameters))
	at := 0
	for _, p := range parameters {
		w[p.Name] = Reshape(Slice(flat, AxisRange(at, at+p.Size())), p.Shape...)
		at += p.Size()
	}
	return w
}

// dense returns the affine map x W + b, where W is the parameter name.w and b is name.b.
func (w Weights) dense(name string, x *Node) *Node {
	return Add(product(x, w[name+".w"]), w[name+".b"])
}

// denseParams lists the parameters of [Weights.dense]: weights with the initial sd gain/√in, and the bias as a row.
func denseParams(name string, in, out int, gain float64) []Param {
	return []Param{
		{Name: name + ".w", Shape: []int{in, out}, SD: gain / math.Sqrt(float64(in))},
		{Name: name + ".b", Shape: []int{1, out}},
	}
}

// waves returns n/2 sines and n/2 cosines of u: (batch, 1) becomes (batch, n). The angular
// frequencies go from low to high in equal ratios (Vaswani et al. 2017).
func waves(u *Node, n int, low, high float64) *Node {
	half := n / 2
	frequencies := make([]float64, half)
	for i := range frequencies {
		frequencies[i] = low * math.Pow(high/low, float64(i)/float64(max(half-1, 1)))
	}
	angle := Mul(u, ConvertDType(Const(u.Graph(), [][]float64{frequencies}), u.DType()))
	return Concatenate([]*Node{Sin(angle), Cos(angle)}, -1)
}

func headName(i int) string { return fmt.Sprintf("head%d", i) }
