package increments

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/nn"
)

// denseParams lists the parameters of [dense]: weights with the initial sd gain/√in, and the bias as a row.
func denseParams(name string, in, out int, gain float64) []nn.Param {
	return []nn.Param{
		{Name: name + ".w", Shape: []int{in, out}, SD: gain / math.Sqrt(float64(in))},
		{Name: name + ".b", Shape: []int{1, out}},
	}
}

// dense returns x W + b for x (batch, in).
func dense(w nn.Weights, name string, x *Node) *Node {
	return Add(MatMul(ConvertDType(x, w[name+".w"].DType()), w[name+".w"]), w[name+".b"])
}

// silu returns x σ(x) = ½x (1 + tanh ½x) with the logistic function σ.
func silu(x *Node) *Node {
	half := MulScalar(x, 0.5)
	return Mul(half, OnePlus(Tanh(half)))
}

// waves returns n/2 sines and n/2 cosines of u: (batch, 1) becomes (batch, n). The angular frequencies go from low to
// high in equal ratios (Vaswani et al. 2017).
func waves(u *Node, n int, low, high float64) *Node {
	frequencies := make([]float64, n/2)
	for i := range frequencies {
		frequencies[i] = low * math.Pow(high/low, float64(i)/float64(max(n/2-1, 1)))
	}
	angle := Mul(u, ConstAs(u, [][]float64{frequencies}))
	return Concatenate([]*Node{Sin(angle), Cos(angle)}, -1)
}

// trust returns the factor of the blocks' correction, 1/(1 + (r/8)²). The stronger the noise, the less there is to gain
// over the filter, and the more of what the blocks have learned is chance.
func trust(logNoise *Node) *Node {
	return Inverse(OnePlus(Exp(MulScalar(AddScalar(logNoise, -math.Log(8)), 2))))
}

// linear returns forward(x) for a linear map of (batch, …) whose adjoint is back. Its gradient is back(v), because the
// binding of ONNX Runtime has no gradient of the slices in forward.
func linear(x *Node, forward, back func(*Node) *Node) *Node {
	still := StopGradient(x)
	// zero has the value 0, but the gradient sees that it depends on x. The gradient first reaches the sum y, where it
	// is kept. It then reaches zero, which passes back(kept) on to x.
	var kept *Node
	zero := IdentityWithCustomGradient(Sub(x, still), func(_, _ *Node) *Node { return linear(kept, back, forward) })
	y := Add(StopGradient(forward(still)), ReduceAndKeep(zero, ReduceSum, -1))
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		kept = v
		return v
	})
}

func headName(i int) string { return fmt.Sprintf("head%d", i) }

func blockName(block int, part string) string { return fmt.Sprintf("block%d.%s", block, part) }
