package expfam

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// Prior is a distribution of x₀ ∈ R^d that is known through its diffusion.
// Implement these methods and every likelihood, guidance and sampler works
// with it: the score is (√α m − x_t)/v by Tweedie's formula, and the
// covariance of x₀ | x_t is (v/√α) dm/dx_t.
type Prior interface {
	// String names the prior. Keys of stored results have it beside what
	// Moments computes.
	String() string
	// Dim is d.
	Dim() int
	// Moments gives the mean m and the marginal variances s² of x₀ | x_t,
	// both (batch, d), for x_t of shape (batch, d). Variances may be (1, d)
	// where they don't depend on x_t.
	Moments(x *Node, l LevelNodes) (mean, variance *Node)
}

// Simulator draws from a prior; it is all that training needs.
type Simulator interface {
	String() string
	Dim() int
	// Draw fills x, of length d, with one draw of x₀.
	Draw(rng *rand.Rand, x []float64)
}

// Checker is a [Family], a [Prior], a [Simulator], a [Guidance] or a [Method] whose fields
// may be impossible, as those of a struct literal. Check names the field and its value.
type Checker interface{ Check() error }

// CheckPrior is the error of a [Checker], nil for all others. Whoever takes a
// prior calls it before anything else.
func CheckPrior(prior any) error {
	if c, ok := prior.(Checker); ok {
		return c.Check()
	}
	return nil
}

// Coupled is a prior that knows how strongly the cells of x₀ | x_t are
// coupled: Coupling is the largest eigenvalue of their correlation matrix at
// noise level sigma, between 1 (independent) and d (one common mode).
// [Tempered] guidance needs it.
type Coupled interface {
	Coupling(sigma float64) float64
}

// Linear is a prior for which E[x₀ | x_t] is linear in x_t: a Gaussian one whose
// moments are exact, so that its Jacobian is a covariance, products with which cost
// little beside a network's. [Sample] solves for the coupling of its cells as
// accurately as the data ask, and finds data that contradict it.
type Linear interface {
	// Multiply is K v of the covariance K of x₀.
	Multiply(v []float64) []float64
}

// Stationary is a simulator that may have one distribution in all cells, as
// images of a translation-invariant ensemble do. A network that is trained on
// such draws can serve grids of other sizes.
type Stationary interface{ Stationary() bool }

// Bounded is a simulator whose draws lie in an interval in all cells, as grey
// values do, or a prior that was learned from one. The mean of x₀ | x_t, y lies
// there too, and samplers keep their estimate of it inside: data that no draw can
// explain would take x_t to where the network has never been, where its estimates
// may grow without end. Both bounds are 0 if there are none.
type Bounded interface{ Bounds() (low, high float64) }

// Ranged is a prior that knows the noise levels, in units of x₀, for which its
// moments can be trusted. [Sample] does not go below.
type Ranged interface {
	Range() (low, high float64)
}

// LevelNodes is a [Level] on the graph: both nodes of shape (1, 1) for a batch
// at one noise level, or (batch, 1).
type LevelNodes struct {
	SqrtAlpha, V *Node
}

// Sigma is the noise in units of x₀, √(v/α).
func (l LevelNodes) Sigma() *Node { return Div(Sqrt(l.V), l.SqrtAlpha) }
