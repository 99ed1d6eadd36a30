package nn

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Activations on a grid are (batch, rows, columns, channels). Strided and
// transposed convolutions have no gradient on ONNX Runtime: resolutions are
// halved by means of 2×2 cells and doubled by repeating them.

// conv is the convolution of parameters name.w, (k, k, in, out), and name.b,
// the same size after it, with zeros beyond the border.
func (w Weights) conv(name string, x *Node) *Node {
	kernel := w[name+".w"]
	y := Convolve(x, kernel).PadSame().Done()
	if kernel.StopGradient() {
		y.WithAlias(fmt.Sprintf("%s%d", frozenConvolution, y.Id()))
	}
	return Add(y, w[name+".b"])
}

// frozenConvolution begins the aliases of convolutions with weights that are
// held fixed.
const frozenConvolution = "/nn/convolution/"

func init() {
	both := VJPRegistration[NodeTypeConvGeneral]
	VJPRegistration[NodeTypeConvGeneral] = func(y *Node, adjoint []*Node, shape shapes.Shape) []*Node {
		if !strings.HasPrefix(y.GetAlias(), frozenConvolution) {
			return both(y, adjoint, shape)
		}
		turned := Transpose(Reverse(y.Inputs()[1], 0, 1), 2, 3)
		return []*Node{Convolve(adjoint[0], turned).PadSame().Done(), nil}
	}
}

// convParams are those of [Weights.conv], weights of sd gain/√(k²·in).
func convParams(name string, k, in, out int, gain float64) []Param {
	return []Param{
		{Name: name + ".w", Shape: []int{k, k, in, out}, SD: gain / math.Sqrt(float64(k*k*in))},
		{Name: name + ".b", Shape: []int{1, 1, 1, out}},
	}
}

// pointwise is [Weights.dense] for every cell.
func (w Weights) pointwise(name string, x *Node) *Node {
	d := x.Shape().Dimensions
	y := w.dense(name, Reshape(x, -1, d[3]))
	return Reshape(y, d[0], d[1], d[2], -1)
}

// halve takes the mean of 2×2 cells.
func halve(x *Node) *Node {
	d := x.Shape().Dimensions
	return ReduceMean(Reshape(x, d[0], d[1]/2, 2, d[2]/2, 2, d[3]), 2, 4)
}

// double repeats every cell 2×2 times.
func double(x *Node) *Node {
	d := x.Shape().Dimensions
	y := BroadcastToDims(Reshape(x, d[0], d[1], 1, d[2], 1, d[3]), d[0], d[1], 2, d[2], 2, d[3])
	return Reshape(y, d[0], 2*d[1], 2*d[2], d[3])
}

// groupNorm gives each of the groups of channels mean 0 and variance 1 over the
// grid, and then every channel a scale 1 + name.scale and an offset
// name.offset (Wu & He 2018). No groups is no normalisation.
func (w Weights) groupNorm(name string, x *Node, groups int) *Node {
	if groups == 0 {
		return x
	}
	d := x.Shape().Dimensions
	y := Reshape(x, d[0], d[1], d[2], groups, d[3]/groups)
	y = Sub(y, reduceMean(y, 1, 2, 4))
	y = Div(y, Sqrt(AddScalar(reduceMean(Square(y), 1, 2, 4), 1e-5)))
	return Add(Mul(Reshape(y, d...), OnePlus(w[name+".scale"])), w[name+".offset"])
}

// reduceMean is the mean over axes, which stay with length 1.
func reduceMean(x *Node, axes ...int) *Node { return ReduceAndKeep(x, ReduceMean, axes...) }

// groupNormParams are those of [Weights.groupNorm].
func groupNormParams(name string, channels, groups int) []Param {
	if groups == 0 {
		return nil
	}
	shape := []int{1, 1, 1, channels}
	return []Param{{Name: name + ".scale", Shape: shape}, {Name: name + ".offset", Shape: shape}}
}

// attention adds to every cell what it finds at all others: one head of scaled
// dot products (Vaswani et al. 2017).
func (w Weights) attention(name string, x *Node, groups int) *Node {
	d := x.Shape().Dimensions
	h := w.groupNorm(name+".norm", x, groups)
	part := func(kind string) *Node { return Reshape(w.pointwise(name+"."+kind, h), d[0], d[1]*d[2], d[3]) }
	match := Einsum("bic,bjc->bij", part("query"), part("key"))
	found := Einsum("bij,bjc->bic", Softmax(MulScalar(match, 1/math.Sqrt(float64(d[3]))), -1), part("value"))
	return Add(x, w.pointwise(name+".out", Reshape(found, d...)))
}

// attentionParams are those of [Weights.attention].
func attentionParams(name string, channels, groups int) []Param {
	list := groupNormParams(name+".norm", channels, groups)
	for _, kind := range []string{"query", "key", "value"} {
		list = append(list, denseParams(name+"."+kind, channels, channels, 1)...)
	}
	return append(list, denseParams(name+".out", channels, channels, 0)...)
}
