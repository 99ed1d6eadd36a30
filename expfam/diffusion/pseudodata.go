package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// denoiser is an [Augmented] prior at any point of a graph, with the cells of its field and the scale of the others.
type denoiser struct {
	expfam.Prior
	field int
	scale float64
}

// shareOfScore bounds what a pseudo-datum tells of a parameter, as a share of the precision of its prior.
const shareOfScore = 0.1

// leastShare is a precision ω that tells nothing.
const leastShare = 1e-6

// pseudodata returns the shift of [Quadrature] for a field with unknown parameters, whose data look at one cell each.
//
// Given x_t, x₀ is a mixture over the parameters. It is far from a Gaussian where x_t does not tell yet, for instance,
// how rough the curve is. The data may tell. Guided by a Gaussian of the same moments, rough curves are smoothed, and
// their length scale is too long. A part of the data is therefore given to the denoiser. The datum of cell j acts like
// an observation ỹⱼ of x₀ⱼ with precision Wⱼ ([Quadrature]). With a precision ω that all cells share, pseudo-data uⱼ
// and x_t are together one observation of x₀ at a lower noise level,
//
//	c = v′ (x_t/(√α σ²) + ω u),  1/v′ = 1/σ² + ω,
//
// at which the prior knows the moments too. [Point.indefinite] takes the rest W − ω at this point. Nothing is
// approximated where all cells have normal data of one precision.
//
// ω is the harmonic mean of the Wⱼ of the cells with data or imputed values, times the share of these cells. A cell
// with Wⱼ > ω has uⱼ = ỹⱼ. One with Wⱼ < ω also gets a datum of precision ω − Wⱼ at the mean μⱼ of its tilted density,
// uⱼ = (Wⱼ ỹⱼ + (ω − Wⱼ) μⱼ)/ω, which the rest takes away again. Such data tell of the parameters what is not known, so
// there must not be many. An imputation (imputation.go) gives other values where there are no data.
//
// A parameter has no datum. Its pseudo-datum is its mean û given x_t, and ω is at most shareOfScore over the squared
// scale. The moments without it are those of its normal density divided by the density of the pseudo-datum.
func (q Quadrature) pseudodata(p *Point, g, rho *Node) *Node {
	d, field := p.Mean.Shape().Dimensions[1], p.denoiser.field
	mean, variance := StopGradient(p.Mean), StopGradient(p.Var)
	w := MaxScalar(Div(OneMinus(rho), rho), leastSite) // s² W
	precision := Div(w, variance)
	own := Add(mean, Mul(Mul(g, variance), OnePlus(Reciprocal(w)))) // ỹ = m + g (s² + 1/W)
	tilted := Add(mean, Mul(g, variance))
	if p.imputed != nil {
		more := Slice(p.imputed, AxisRange(), AxisRange(d, 2*d)) // precisions
		both, where := Add(precision, more), GreaterThan(more, ZerosLike(more))
		joined := Div(Add(Mul(precision, own), Mul(more, Slice(p.imputed, AxisRange(), AxisRange(0, d)))), both)
		own, w = Where(where, joined, own), Where(where, Mul(both, variance), w)
		tilted = Where(where, Add(mean, Mul(Sub(own, mean), Div(w, OnePlus(w)))), tilted)
		precision = Where(where, both, precision)
	}

	data := make([]float64, d) // 1 in the cells of the field
	for j := range field {
		data[j] = 1
	}
	inField := ConvertDType(Const(p.X.Graph(), [][]float64{data}), p.X.DType())
	seen := Mul(inField, ConvertDType(GreaterThan(w, MulScalar(OnesLike(w), 2*leastSite)), p.X.DType()))
	number := ReduceAndKeep(seen, ReduceSum, -1) // (batch, 1)
	share := Div(number, AddScalar(ReduceAndKeep(Div(seen, precision), ReduceSum, -1), smallestDivisor(w)))
	share = MaxScalar(Mul(share, MulScalar(number, 1/float64(field))), leastShare)
	share = MinScalar(share, shareOfScore/(p.denoiser.scale*p.denoiser.scale))
	added := MaxScalar(Sub(share, precision), 0)
	value := Div(Add(Mul(Sub(share, added), own), Mul(added, tilted)), share)

	sigma2 := Square(p.Level.Sigma())
	v := Reciprocal(Add(Reciprocal(sigma2), share)) // (batch, 1)
	c := Mul(v, Add(Div(Div(p.X, p.Level.SqrtAlpha), sigma2), Mul(share, value)))
	alpha := Reciprocal(OnePlus(v))
	near := *p
	near.Level = level.Nodes{SqrtAlpha: Sqrt(alpha), V: Mul(v, alpha)}
	near.X = Identity(StopGradient(Mul(near.Level.SqrtAlpha, c))) // a node of which there are gradients
	var at *Node
	near.Mean, at = momentsOf(p.denoiser.Prior, near.X, near.Level)
	near.Var = StopGradient(at)

	rest := StopGradient(Mul(inField, Sub(precision, share)))
	at = Where(GreaterThan(added, ZerosLike(added)), tilted, own)
	shift := near.indefinite(rest, StopGradient(Mul(rest, Sub(at, near.Mean))), 2*q.Steps)
	p.products += near.products
	moved := Sub(Add(near.Mean, shift), mean)
	return Add(Mul(inField, moved), Mul(OneMinus(inField), Div(moved, OneMinus(Mul(share, near.Var)))))
}

// indefinite solves (C⁻¹ + D) δ = b for a diagonal D whose elements may be negative, and C = Cov(x₀ | x_t). The
// matrix must be positive definite. It is so in [Quadrature.pseudodata] if the score at the lower noise level is that
// of a log-concave density, because C is then at most 1/ω.
//
// The steps are those of conjugate gradients preconditioned by C, which need no product with C⁻¹: where C⁻¹ z = r for
// the residual r, a direction p = z + β p′ has C⁻¹ p = r + β C⁻¹ p′. Each step costs one product with C. Where D
// differs by orders of magnitude, as under counts of an epidemic, more steps are needed than with the diagonal
// preconditioner of [correlated].
//
// A learned Jacobian is only nearly a covariance. The bounds of β and of the lengths of steps are those of a
// covariance with some room, and where rᵀ C r rises the steps end. Without them draws diverge.
func (p *Point) indefinite(diagonal, b *Node, steps int) *Node {
	z := p.Cov(b)
	r, direction, inverse := b, z, b // inverse is C⁻¹ p
	rz := rowDot(r, z)
	var shift *Node
	for i := range steps {
		product := Add(inverse, Mul(diagonal, direction))
		energy := Max(rowDot(direction, product), MulScalar(rowDot(direction, inverse), 0.6))
		length := ClipScalar(Div(rz, MaxScalar(energy, smallestDivisor(rz))), 0, 1.5)
		shift = addTo(shift, Mul(length, direction))
		if i == steps-1 {
			break
		}
		r = Sub(r, Mul(length, product))
		z = p.Cov(r)
		next := rowDot(r, z)
		next = Where(LessOrEqual(next, rz), next, ZerosLike(next)) // 0 ends the steps
		beta := ClipScalar(Div(next, MaxScalar(rz, smallestDivisor(rz))), 0, 1)
		direction, inverse = Add(z, Mul(beta, direction)), Add(r, Mul(beta, inverse))
		rz = next
	}
	return shift
}
