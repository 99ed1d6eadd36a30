package diffusion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/special"
)

// Quadrature is the marginal evidence by numerical integration. With x₀ⱼ | x_t ~ N(mⱼ, sⱼ²) it is
//
//	ℓⱼ(m) = log ∫ p(yⱼ | g⁻¹(x)) N(x; m, sⱼ²) dx,
//
// for any likelihood and link, without an inference network. The tilted density p(y | g⁻¹(x)) N(x; m, s²) has a mean μ
// and a variance τ². The slope ∂ℓ/∂m is g = (μ − m)/s², and the information −∂²ℓ/∂m² is h = (1 − τ²/s²)/s². The tilted
// moments come from Gauss–Hermite nodes around the mode, which Newton steps find. The cells are then coupled through
// Cov(x₀ | x_t) by conjugate gradients.
//
// Quadrature assumes that x₀ⱼ | x_t is Gaussian, which is exact for Gaussian priors. The
// precisions h/(1 − s²h) are the site precisions of expectation propagation (Minka 2001).
type Quadrature struct {
	// Steps is the number of steps of conjugate gradients, with one Jacobian product each.
	// The default is 3. It is 2 for more than 128 cells in steps with third cumulants, which
	// take one more product (see [Step]). For data that are precise, one by one or together, under a [expfam.Linear]
	// prior the default is 8 or 20, at most the number of cells. With Independent no steps are taken. With an
	// operator the solve is preconditioned without products: the default is then 1 if the preconditioner knows all
	// pairs of cells, and 2 if it knows all pairs of data, or behind a blur the correlations of an image by lag. A
	// drawn step, such as those of [CovarianceSteps], takes no products by default for up to 128 cells.
	Steps int
	// Independent leaves out the correlations between cells: it sums the evidences of
	// single cells, with one Jacobian product.
	Independent bool
	// Newton is the number of Newton steps to the mode. Default 6; with an operator more
	// steps are taken for data far from a wide prior.
	Newton int
	// Nodes is the number of nodes of the Gauss–Hermite rule. Default 7.
	Nodes int
}

// defaultSteps is the default number of steps of conjugate gradients; see [Quadrature] for exceptions.
const defaultSteps = 3

func (q Quadrature) orDefault() Quadrature {
	q.Steps = cmp.Or(q.Steps, defaultSteps)
	q.Newton = cmp.Or(q.Newton, usualNewton)
	q.Nodes = cmp.Or(q.Nodes, 7)
	return q
}

func (q Quadrature) String() string {
	q = q.orDefault()
	if q.Independent {
		return fmt.Sprintf("quadrature(independent, newton=%d, nodes=%d)", q.Newton, q.Nodes)
	}
	return fmt.Sprintf("quadrature(cg=%d, newton=%d, nodes=%d)", q.Steps, q.Newton, q.Nodes)
}

// Draw returns the shift of a draw from the Gaussian approximation of x₀ | x_t, y; see [Drawer].
func (q Quadrature) Draw(p *Point) *Node { return q.Shift(p) }

// Shift returns the shift of the posterior mean; see [Guidance].
func (q Quadrature) Shift(p *Point) *Node {
	steps := q.Steps
	if steps == 0 {
		steps = covarianceAt(p).solveSteps(p)
	}
	q = q.orDefault()
	q.Steps = steps
	if q.Newton < 0 || q.Nodes < 1 {
		panic(fmt.Errorf("quadrature with %d Newton steps and %d nodes; neither may be negative", q.Newton, q.Nodes))
	}
	if p.forward != nil {
		return q.throughOperator(p)
	}
	g, rho := q.tilt(p)
	p.rest = Mul(rho, p.Var)
	if p.denoiser != nil && !q.Independent {
		return q.pseudodata(p, g, rho)
	}
	var shift *Node
	if q.Independent {
		shift = p.Cov(g)
	} else {
		s, _ := q.sites(p.own(), g, rho)
		shift = p.move(s)
	}
	if p.skew != nil {
		shift = Add(shift, skewness(p, inVariance(g, rho, p.Var)))
	}
	return shift
}

// leastSite is the least s² W of a cell.
const leastSite = 1e-9

// sites returns one site for each datum, which sees l, and the precisions of the sites.
func (q Quadrature) sites(l linearisation, g, rho *Node) (s sites, precision *Node) {
	// The site of a datum has precision W = h/(1 − s²h) = (1/ρ − 1)/s² and pull √W r = g (s² + 1/W) √W. The code
	// computes s² W. Its floor keeps data in the system whose evidence has hardly any curvature: there the solution w
	// of the solve (see [correlated]) tends to g, as it should.
	w := MaxScalar(Div(OneMinus(rho), rho), leastSite)
	precision = Div(w, l.variance)
	root := Sqrt(precision)
	return sites{l, Div(Mul(g, OnePlus(w)), root), root, q.Steps}, precision
}

// tilt returns the slope g of the marginal log-evidence and the ratio ρ = τ²/s² = 1 − s²h.
// It computes in z = (x − m)/s, where no digits cancel as s → 0.
func (q Quadrature) tilt(p *Point) (g, rho *Node) {
	m, s := q.cell(p)
	z, atMode := q.mode(p, m, s)
	scale := Sqrt(Reciprocal(Neg(atMode)))

	nodes, weights := special.GaussHermite(q.Nodes)
	points, logs := make([]*Node, q.Nodes), make([]*Node, q.Nodes)
	var largest *Node
	for k, x := range nodes {
		points[k] = Add(z, MulScalar(scale, x))
		value := p.Terms.Orders(Add(m, Mul(s, points[k])), p.Stat, p.Size, 0, 0)[0]
		value = Sub(value, MulScalar(Square(points[k]), 0.5))
		logs[k] = AddScalar(value, math.Log(weights[k])+x*x/2)
		if largest == nil {
			largest = logs[k]
		} else {
			largest = Max(largest, logs[k])
		}
	}
	var mass, first *Node
	for k := range points {
		logs[k] = Exp(Sub(logs[k], largest))
		mass = addTo(mass, logs[k])
		first = addTo(first, Mul(logs[k], points[k]))
	}
	mean := Div(first, mass)
	var second *Node
	for k := range points {
		second = addTo(second, Mul(logs[k], Square(Sub(points[k], mean))))
	}
	// A log-concave likelihood makes the tilted density narrower than the prior, ρ ≤ 1. Where
	// another likelihood makes it wider, the information h is taken as 0.
	rho = ClipScalar(Div(second, mass), narrowest(m), 1)
	observed := GreaterThan(Add(p.Size, Abs(p.Stat)), ZerosLike(Add(p.Size, p.Stat)))
	observed = BroadcastToDims(observed, m.Shape().Dimensions...)
	g = Where(observed, Div(mean, BroadcastToDims(s, m.Shape().Dimensions...)), ZerosLike(m))
	rho = Where(observed, rho, OnesLike(m))
	return ConvertDType(g, p.Mean.DType()), ConvertDType(rho, p.Mean.DType())
}

// cell returns the mean and the standard deviation of x₀ | x_t in the type of the data.
// Where log-likelihoods are large, this type is Float64, whatever the type of x_t.
func (q Quadrature) cell(p *Point) (m, s *Node) {
	dtype := p.Stat.DType()
	return ConvertDType(StopGradient(p.Mean), dtype), ConvertDType(StopGradient(Sqrt(p.Var)), dtype)
}

// narrowest returns the lower bound of τ²/s². Below it the rounding of the nodes determines the computed τ².
func narrowest(m *Node) float64 {
	if m.DType() == dtypes.Float64 {
		return 1e-14
	}
	return 1e-6
}

// tilted returns the first two derivatives in z of log p(y | x) − z²/2 at x = m + s z. Where
// the second derivative of the log-likelihood is positive, it is taken as 0.
func tilted(p *Point, m, s, z *Node) (slope, second *Node) {
	out := p.Terms.Orders(Add(m, Mul(s, z)), p.Stat, p.Size, 1, 2)
	return Sub(Mul(s, out[0]), z), AddScalar(MinScalar(Mul(Square(s), out[1]), 0), -1)
}

// mode finds the most probable z by Newton steps, and returns it with the second derivative there.
//
// Each step is bounded, by twice the bound of the step before, because a full Newton step overshoots from a flat side
// of the density. Exponential links, for example, are steeper than their tangent. A step that would leave the interval
// in which the slope is known to change sign goes to the middle of the interval instead. Without the interval the
// iterate would jump for ever between the two saturated sides of a sigmoid link.
func (q Quadrature) mode(p *Point, m, s *Node) (z, second *Node) {
	z = ZerosLike(m)
	low, high := AddScalar(z, -unbounded), AddScalar(z, unbounded)
	reach := newtonReach
	for range q.Newton {
		slope, second := tilted(p, m, s, z)
		rising := GreaterThan(slope, ZerosLike(slope))
		low, high = Where(rising, z, low), Where(rising, high, z)
		next := Add(z, ClipScalar(Neg(Div(slope, second)), -reach, reach))
		// False for NaN as well, from a link that overflows.
		inside := LogicalAnd(GreaterOrEqual(next, low), LessOrEqual(next, high))
		z = Where(inside, next, MulScalar(Add(low, high), 0.5))
		reach *= 2
	}
	_, second = tilted(p, m, s, z)
	return z, second
}

// newtonReach bounds the first Newton step, in standard deviations of x₀ | x_t.
const newtonReach = 1.5

// unbounded is larger than every |z|. It bounds the interval of [Quadrature.mode] before the slope is known.
const unbounded = 1e30

// addTo returns sum + term, where a nil sum is 0.
func addTo(sum, term *Node) *Node {
	if sum == nil {
		return term
	}
	return Add(sum, term)
}
