package nn

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Experts is the library's default network for d cells without grid structure. Its first head is a linear map of the
// scalar estimate u that changes with the noise level, plus a residual network:
//
//	head₀ = Σₖ gateₖ(e) Aₖ u + W₀ h,    headᵢ = Wᵢ h + Uᵢ e,
//	h ← h + V silu((1 + a(e)) (B h) + b(e)),    at first h = B₀ u,
//
// where e = e(log σ) is an embedding of the noise level. It also modulates every block (FiLM, Perez et al. 2018). The
// denoiser of a Gaussian is exactly such a linear map, and at high noise the denoiser of any prior is close to a linear
// map. A network without the linear map must represent x by its nonlinear layers, and is inaccurate.
type Experts struct {
	Experts   int // number of linear maps Aₖ. Default 12
	Blocks    int // number of residual blocks; negative for none. Default 4
	Width     int // length of h. Default 96
	Embedding int // number of sines and cosines of log σ. Default 64
}

func (n Experts) orDefault() Experts {
	n.Experts = cmp.Or(n.Experts, 12)
	n.Blocks = cmp.Or(n.Blocks, 4)
	n.Blocks = max(n.Blocks, -1)
	n.Width = cmp.Or(n.Width, 96)
	n.Embedding = cmp.Or(n.Embedding, 64)
	return n
}

func (n Experts) withDefaults() Network { return n.orDefault() }

func (n Experts) String() string {
	n = n.orDefault()
	return fmt.Sprintf("experts(experts=%d, blocks=%d, width=%d, embedding=%d)", n.Experts, n.Blocks, n.Width,
		n.Embedding)
}

// embedded is the width of e.
const embedded = 64

// Check refuses impossible sizes; see [Checker].
func (n Experts) Check(int) error {
	n = n.orDefault()
	if err := checkSizes("a network of experts", size{"Experts", n.Experts, 1}, size{"Width", n.Width, 1}); err != nil {
		return err
	}
	return checkEmbedding("a network of experts", n.Embedding)
}

// Params lists the parameters of the network; see [Network].
func (n Experts) Params(cells, heads int) []Param {
	n = n.orDefault()
	list := denseParams("embed", n.Embedding, embedded, 1)
	list = append(list, denseParams("gate", embedded, n.Experts, 1)...)
	list = append(list, Param{Name: "experts", Shape: []int{n.Experts * cells, cells},
		SD: 0.3 / math.Sqrt(float64(n.Experts*cells))})
	for i := 1; i < heads; i++ {
		list = append(list, denseParams(headName(i)+".level", embedded, cells, 0)...)
	}
	if n.Blocks < 0 {
		return list
	}
	list = append(list, denseParams("in", cells, n.Width, 1)...)
	list = append(list, residualParams(n.Blocks, n.Width)...)
	for i := range heads {
		list = append(list, denseParams(headName(i), n.Width, cells, 0)...)
	}
	return list
}

// residualParams lists the parameters of [Weights.residual] of all blocks. Scale and offset are two maps and not two
// halves of one map, because ONNX Runtime has no gradient of a slice.
func residualParams(blocks, width int) (list []Param) {
	for b := range blocks {
		list = append(list, denseParams(blockName(b, "scale"), embedded, width, 0)...)
		list = append(list, denseParams(blockName(b, "offset"), embedded, width, 0)...)
		list = append(list, denseParams(blockName(b, "up"), width, width, 1)...)
		list = append(list, denseParams(blockName(b, "down"), width, width, 0.5)...)
	}
	return list
}

// residual returns h + V silu((1 + a(e)) (B seen) + b(e)) for block b.
func (w Weights) residual(b int, h, seen, e *Node) *Node {
	scale := OnePlus(w.dense(blockName(b, "scale"), e))
	up := Add(Mul(scale, w.dense(blockName(b, "up"), seen)), w.dense(blockName(b, "offset"), e))
	return Add(h, w.dense(blockName(b, "down"), silu(up)))
}

func blockName(block int, part string) string { return fmt.Sprintf("block%d.%s", block, part) }

// Apply evaluates the network; see [Network].
func (n Experts) Apply(w Weights, in Input, heads int) []*Node {
	n = n.orDefault()
	x := in.Estimate
	batch, cells := x.Shape().Dim(0), x.Shape().Dim(1)
	e := silu(w.dense("embed", waves(in.LogSigma, n.Embedding, 0.1, 3)))
	gates := w.dense("gate", e)

	out := make([]*Node, heads)
	if in.LogSigma.Shape().Dim(0) == 1 {
		// With one noise level for the whole batch, the gated sum of the experts is one matrix.
		mixed := Reshape(MatMul(gates, Reshape(w["experts"], n.Experts, cells*cells)), cells, cells)
		if w["experts"].StopGradient() {
			mixed = StopGradient(mixed)
		}
		out[0] = product(x, mixed)
	} else {
		gated := Mul(InsertAxes(gates, -1), InsertAxes(x, 1))
		out[0] = MatMul(Reshape(gated, batch, n.Experts*cells), w["experts"])
	}
	for i := 1; i < heads; i++ {
		out[i] = w.dense(headName(i)+".level", e)
	}
	if n.Blocks >= 0 {
		h := w.dense("in", x)
		for b := range n.Blocks {
			h = w.residual(b, h, h, e)
		}
		for i := range heads {
			out[i] = Add(out[i], w.dense(headName(i), h))
		}
	}
	for i := range heads {
		out[i] = BroadcastToDims(out[i], batch, cells)
	}
	return out
}
