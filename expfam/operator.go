package expfam

import g "github.com/gomlx/gomlx/core/graph"

// Operator is a linear map H from the d cells of x₀ to n data: the likelihood of datum k
// looks at η_k = (H x₀)_k instead of one cell. Package operator has the usual ones:
// blurs, areas, points, rays, matrices. Implement these methods and every sampler that
// is guided by [Quadrature] or [Delta], and hmc, works with an operator of one's own;
// An adjoint that is wrong is found before the first step.
type Operator interface {
	// String names the operator with its options. Keys of stored results have it
	// beside the weights of H.
	String() string
	// Dims are the number n of data and the number d of cells.
	Dims() (data, cells int)
	// Apply is H x of every row of x, (batch, d) to (batch, n), in the type of x.
	Apply(x *g.Node) *g.Node
	// Adjoint is Hᵀ y of every row of y, (batch, n) to (batch, d), in the type of y.
	Adjoint(y *g.Node) *g.Node
}

// RowOperator is an [Operator] that lists the weights of a datum. Without it they are
// found by applying the operator to every unit vector, which takes seconds for
// thousands of cells.
type RowOperator interface {
	Operator
	// Row calls visit with the cells of datum k and their weights H_kj, none of
	// them 0 and no cell twice.
	Row(k int, visit func(cell int, weight float64))
}

// OffsetOperator is an [Operator] with a constant: η = H x₀ + offset, or with [SumOf]
// θ = H g⁻¹(x₀) + offset, the counts of a known background.
type OffsetOperator interface {
	Operator
	// Offset has one number per datum.
	Offset() []float64
}

// SumOf makes an operator of the intensities and not of the latent field:
//
//	θ_k = Σⱼ H_kj g⁻¹(x₀ⱼ),
//
// the expected count of an area whose cells have rates g⁻¹(x₀ⱼ) and exposures H_kj, or of
// a detector that sees a ray through an emission. H must not be negative, and θ must be
// a rate or a mean, so that θ > 0 is all that the family asks for.
type SumOf struct{ Operator }

func (s SumOf) String() string { return "sum of " + s.Operator.String() }
