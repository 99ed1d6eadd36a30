package nn

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// UNet is the network of denoising diffusion models for one channel on a grid (Ho et al. 2020). It has residual blocks
// at full, half, quarter … resolution on the way down, and in the reverse order on the way up. Each resolution on the
// way up also gets the results of the same resolution on the way down. A block is
//
//	h = conv(silu(norm(x))),  h ← (1 + a(e)) h + b(e),  x ← x + conv(silu(norm(h))),
//
// where e = e(log σ) is an embedding of the noise level. The zero value is small enough for CPUs. It has no
// normalisation and no attention. Its blocks therefore compute the output of a cell from a neighbourhood only, in
// the same way on grids of every size.
//
// The first head is a sum of three parts: the estimate of x₀ times a gate that depends on the noise level, the
// correction of the estimate by Wiener's filter, and the output of the blocks, which see both.
type UNet struct {
	Rows, Columns int
	// Channels is the number of channels at full resolution. Default 16. ONNX Runtime convolves multiples of 16
	// about twice as fast as other numbers of channels.
	Channels int
	// Multiples gives the number of channels at each of n resolutions, as multiples of Channels. Default 1, 2, 4, 4.
	// Rows and Columns must be multiples of 2ⁿ⁻¹.
	Multiples []int
	// Blocks is the number of blocks per resolution on the way down. On the way up there is one more. Default 1.
	Blocks int
	// Attention is the resolution, as a number of rows, at which cells attend to each other: Rows, Rows/2, … There is
	// also attention in the middle, at the lowest resolution. 0 stands for no attention.
	Attention int
	// Groups is the number of groups of the group norm, 0 for no normalisation. The group norm takes moments over
	// the grid, so a network with it serves one size only.
	Groups int
	// Offset leaves a(e) out: the noise level adds only b(e) to a block.
	Offset bool
	// Plain leaves out Wiener's filter.
	Plain bool
	// Adaptive gives the network the power of x_t in bands of frequencies. From them it estimates the spectrum of the
	// image at hand, for Wiener's filter and for all blocks. Choose it for priors whose draws differ in roughness, such
	// as images. It does nothing for Gaussian fields. It needs Wiener's filter. A training without it can be the From
	// of a training with it.
	Adaptive bool
	// Embedding is the number of sines and cosines of log σ. Default 64.
	Embedding int
	// Parameters is the number of cells after the image that are scores of its parameters. The blocks see them as they
	// see the noise level. Their own heads see means of all channels over the image, at every resolution.
	Parameters int

	trainedRows, trainedColumns int // of the grid of the training, after [UNet.Resize]; 0 for the network's own
}

// PaperUNet is the paper's network for 256×256 cells (App. E): the U-Net of Ho et al. with 64 channels, six
// resolutions, attention at 16×16. The paper counts 33 766 529 parameters and does not give the multiples. With these
// multiples there are 33.4 million.
var PaperUNet = UNet{Rows: 256, Columns: 256, Channels: 64, Multiples: []int{1, 2, 2, 3, 4, 4},
	Blocks: 2, Attention: 16, Groups: 32, Offset: true, Plain: true}

func (n UNet) orDefault() UNet {
	n.Channels = cmp.Or(n.Channels, 16)
	if n.Multiples == nil {
		n.Multiples = []int{1, 2, 4, 4}
	}
	n.Blocks = cmp.Or(n.Blocks, 1)
	n.Embedding = cmp.Or(n.Embedding, 64)
	return n
}

// trained returns the sides of the grid on which the weights were trained.
func (n UNet) trained() (rows, columns int) {
	return cmp.Or(n.trainedRows, n.Rows), cmp.Or(n.trainedColumns, n.Columns)
}

func (n UNet) withDefaults() Network { return n.orDefault() }

func (n UNet) String() string {
	n = n.orDefault()
	adaptive := ""
	if n.Adaptive {
		adaptive = ", adaptive"
	}
	if n.Parameters > 0 {
		adaptive += fmt.Sprintf(", parameters=%d", n.Parameters)
	}
	return fmt.Sprintf("unet(%dx%d, channels=%d×%v, blocks=%d, attention=%d, groups=%d, offset=%t, plain=%t, "+
		"embedding=%d%s)", n.Rows, n.Columns, n.Channels, n.Multiples, n.Blocks, n.Attention, n.Groups, n.Offset,
		n.Plain, n.Embedding, adaptive)
}

// Params lists the parameters of the network; see [Network].
func (n UNet) Params(cells, heads int) []Param {
	n = n.orDefault()
	if err := n.possible(cells); err != nil {
		panic(err)
	}
	width := 4 * n.Channels
	list := denseParams("embed0", n.Embedding, width, 1)
	list = append(list, denseParams("embed1", width, width, 1)...)
	list = append(list, denseParams("gate", width, 1, 0)...)
	for i := 1; i < heads; i++ {
		list = append(list, denseParams(headName(i)+".level", width, 1, 0)...)
	}
	inputs := 1
	if !n.Plain {
		list = append(list, spectrumParams())
		inputs = 2
	}
	if n.Adaptive {
		list = append(list, adaptParams(width)...)
	}
	list = append(list, n.scoreParams(width, heads)...)
	list = append(list, convParams("in", 3, inputs, n.Channels, 1)...)
	out := n.Channels
	for _, s := range n.stages() {
		switch s.kind {
		case "block":
			list = append(list, groupNormParams(s.name+".norm0", s.in, n.Groups)...)
			list = append(list, convParams(s.name+".conv0", 3, s.in, s.out, 1)...)
			if !n.Offset {
				list = append(list, denseParams(s.name+".scale", width, s.out, 0)...)
			}
			list = append(list, denseParams(s.name+".offset", width, s.out, 0)...)
			list = append(list, groupNormParams(s.name+".norm1", s.out, n.Groups)...)
			list = append(list, convParams(s.name+".conv1", 3, s.out, s.out, 0.5)...)
			if s.in != s.out {
				list = append(list, convParams(s.name+".skip", 1, s.in, s.out, 1)...)
			}
		case "attention":
			list = append(list, attentionParams(s.name, s.in, n.Groups)...)
		default:
			list = append(list, convParams(s.name, 3, s.in, s.out, 1)...)
		}
		out = s.out
	}
	list = append(list, groupNormParams("out.norm", out, n.Groups)...)
	for i := range heads {
		list = append(list, convParams(headName(i), 3, out, 1, 0)...)
	}
	return list
}

// Apply evaluates the network; see [Network].
func (n UNet) Apply(w Weights, in Input, heads int) []*Node {
	n = n.orDefault()
	scores, in := n.split(in)
	batch, cells := in.Estimate.Shape().Dim(0), in.Estimate.Shape().Dim(1)
	level := silu(w.dense("embed0", waves(in.LogSigma, n.Embedding, 0.1, 3)))
	e := w.dense("embed1", level)

	x := Reshape(in.Estimate, batch, 1, n.Rows, n.Columns)
	var linear *Node
	if !n.Plain {
		f := wiener(x, in.LogNoise)
		var change *Node
		if n.Adaptive {
			var shift *Node
			change, shift = w.adapt(f.excess(n.trained()), level, in.LogNoise)
			e = Add(e, shift)
		}
		var estimate *Node
		estimate, linear = f.apply(w.spectrum(f, change))
		x = Concatenate([]*Node{x, estimate}, 1)
	}
	if scores != nil {
		e = Add(e, w.dense("scores", scores))
	}
	e = silu(e)
	x = w.conv("in", x)
	kept := []*Node{x}
	var pools []*Node
	for _, s := range n.stages() {
		if s.pop {
			x = Concatenate([]*Node{x, kept[len(kept)-1]}, 1)
			kept = kept[:len(kept)-1]
		}
		switch s.kind {
		case "block":
			x = n.block(w, s, x, e)
		case "attention":
			x = w.attention(s.name, x, n.Groups)
		case "halve":
			x = w.conv(s.name, halve(x))
		case "double":
			x = w.conv(s.name, double(x))
		}
		if s.push {
			kept = append(kept, x)
		}
		if s.last && scores != nil {
			pools = append(pools, ReduceMean(silu(x), 2, 3))
		}
	}
	x = silu(w.groupNorm("out.norm", x, n.Groups))
	out := make([]*Node, heads)
	for i := range heads {
		out[i] = Reshape(w.conv(headName(i), x), batch, cells)
		if i == 0 {
			out[i] = Add(out[i], Mul(w.dense("gate", e), in.Estimate))
			if linear != nil {
				out[i] = Add(Mul(out[i], trust(in.LogNoise)), Reshape(linear, batch, cells))
			}
		} else {
			out[i] = Add(out[i], w.dense(headName(i)+".level", e))
		}
		if scores != nil {
			out[i] = Concatenate([]*Node{out[i], w.scoreHead(i, pools, e, in.LogNoise)}, 1)
		}
	}
	return out
}

// block evaluates the residual block s on x.
func (n UNet) block(w Weights, s stage, x, e *Node) *Node {
	level := func(part string) *Node { return Reshape(w.dense(s.name+"."+part, e), -1, s.out, 1, 1) }
	h := w.conv(s.name+".conv0", silu(w.groupNorm(s.name+".norm0", x, n.Groups)))
	if !n.Offset {
		h = Mul(h, OnePlus(level("scale")))
	}
	h = Add(h, level("offset"))
	h = w.conv(s.name+".conv1", silu(w.groupNorm(s.name+".norm1", h, n.Groups)))
	if s.in != s.out {
		x = w.conv(s.name+".skip", x)
	}
	return Add(x, h)
}

// Lattice returns the sides of the grid.
func (n UNet) Lattice() (rows, cols int) { return n.Rows, n.Columns }
