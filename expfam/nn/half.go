package nn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Half evaluates a network in bfloat16, and returns its heads in the type of its input. Gradients with respect to the
// weights have the type of the weights. The embedding of the noise level needs more digits, so it is computed before
// the conversion.
type Half struct{ Network }

func (h Half) String() string { return fmt.Sprintf("half(%v)", h.Network) }

// Check checks the network, if it is a [Checker].
func (h Half) Check(cells int) error {
	if c, ok := h.Network.(Checker); ok {
		return c.Check(cells)
	}
	return nil
}

// widen converts bfloat16 to float32, and leaves other types. Sums over many cells need the digits that bfloat16 lacks.
func widen(x *Node) *Node {
	if x.DType() == dtypes.BFloat16 {
		return ConvertDType(x, dtypes.Float32)
	}
	return x
}

// Apply evaluates the network; see [Network].
func (h Half) Apply(w Weights, in Input, heads int) []*Node {
	dtype := in.X.DType()
	low := make(Weights, len(w))
	for name, value := range w {
		low[name] = ConvertDType(value, dtypes.BFloat16)
	}
	in.X, in.Estimate = ConvertDType(in.X, dtypes.BFloat16), ConvertDType(in.Estimate, dtypes.BFloat16)
	out := h.Network.Apply(low, in, heads)
	for i := range out {
		out[i] = ConvertDType(out[i], dtype)
	}
	return out
}
