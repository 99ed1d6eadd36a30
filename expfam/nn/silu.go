package nn

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// silu returns x σ(x) with the logistic function σ. ONNX Runtime fuses this product into an operation that it lacks in
// double precision. In double precision silu is therefore computed as ½x (1 + tanh ½x).
func silu(x *Node) *Node {
	if x.DType() == dtypes.Float64 {
		half := MulScalar(x, 0.5)
		return Mul(half, OnePlus(Tanh(half)))
	}
	y := Mul(x, Sigmoid(x))
	return y.WithAlias(fmt.Sprintf("%s%d", siluProduct, y.Id()))
}

// siluProduct is the prefix of the aliases of silu's products. The gradient recognises them by it.
const siluProduct = "/nn/silu/"

// The gradient of silu uses the derivative of y = x σ in the form σ + y − y σ. This is the same for every vector
// that the Jacobian is multiplied with, so an engine computes it once for all vectors. GoMLX's own rules for the
// product and for σ would multiply each vector four times.
func init() {
	both := VJPRegistration[NodeTypeMul]
	VJPRegistration[NodeTypeMul] = func(y *Node, adjoint []*Node, shape shapes.Shape) []*Node {
		if !strings.HasPrefix(y.GetAlias(), siluProduct) {
			return both(y, adjoint, shape)
		}
		sigmoid := y.Inputs()[1]
		return []*Node{Mul(adjoint[0], Add(sigmoid, Sub(y, Mul(y, sigmoid)))), nil}
	}
}
