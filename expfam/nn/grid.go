package nn

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors/images"
)

// Activations on a grid are (batch, channels, rows, columns), kernels (out, in, k,
// k): the layout of ONNX Runtime, which would transpose any other twice for every
// convolution. Strided and transposed convolutions have no gradient there:
// resolutions are halved by means of 2×2 cells and doubled by repeating them.

// convolve keeps the size, with zeros beyond the border.
func convolve(x, kernel *Node) *Node {
	return Convolve(x, kernel).ChannelsAxis(images.ChannelsFirst).PadSame().Done()
}

// conv is the convolution of parameters name.w, (out, in, k, k), and name.b.
func (w Weights) conv(name string, x *Node) *Node {
	kernel := w[name+".w"]
	y := convolve(x, kernel)
	mark := trainedConvolution
	if kernel.StopGradient() {
		mark = frozenConvolution
	}
	return Add(y.WithAlias(fmt.Sprintf("%s%d", mark, y.Id())), w[name+".b"])
}

// The beginnings of the aliases of convolutions, with weights that are held fixed
// and with others.
const (
	frozenConvolution  = "/nn/frozen-convolution/"
	trainedConvolution = "/nn/trained-convolution/"
)

func init() {
	both := VJPRegistration[NodeTypeConvGeneral]
	VJPRegistration[NodeTypeConvGeneral] = func(y *Node, adjoint []*Node, shape shapes.Shape) []*Node {
		frozen, trained := strings.HasPrefix(y.GetAlias(), frozenConvolution), strings.HasPrefix(y.GetAlias(), trainedConvolution)
		if !frozen && !trained {
			return both(y, adjoint, shape)
		}
		x, kernel, v := y.Inputs()[0], y.Inputs()[1], adjoint[0]
		pull := convolve(v, Transpose(Reverse(kernel, 2, 3), 0, 1))
		if frozen {
			return []*Node{pull, nil}
		}
		return []*Node{pull, kernelGradient(x, v, kernel.Shape().Dim(2))}
	}
}

// kernelGradient is the gradient of a k×k kernel as k² products of matrices, one
// for each place of the kernel, which engines do better than what it is by
// definition: a convolution with a kernel as large as the grid. The order of the
// factors keeps ONNX Runtime from transposing the larger one.
func kernelGradient(x, v *Node, k int) *Node {
	d, out, half := x.Shape().Dimensions, v.Shape().Dim(1), k/2
	if half > 0 {
		border := func(dims ...int) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), dims...)) }
		rows := border(d[0], d[1], half, d[3])
		x = Concatenate([]*Node{rows, x, rows}, 2)
		columns := border(d[0], d[1], d[2]+2*half, half)
		x = Concatenate([]*Node{columns, x, columns}, 3)
	}
	v = Transpose(Reshape(v, d[0], out, -1), 1, 2)
	var places []*Node // (1, in, out)
	for i := range k {
		for j := range k {
			part := Reshape(Slice(x, AxisRange(), AxisRange(), AxisRange(i, i+d[2]), AxisRange(j, j+d[3])), d[0], d[1], -1)
			places = append(places, ReduceAndKeep(Einsum("bcp,bpo->bco", part, v), ReduceSum, 0))
		}
	}
	return Reshape(TransposeAllAxes(Concatenate(places, 0), 2, 1, 0), out, d[1], k, k)
}

// convParams are those of [Weights.conv], weights of sd gain/√(k²·in).
func convParams(name string, k, in, out int, gain float64) []Param {
	return []Param{
		{Name: name + ".w", Shape: []int{out, in, k, k}, SD: gain / math.Sqrt(float64(k*k*in))},
		{Name: name + ".b", Shape: []int{1, out, 1, 1}},
	}
}

// halve takes the mean of 2×2 cells.
func halve(x *Node) *Node {
	d := x.Shape().Dimensions
	return ReduceMean(Reshape(x, d[0], d[1], d[2]/2, 2, d[3]/2, 2), 3, 5)
}

// double repeats every cell 2×2 times.
func double(x *Node) *Node {
	d := x.Shape().Dimensions
	y := BroadcastToDims(Reshape(x, d[0], d[1], d[2], 1, d[3], 1), d[0], d[1], d[2], 2, d[3], 2)
	return Reshape(y, d[0], d[1], 2*d[2], 2*d[3])
}

// groupNorm gives each of the groups of channels mean 0 and variance 1 over the
// grid, and then every channel a scale 1 + name.scale and an offset
// name.offset (Wu & He 2018). No groups is no normalisation.
func (w Weights) groupNorm(name string, x *Node, groups int) *Node {
	if groups == 0 {
		return x
	}
	d := x.Shape().Dimensions
	y := widen(Reshape(x, d[0], groups, -1))
	y = Sub(y, ReduceAndKeep(y, ReduceMean, -1))
	y = Div(y, Sqrt(AddScalar(ReduceAndKeep(Square(y), ReduceMean, -1), 1e-5)))
	y = ConvertDType(y, x.DType())
	return Add(Mul(Reshape(y, d...), OnePlus(w[name+".scale"])), w[name+".offset"])
}

// groupNormParams are those of [Weights.groupNorm].
func groupNormParams(name string, channels, groups int) []Param {
	if groups == 0 {
		return nil
	}
	shape := []int{1, channels, 1, 1}
	return []Param{{Name: name + ".scale", Shape: shape}, {Name: name + ".offset", Shape: shape}}
}

// attention adds to every cell what it finds at all others: one head of scaled
// dot products (Vaswani et al. 2017).
func (w Weights) attention(name string, x *Node, groups int) *Node {
	d := x.Shape().Dimensions
	h := w.groupNorm(name+".norm", x, groups)
	part := func(kind string) *Node { return Reshape(w.conv(name+"."+kind, h), d[0], d[1], d[2]*d[3]) }
	match := Einsum("bci,bcj->bij", part("query"), part("key"))
	weights := ConvertDType(Softmax(widen(MulScalar(match, 1/math.Sqrt(float64(d[1])))), -1), x.DType())
	found := Einsum("bij,bcj->bci", weights, part("value"))
	return Add(x, w.conv(name+".out", Reshape(found, d...)))
}

// attentionParams are those of [Weights.attention].
func attentionParams(name string, channels, groups int) []Param {
	list := groupNormParams(name+".norm", channels, groups)
	for _, kind := range []string{"query", "key", "value"} {
		list = append(list, convParams(name+"."+kind, 1, channels, channels, 1)...)
	}
	return append(list, convParams(name+".out", 1, channels, channels, 0)...)
}
