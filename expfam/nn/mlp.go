package nn

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// MLP is the plain feed-forward network of the paper's one-dimensional benchmark (App. E). Its input is x and a
// sinusoidal embedding of the diffusion time, concatenated. The hidden layers have the activation SiLU and no skip
// connections. The zero value is the paper's network: 6 layers of width 96, and an embedding of length 64. It is here
// for comparison: it does not learn the identity map that a denoiser contains.
type MLP struct {
	Layers    int // number of hidden layers. Default 6
	Width     int // of a layer. Default 96
	Embedding int // number of sines and cosines of the time. Default 64
}

func (n MLP) orDefault() MLP {
	n.Layers = cmp.Or(n.Layers, 6)
	n.Width = cmp.Or(n.Width, 96)
	n.Embedding = cmp.Or(n.Embedding, 64)
	return n
}

func (n MLP) withDefaults() Network { return n.orDefault() }

func (n MLP) String() string {
	n = n.orDefault()
	return fmt.Sprintf("mlp(layers=%d, width=%d, embedding=%d)", n.Layers, n.Width, n.Embedding)
}

// Check refuses impossible sizes; see [Checker].
func (n MLP) Check(int) error {
	n = n.orDefault()
	if err := checkSizes("an MLP", size{"Layers", n.Layers, 1}, size{"Width", n.Width, 1}); err != nil {
		return err
	}
	return checkEmbedding("an MLP", n.Embedding)
}

// Params lists the parameters of the network; see [Network].
func (n MLP) Params(cells, heads int) []Param {
	n = n.orDefault()
	list := denseParams("layer0", cells+n.Embedding, n.Width, 1.5)
	for i := 1; i < n.Layers; i++ {
		list = append(list, denseParams(fmt.Sprintf("layer%d", i), n.Width, n.Width, 1.5)...)
	}
	for i := range heads {
		list = append(list, denseParams(headName(i), n.Width, cells, 0)...)
	}
	return list
}

// Apply evaluates the network; see [Network]. The time t of the paper's diffusion is a function of the noise: ∫β =
// log(1 + σ²) = 10 t², up to the small β₀. It enters as 1000 t, as is common.
func (n MLP) Apply(w Weights, in Input, heads int) []*Node {
	n = n.orDefault()
	u := MulScalar(in.LogSigma, 2)
	integral := Add(MaxScalar(u, 0), Log(OnePlus(Exp(Neg(Abs(u)))))) // log(1 + σ²)
	time := Sqrt(MulScalar(AddScalar(integral, 1e-12), 0.1))
	e := waves(MulScalar(time, 1000), n.Embedding, 1e-4, 1)
	e = BroadcastToDims(e, in.X.Shape().Dim(0), n.Embedding)
	h := Concatenate([]*Node{in.X, e}, -1)
	for i := range n.Layers {
		h = silu(w.dense(fmt.Sprintf("layer%d", i), h))
	}
	out := make([]*Node, heads)
	for i := range heads {
		out[i] = w.dense(headName(i), h)
	}
	return out
}
