package expfam

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/level"
)

// Prior is a distribution of x₀ ∈ R^d that is known through its diffusion. A type with
// these methods works with every likelihood, guidance and sampler: its score is (√α m −
// x_t)/v by Tweedie's formula, and the covariance of x₀ | x_t is (v/√α) dm/dx_t.
//
// A Node is a node of a graph of GoMLX, package github.com/gomlx/gomlx/core/graph, whose functions build the graph that
// an engine compiles. So Moments runs once for each kind of step, not once a draw. The nodes x and l are Float32 or
// Float64, and the results have the type of x; graph.ConstAs(x, …) makes constants of that type. The mean must be
// differentiable in x. A panic in Moments is the error of the call. A prior whose score s is known has the mean
// (x_t + v s)/√α and, by the derivative of the score, the variances v/α + (v²/α) ∂sⱼ/∂x_tⱼ.
type Prior interface {
	// String names the prior. Keys of stored results contain it, and what Moments computes.
	String() string
	// Dim returns the number of cells d.
	Dim() int
	// Moments returns the mean m and the marginal variances s² of x₀ | x_t, both of shape (batch, d), for x_t of
	// shape (batch, d). Variances that do not depend on x_t may have the shape (1, d).
	Moments(x *Node, l level.Nodes) (mean, variance *Node)
}

// Simulator draws from a prior. Training needs nothing else.
type Simulator interface {
	String() string
	Dim() int
	// Draw fills x, of length d, with one draw of x₀.
	Draw(rng *rand.Rand, x []float64)
}

// Checker is a [Family], a [Prior], a [Simulator], a diffusion.Guidance or a diffusion.Method whose fields
// may have impossible values. Check names the field and its value.
type Checker interface{ Check() error }

// Coupled is a prior that returns how strongly the cells of x₀ | x_t are coupled. Coupling is the largest eigenvalue of
// their correlation matrix at noise level sigma, between 1 (independent) and d (one common mode). It is 0 if the prior
// does not know it after all, such as a [Product] of which one part does not. The guidance diffusion.Tempered needs it.
type Coupled interface {
	Coupling(sigma float64) float64
}

// Linear is a prior for which E[x₀ | x_t] is linear in x_t: a Gaussian prior with exact moments. The Jacobian of this
// mean gives an exact covariance, and Jacobian products are cheap compared with the products of a network.
// diffusion.Sample therefore solves for the coupling of the cells as accurately as the data require, and finds data
// that contradict the prior.
type Linear interface {
	// Multiply returns K v for the covariance K of x₀. It returns false if the prior is not linear after all, such as
	// a [Product] of which one part is not.
	Multiply(v []float64) (image []float64, ok bool)
}

// Joint is a prior of independent parts, which Parts returns in the order of their cells, such as a [Product].
type Joint interface{ Parts() []Prior }

// Bounded is a simulator whose draws lie in an interval in all cells, as grey values do, or a prior that was learned
// from such draws. The mean of x₀ | x_t, y lies in the interval too, and samplers keep their estimate of the mean
// inside it. Without the bounds, data that no draw can explain would take x_t to values that the network has never
// seen, where its estimates may grow without limit. Both bounds are 0 if there are no bounds.
type Bounded interface{ Bounds() (low, high float64) }

// reported is a learned prior that returns a sentence about how right its network is on draws of its simulator, or ""
// if that was not measured.
type reported interface{ Reported() string }

// Ranged is a prior that returns the noise levels, in units of x₀, for which its moments
// are accurate. diffusion.Sample does not go below the lowest of them.
type Ranged interface {
	Range() (low, high float64)
}

// Lattice is a prior whose cells form a grid, row after row. The correlation of x₀ | x_t must be
// about the same everywhere on the grid. diffusion.Sample uses the grid for operators on more than 128
// cells. The cells of a prior without this method are taken for a line. A [Simulator] of a grid may have the method
// too. A training then refuses a network for another grid.
type Lattice interface{ Lattice() (rows, cols int) }

// Footprint is how many numbers a part of a sampler keeps in memory. Fixed counts the weights. Draw counts the
// numbers that the evaluation of one draw keeps for its Jacobian products, at least eight per cell.
type Footprint struct {
	Fixed, Draw float64
}

// Sized is a prior, a guidance or an inference network that returns its footprint. Others are assumed to be small.
type Sized interface{ Footprint() Footprint }

// footprintOf returns the footprint of a prior.
func footprintOf(prior Prior) Footprint {
	sum := Footprint{Draw: 8 * float64(prior.Dim())}
	if prior, ok := prior.(Sized); ok {
		own := prior.Footprint()
		sum = Footprint{Fixed: own.Fixed, Draw: max(sum.Draw, own.Draw)}
	}
	return sum
}
