package expfam

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	g "github.com/gomlx/gomlx/core/graph"
)

// Operator is a linear map H from the d cells of x₀ to n data: the likelihood of datum k depends on η_k = (H x₀)_k
// instead of on one cell. Package operator has blurs, areas, points, rays and matrices. Your own operator is a type
// with these methods. It works with hmc and with every sampler whose guidance is diffusion.Quadrature or
// diffusion.Delta, or diffusion.Evidence with an inference network that was trained for the operator. A wrong adjoint
// is found before the first step.
type Operator interface {
	// String names the operator with its options. Keys of stored results contain it, and the weights of H.
	String() string
	// Dims returns the number n of data and the number d of cells.
	Dims() (data, cells int)
	// Apply returns H x for every row x, (batch, d) to (batch, n), in the type of x.
	Apply(x *g.Node) *g.Node
	// Adjoint returns Hᵀ y for every row y, (batch, n) to (batch, d), in the type of y.
	Adjoint(y *g.Node) *g.Node
}

// RowOperator is an [Operator] that lists the weights of a datum. For other operators the weights are found by applying
// the operator to every unit vector, which takes seconds for thousands of cells.
type RowOperator interface {
	Operator
	// Row calls visit with the cells of datum k and their weights H_kj. No weight may be 0, and no cell may come twice.
	Row(k int, visit func(cell int, weight float64))
}

// OffsetOperator is an [Operator] with a constant: η = H x₀ + offset. With [SumOf] it is θ = H g⁻¹(x₀) + offset, where
// the offset may be the expected counts of a known background.
type OffsetOperator interface {
	Operator
	// Offset returns one number per datum.
	Offset() []float64
}

// Named is an [Operator] whose data have names, such as sums over districts. Posteriors of its data keep them.
type Named interface {
	Operator
	// RowNames returns one name per datum, or nil if the data have none.
	RowNames() []string
}

// rowNames returns the names of the n data of an operator, or nil if they have none.
func rowNames(op any, n int) []string {
	if sum, ok := op.(SumOf); ok {
		op = sum.Operator
	}
	if o, ok := op.(Named); ok {
		if names := o.RowNames(); len(names) == n {
			return slices.Clone(names)
		}
	}
	return nil
}

// SumOf applies an operator to the intensities instead of the latent field:
//
//	θ_k = Σⱼ H_kj g⁻¹(x₀ⱼ).
//
// For example, θ_k is the expected count of an area whose cells have rates g⁻¹(x₀ⱼ) and
// exposures H_kj, or of a detector that sees a ray through an emission. H must not be
// negative, and θ must be a rate or a mean: any θ > 0 must be allowed by the family.
type SumOf struct{ Operator }

func (s SumOf) String() string {
	if s.Operator == nil {
		return "sum of no operator"
	}
	return "sum of " + s.Operator.String()
}

// Together returns the likelihood of several data sets on one field, each with its own family, link
// and operator: p(y₁, y₂, … | x₀) = p(y₁ | x₀) p(y₂ | x₀) ⋯. The observations of the first
// likelihood come first, then the observations of the second, and so on:
//
//	obsPoints, err := points.Observe(…)
//	obsDistricts, err := districts.Observe(…)
//	like := expfam.Together(points, districts)
//	post, err := diffusion.Sample(prior, like, slices.Concat(obsPoints, obsDistricts), s)
//
// The θ of its posterior is computed by the first link.
func Together(likes ...Likelihood) Likelihood {
	var out Likelihood
	if len(likes) > 0 {
		out.Family, out.Link = likes[0].Family, likes[0].link()
	}
	for _, l := range likes {
		if l.parts == nil {
			out.parts = append(out.parts, l)
		}
		out.parts = append(out.parts, l.parts...)
	}
	return out
}

// together checks all parts and makes them ready for use, as [Likelihood.Terms] does for one likelihood.
func (l Likelihood) together() (*Terms, error) {
	if l.Operator != nil {
		return nil, errors.New("likelihood: data sets together have no operator of their own; give one to each")
	}
	var parts []*Terms
	likes := make([]Likelihood, len(l.parts))
	for i, part := range l.parts {
		t, err := part.Terms()
		if err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		parts, likes[i] = append(parts, t), t.Likelihood
	}
	l.parts = likes
	out := *parts[0]
	out.Likelihood, out.parts = l, parts
	out.Link = parts[0].Link
	return &out, nil
}

// Parts returns the likelihoods that [Together] joined, in the order of their data, and l itself if it is one
// likelihood.
func (l Likelihood) Parts() []Likelihood {
	if l.parts == nil {
		return []Likelihood{l}
	}
	return slices.Clone(l.parts)
}

// only returns the one likelihood of [Together], or l itself. Several likelihoods are an error, because the data of
// each are reduced and drawn by its own family, and so is one without a family.
func (l Likelihood) only(what string) (Likelihood, error) {
	if n := len(l.parts); n > 1 {
		return l, fmt.Errorf("expfam: %s: %d data sets together, %v; %s each by its own likelihood, and join the "+
			"observations by slices.Concat", what, n, l, what)
	} else if n == 1 {
		l = l.parts[0]
	}
	if l.Family == nil {
		return l, errNoFamily
	}
	return l, nil
}

// names joins the names of the likelihoods of all data sets.
func (l Likelihood) names() string {
	var all []string
	for _, part := range l.parts {
		all = append(all, part.String())
	}
	return strings.Join(all, " and ")
}
