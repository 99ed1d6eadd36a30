package learn

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
)

// windowShare is the share of the windows in the loss of a training with [Training.Windows]. It is more than their
// share of the cells, a fifth, because a smaller grid shows the network less of an image and so is harder to learn.
const windowShare = 0.4

// halved returns the network on windows of half the sides.
func (t Training) halved() (nn.Resizer, error) {
	net, ok := t.Net.(nn.Resizer)
	if !ok || t.scores > 0 {
		return nil, fmt.Errorf("train: Windows with %v, whose weights belong to its cells; give a U-Net without "+
			"parameters, or leave Windows out", t.Net)
	}
	rows, cols := net.Lattice()
	if c, ok := t.Net.(nn.Checker); ok {
		if err := c.Check(rows * cols); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	small, _, err := net.Resize(make([]float32, nn.Count(net.Params(rows*cols, heads))), rows/2, cols/2, heads)
	if err != nil {
		return nil, fmt.Errorf("train: Windows: %w", err)
	}
	if r, c := small.Lattice(); 2*r != rows || 2*c != cols {
		return nil, fmt.Errorf("train: Windows of half of %d×%d cells, which %v does not have; train on sides that "+
			"can be halved once more", rows, cols, t.Net)
	}
	return small, nil
}

// priorLoss returns the loss that [Train] minimises.
func (t Training) priorLoss() func(nn.Network, Scale) objective {
	if t.Windows {
		return t.withWindows(t.scoreObjective)
	}
	return t.scoreObjective
}

// withWindows returns the loss of whole images and of one window of each, of half the sides, by the same weights. A
// window of x_t is the noisy window of x₀, so both are losses of denoising. The images need one scale for all cells,
// so which window is taken does not matter.
func (t Training) withWindows(whole func(nn.Network, Scale) objective) func(nn.Network, Scale) objective {
	return func(net nn.Network, scale Scale) objective {
		small, err := t.halved()
		if err != nil {
			panic(err) // orDefault has refused it
		}
		rows, cols := small.Lattice()
		own := scale
		own.Mean, own.SD = scale.Mean[:rows*cols], scale.SD[:rows*cols]
		all, part := whole(net, scale), whole(small, own)
		return func(w nn.Weights, x0, x *Node, l level.Nodes) *Node {
			window := func(x *Node) *Node {
				x = Reshape(x, -1, 2, rows, 2, cols)
				x = Slice(x, AxisRange(), AxisElem(0), AxisRange(), AxisElem(0), AxisRange())
				return Reshape(x, -1, rows*cols)
			}
			own, err := net.(nn.Resizer).Resized(w)
			if err != nil {
				panic(err)
			}
			return Add(MulScalar(all(w, x0, x, l), 1-windowShare),
				MulScalar(part(own, window(x0), window(x), l), windowShare))
		}
	}
}
