package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Augment returns the network for images with so many parameters; see [Augmenter]. It is Adaptive unless it is Plain:
// the power of an image in bands of frequencies tells its contrast and its blur.
func (n UNet) Augment(parameters int) Network {
	n.Parameters = parameters
	n.Adaptive = n.Adaptive || !n.Plain
	return n
}

// scoreParams lists what the network needs besides for cells that are scores.
func (n UNet) scoreParams(width, heads int) []Param {
	if n.Parameters == 0 {
		return nil
	}
	pooled := 0
	for _, s := range n.stages() {
		if s.last {
			pooled += s.out
		}
	}
	list := denseParams("scores", n.Parameters, width, 1)
	for i := range heads {
		list = append(list, denseParams(headName(i)+".scores0", pooled+width, width, 1)...)
		list = append(list, denseParams(headName(i)+".scores1", width, width, 1)...)
		list = append(list, denseParams(headName(i)+".scores2", width, n.Parameters, 0)...)
	}
	return list
}

// split returns the scores among the cells, or nil, and the input for the image alone.
func (n UNet) split(in Input) (scores *Node, image Input) {
	if n.Parameters == 0 {
		return nil, in
	}
	all := in.Estimate.Shape().Dim(1)
	cells := all - n.Parameters
	scores = product(in.Estimate, cellsOf(in.Estimate, all, cells, all))
	image = in
	image.Estimate = sparse.First(in.Estimate, cells)
	if in.SD != nil { // the scores do not count for the sd of the prior
		sd := Slice(in.SD, AxisRange(), AxisRange(0, cells))
		image.LogNoise = Sub(in.LogSigma, ReduceAndKeep(Log(sd), ReduceMean, -1))
	}
	return scores, image
}

// scoreHead returns head i for the scores, (batch, parameters), from means over the image and the embedding e. In noise
// in which the blocks are not trusted, the mean of a score is that of the scalar denoiser.
func (w Weights) scoreHead(i int, pools []*Node, e, logNoise *Node) *Node {
	batch := pools[0].Shape().Dim(0)
	if e.Shape().Dim(0) != batch {
		e = BroadcastToDims(e, batch, e.Shape().Dim(1))
	}
	h := silu(w.dense(headName(i)+".scores0", Concatenate(append(pools[:len(pools):len(pools)], e), 1)))
	h = w.dense(headName(i)+".scores2", silu(w.dense(headName(i)+".scores1", h)))
	if i == 0 {
		h = Mul(h, trust(logNoise))
	}
	return h
}
