package nn

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors/images"
)

// Activations on a grid are (batch, channels, rows, columns), and kernels are (out, in, k, k). This is the layout
// of ONNX Runtime, which would transpose any other layout twice for every convolution. Strided and transposed
// convolutions have no gradient in ONNX Runtime. Resolutions are therefore halved by taking the mean of 2×2 cells,
// and doubled by repeating cells.

// convolve returns the convolution of x, which has the size of x. Cells beyond the border are 0.
func convolve(x, kernel *Node) *Node {
	return Convolve(x, kernel).ChannelsAxis(images.ChannelsFirst).PadSame().Done()
}

// conv returns the convolution of x with the kernel name.w, (out, in, k, k), plus the bias name.b.
func (w Weights) conv(name string, x *Node) *Node {
	kernel := w[name+".w"]
	y := convolve(x, kernel)
	mark := trainedConvolution
	if kernel.StopGradient() {
		mark = frozenConvolution
	}
	return Add(y.WithAlias(fmt.Sprintf("%s%d", mark, y.Id())), w[name+".b"])
}

// The prefixes of the aliases of convolutions, with weights that are held fixed and with weights that are trained.
// The gradient recognises convolutions by them.
const (
	frozenConvolution  = "/nn/frozen-convolution/"
	trainedConvolution = "/nn/trained-convolution/"
)

func init() {
	both := VJPRegistration[NodeTypeConvGeneral]
	VJPRegistration[NodeTypeConvGeneral] = func(y *Node, adjoint []*Node, shape shapes.Shape) []*Node {
		frozen, trained := strings.HasPrefix(y.GetAlias(), frozenConvolution), strings.HasPrefix(y.GetAlias(),
			trainedConvolution)
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

// kernelGradient returns the gradient with respect to a k×k kernel, for input x and adjoint v. By definition it is a
// convolution with a kernel as large as the grid. Here it is k² products of matrices, one for each entry of the kernel,
// which engines compute faster. The order of the factors keeps ONNX Runtime from transposing the larger factor.
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
			part := Reshape(Slice(x, AxisRange(), AxisRange(), AxisRange(i, i+d[2]), AxisRange(j, j+d[3])), d[0], d[1],
				-1)
			places = append(places, ReduceAndKeep(Einsum("bcp,bpo->bco", part, v), ReduceSum, 0))
		}
	}
	return Reshape(TransposeAllAxes(Concatenate(places, 0), 2, 1, 0), out, d[1], k, k)
}

// convParams lists the parameters of [Weights.conv]. The initial weights have the sd gain/√(k²·in).
func convParams(name string, k, in, out int, gain float64) []Param {
	return []Param{
		{Name: name + ".w", Shape: []int{out, in, k, k}, SD: gain / math.Sqrt(float64(k*k*in))},
		{Name: name + ".b", Shape: []int{1, out, 1, 1}},
	}
}

// halve returns the means of blocks of 2×2 cells.
func halve(x *Node) *Node {
	d := x.Shape().Dimensions
	return ReduceMean(Reshape(x, d[0], d[1], d[2]/2, 2, d[3]/2, 2), 3, 5)
}

// double returns the grid of twice the size, with every cell repeated 2×2 times.
func double(x *Node) *Node {
	d := x.Shape().Dimensions
	y := BroadcastToDims(Reshape(x, d[0], d[1], d[2], 1, d[3], 1), d[0], d[1], d[2], 2, d[3], 2)
	return Reshape(y, d[0], d[1], 2*d[2], 2*d[3])
}

// groupNorm scales each group of channels to mean 0 and variance 1 over the grid. It then
// multiplies every channel by 1 + name.scale and adds name.offset (Wu & He 2018). With 0 groups it returns x.
func (w Weights) groupNorm(name string, x *Node, groups int) *Node {
	if groups == 0 {
		return x
	}
	d := x.Shape().Dimensions
	y := Reshape(x, d[0], groups, -1)
	y = Sub(y, ReduceAndKeep(y, ReduceMean, -1))
	y = Div(y, Sqrt(AddScalar(ReduceAndKeep(Square(y), ReduceMean, -1), 1e-5)))
	return Add(Mul(Reshape(y, d...), OnePlus(w[name+".scale"])), w[name+".offset"])
}

// groupNormParams lists the parameters of [Weights.groupNorm].
func groupNormParams(name string, channels, groups int) []Param {
	if groups == 0 {
		return nil
	}
	shape := []int{1, channels, 1, 1}
	return []Param{{Name: name + ".scale", Shape: shape}, {Name: name + ".offset", Shape: shape}}
}

// attention adds to every cell a weighted mean of values of all cells, by one head of scaled
// dot-product attention (Vaswani et al. 2017).
func (w Weights) attention(name string, x *Node, groups int) *Node {
	d := x.Shape().Dimensions
	h := w.groupNorm(name+".norm", x, groups)
	part := func(kind string) *Node { return Reshape(w.conv(name+"."+kind, h), d[0], d[1], d[2]*d[3]) }
	match := Einsum("bci,bcj->bij", part("query"), part("key"))
	weights := Softmax(MulScalar(match, 1/math.Sqrt(float64(d[1]))), -1)
	found := Einsum("bij,bcj->bci", weights, part("value"))
	return Add(x, w.conv(name+".out", Reshape(found, d...)))
}

// attentionParams lists the parameters of [Weights.attention].
func attentionParams(name string, channels, groups int) []Param {
	list := groupNormParams(name+".norm", channels, groups)
	for _, kind := range []string{"query", "key", "value"} {
		list = append(list, convParams(name+"."+kind, 1, channels, channels, 1)...)
	}
	return append(list, convParams(name+".out", 1, channels, channels, 0)...)
}
