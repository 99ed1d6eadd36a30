package nn

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Frozen returns the same weights, held fixed. Gradients with respect to x then take half the work. Otherwise GoMLX
// would compute the gradients of both factors of a product, and not every engine drops the unused gradient.
func (w Weights) Frozen() Weights {
	fixed := make(Weights, len(w))
	for name, value := range w {
		fixed[name] = StopGradient(value)
	}
	return fixed
}

// product returns x W for x (batch, n) and W (n, m).
func product(x, w *Node) *Node {
	y := MatMul(x, w)
	if w.StopGradient() {
		y.WithAlias(fmt.Sprintf("%s%d", frozenProduct, y.Id()))
	}
	return y
}

// frozenProduct is the prefix of the aliases of products with weights that are held fixed. The gradient
// recognises them by it.
const frozenProduct = "/nn/product/"

func init() {
	both := VJPRegistration[NodeTypeDotGeneral]
	VJPRegistration[NodeTypeDotGeneral] = func(y *Node, adjoint []*Node, shape shapes.Shape) []*Node {
		if !strings.HasPrefix(y.GetAlias(), frozenProduct) {
			return both(y, adjoint, shape)
		}
		return []*Node{MatMul(adjoint[0], Transpose(y.Inputs()[1], 0, 1)), nil}
	}
}
