package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/ownkind"
)

// denoiser is an [Augmented] prior at any point of a graph, with the cells of its field and the scale of the others.
type denoiser struct {
	expfam.Prior
	field int
	scale float64
}

// shareOfScore bounds what a pseudo-datum tells of a parameter, as a share of the precision of its prior.
const shareOfScore = 0.1

// pseudodata returns the shift of [Quadrature] for a field with unknown parameters, whose data look at one cell each.
//
// Given x_t, x₀ is a mixture over the parameters. It is far from a Gaussian where x_t does not tell yet, for instance,
// how rough the curve is. The data may tell. Guided by a Gaussian of the same moments, rough curves are smoothed, and
// their length scale is too long. A part of the data is therefore given to the denoiser. The datum of cell j acts like
// an observation ỹⱼ of x₀ⱼ with precision Wⱼ ([Quadrature]). With ω = min Wⱼ, the share ω of all data and x_t are
// together one observation of x₀ at a lower noise level,
//
//	c = v′ (x_t/(√α σ²) + ω ỹ),  1/v′ = 1/σ² + ω,
//
// at which the prior knows the moments too. Conjugate gradients take the rest W − ω at this point. Nothing is
// approximated where all cells have normal data of one precision. Where a cell has no datum, ω = 0.
//
// A parameter has no datum. Its pseudo-datum is its mean û given x_t, and ω is at most shareOfScore over the squared
// scale. The moments without it are those of its normal density divided by the density of the pseudo-datum.
func (q Quadrature) pseudodata(p *Point, g, rho *Node) *Node {
	d, field := p.Mean.Shape().Dimensions[1], p.denoiser.field
	mean, variance := StopGradient(p.Mean), StopGradient(p.Var)
	w := MaxScalar(Div(OneMinus(rho), rho), 1e-9) // s² W; see [Quadrature.own] for the floor
	precision := Div(w, variance)
	value := Add(mean, Mul(Mul(g, variance), OnePlus(Reciprocal(w)))) // m + g (s² + 1/W)
	share := ReduceAndKeep(Slice(precision, AxisRange(), AxisRange(0, field)), ReduceMin, -1)
	share = MinScalar(share, shareOfScore/(p.denoiser.scale*p.denoiser.scale))

	sigma2 := Square(p.Level.Sigma())
	v := Reciprocal(Add(Reciprocal(sigma2), share)) // (batch, 1)
	c := Mul(v, Add(Div(Div(p.X, p.Level.SqrtAlpha), sigma2), Mul(share, value)))
	alpha := Reciprocal(OnePlus(v))
	near := *p
	near.Level = expfam.LevelNodes{SqrtAlpha: Sqrt(alpha), V: Mul(v, alpha)}
	near.X = Identity(StopGradient(Mul(near.Level.SqrtAlpha, c))) // a node of which there are gradients
	var at *Node
	near.Mean, at = ownkind.Moments(p.denoiser.Prior, near.X, func() (mean, variance *Node) {
		return p.denoiser.Moments(near.X, near.Level)
	})
	near.Var = StopGradient(at)

	data := make([]float64, d) // 1 in the cells of the field
	for j := range field {
		data[j] = 1
	}
	seen := ConvertDType(Const(p.X.Graph(), [][]float64{data}), p.X.DType())
	root := Sqrt(Mul(seen, MaxScalar(Sub(precision, share), 0)))
	shift := near.move(sites{near.own(), Mul(root, Sub(value, StopGradient(near.Mean))), root, q.Steps})
	p.products += near.products
	moved := Sub(Add(near.Mean, shift), mean)
	return Add(Mul(seen, moved), Mul(OneMinus(seen), Div(moved, OneMinus(Mul(share, near.Var)))))
}
