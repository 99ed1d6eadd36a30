package nn

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// silu is x σ(x) with the logistic function σ. ONNX Runtime fuses that product into an
// operation that it lacks in double precision, which takes the form ½x (1 + tanh ½x).
func silu(x *Node) *Node {
	if x.DType() == dtypes.Float64 {
		half := MulScalar(x, 0.5)
		return Mul(half, OnePlus(Tanh(half)))
	}
	y := Mul(x, Sigmoid(x))
	return y.WithAlias(fmt.Sprintf("%s%d", siluProduct, y.Id()))
}

// siluProduct begins the aliases of silu's products.
const siluProduct = "/nn/silu/"

// The derivative of y = x σ is σ + y − y σ. It is the same for every vector that a
// Jacobian is multiplied with, and an engine computes it once for all; GoMLX's rules for
// the product and for σ would multiply each vector four times.
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
