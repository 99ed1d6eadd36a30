package increments

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/nn"
)

// Walk is a network for running sums of independent increments: prices, paths of particles, signals
// with jumps. It computes the best linear estimate of such a path, with its variance, in closed form. Residual
// convolutions along the path learn the correction that increments that are not normal need,
//
//	h ← h + V silu((1 + a(e)) (B [h₋ h h₊]) + b(e)),
//
// where h₋ and h₊ are h a number of cells before and behind. The distance is 1, 2, 4, 8 and 16 cells in successive
// blocks, and then 1 again. e = e(log σ) is an embedding of the noise level. The input of the convolutions is the
// increments of the noisy path, the increments of the linear estimate, and the residuals. Each is given on three
// scales, because jumps are sparse: as it is, with large values reduced to their roots, and with large values reduced
// to their signs.
//
// The linear estimate is the best for a random walk: if the increments have the variance q, cell j has the variance
// (j+1) q. All cells must have one scale, as the cells of an learn.Stationary simulator have. The scale is then
// √(q (d+1)/2).
type Walk struct {
	Channels  int // length of h per cell. Default 32
	Blocks    int // number of blocks. Default 8
	Embedding int // number of sines and cosines of log σ. Default 64
}

func (n Walk) orDefault() Walk {
	if n.Channels == 0 {
		n.Channels = 32
	}
	if n.Blocks == 0 {
		n.Blocks = 8
	}
	if n.Embedding == 0 {
		n.Embedding = 64
	}
	return n
}

func (n Walk) String() string {
	n = n.orDefault()
	return fmt.Sprintf("walk(channels=%d, blocks=%d, embedding=%d)", n.Channels, n.Blocks, n.Embedding)
}

// Check refuses impossible sizes; see [nn.Checker].
func (n Walk) Check(int) error {
	if n = n.orDefault(); n.Channels < 1 || n.Blocks < 1 || n.Embedding < 2 || n.Embedding%2 != 0 {
		return fmt.Errorf("increments: %v; give positive numbers, and an even Embedding, or 0 for defaults", n)
	}
	return nil
}

// CheckScale refuses cells whose standard deviations differ by more than a tenth; see [nn.ScaleChecker].
func (n Walk) CheckScale(sd []float64) error {
	if low, high := slices.Min(sd), slices.Max(sd); high > 1.1*low {
		return fmt.Errorf("a network of a walk needs one scale for all cells, and their standard deviations go "+
			"from %.3g to %.3g; give the simulator the method Stationary() bool, which returns true", low, high)
	}
	return nil
}

const (
	// walkEmbedded is the width of e.
	walkEmbedded = 32
	// walkFeatures is the number of inputs per cell: three quantities on three scales each.
	walkFeatures = 9
	// walkReaches is the number of different distances to the neighbours: 1, 2, 4, 8 and 16 cells.
	walkReaches = 5
)

// Params lists the parameters of the network; see [nn.Network].
func (n Walk) Params(cells, heads int) []nn.Param {
	n = n.orDefault()
	list := denseParams("embed", n.Embedding, walkEmbedded, 1)
	list = append(list, denseParams("in", walkFeatures, n.Channels, 1)...)
	list = append(list, nn.Param{Name: "place", Shape: []int{1, cells, n.Channels}})
	for b := range n.Blocks {
		for _, part := range []string{"scale", "offset"} {
			list = append(list, denseParams(blockName(b, part), walkEmbedded, n.Channels, 0)...)
		}
		list = append(list, denseParams(blockName(b, "up"), 3*n.Channels, n.Channels, 1)...)
		list = append(list, denseParams(blockName(b, "down"), n.Channels, n.Channels, 0.5)...)
	}
	for i := range heads {
		list = append(list, denseParams(headName(i), n.Channels, 1, 0)...)
		if i > 0 {
			list = append(list, denseParams(headName(i)+".level", walkEmbedded, 1, 0)...)
		}
	}
	return list
}

// Apply evaluates the network; see [nn.Network].
func (n Walk) Apply(w nn.Weights, in nn.Input, heads int) []*Node {
	n = n.orDefault()
	batch, cells := in.Estimate.Shape().Dim(0), in.Estimate.Shape().Dim(1)
	dtype := in.Estimate.DType()
	e := silu(dense(w, "embed", waves(in.LogNoise, n.Embedding, 0.1, 3)))
	f := filterWalk(in.Estimate, in.LogNoise)

	h := Reshape(Concatenate(f.features(), -1), batch*cells, walkFeatures)
	h = Add(Reshape(dense(w, "in", ConvertDType(h, dtype)), batch, cells, n.Channels), w["place"])
	for b := range n.Blocks {
		level := func(part string) *Node { return InsertAxes(dense(w, blockName(b, part), e), 1) }
		wide := Reshape(beside(h, 1<<(b%walkReaches)), batch*cells, 3*n.Channels)
		up := Reshape(dense(w, blockName(b, "up"), wide), batch, cells, n.Channels)
		up = Reshape(silu(Add(Mul(OnePlus(level("scale")), up), level("offset"))), batch*cells, n.Channels)
		h = Add(h, Reshape(dense(w, blockName(b, "down"), up), batch, cells, n.Channels))
	}
	out := make([]*Node, heads)
	for i := range heads {
		out[i] = Reshape(dense(w, headName(i), Reshape(h, batch*cells, n.Channels)), batch, cells)
		switch i {
		case 0: // the correction in units of the linear estimate's sd, plus the linear estimate
			out[i] = Mul(out[i], Mul(f.share, trust(in.LogNoise)))
			out[i] = ConvertDType(Add(out[i], f.head), dtype)
		case 1:
			out[i] = Add(out[i], ConvertDType(MulScalar(Log(f.share), 2), dtype))
			fallthrough
		default:
			out[i] = Add(out[i], dense(w, headName(i)+".level", e))
		}
	}
	return out
}

// beside returns h, (batch, cells, channels), concatenated with its neighbours at a distance before and behind:
// (batch, cells, 3·channels). Beyond the ends of the path the neighbours are 0. The gradient of beside takes no
// gradient of a slice.
func beside(h *Node, distance int) *Node {
	d := h.Shape().Dimensions
	distance = min(distance, d[1]-1)
	shift := func(x *Node, by int) *Node { // y_j = x_{j−by}
		border := BroadcastToDims(Scalar(x.Graph(), x.DType(), 0), d[0], distance, d[2])
		if by > 0 {
			return Concatenate([]*Node{border, Slice(x, AxisRange(), AxisRange(0, d[1]-distance))}, 1)
		}
		return Concatenate([]*Node{Slice(x, AxisRange(), AxisRange(distance, d[1])), border}, 1)
	}
	if distance == 0 {
		distance = 1
		shift = func(x *Node, _ int) *Node { return ZerosLike(x) }
	}
	return linear(h, func(h *Node) *Node {
		return Concatenate([]*Node{shift(h, distance), h, shift(h, -distance)}, -1)
	}, func(v *Node) *Node {
		part := func(i int) *Node { return Slice(v, AxisRange(), AxisRange(), AxisRange(i*d[2], (i+1)*d[2])) }
		return Add(part(1), Add(shift(part(0), -distance), shift(part(2), distance)))
	})
}

// Footprint counts the inputs and outputs of each block, the outputs with their sigmoids; see [nn.Sizer].
func (n Walk) Footprint(cells int) float64 {
	n = n.orDefault()
	return float64(cells * (6*walkFeatures + n.Blocks*n.Channels*8))
}
