package expfam

import (
	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/special"
)

// normalFitter is a [Conjugate] with a closed form for a Gaussian coordinate. FitNormal returns the member that is
// closest, in the sense of [Conjugate].Fit, to the law of θ whose coordinate is N(mean, variance).
type normalFitter interface {
	FitNormal(mean, variance *g.Node) (loc, logConc *g.Node)
}

// projectionNodes returns the order of the Gauss-Hermite rule. For a logit with a variance of up to 4, the moments of
// the Beta are then exact to about 1e-8 in float64 and 1e-6 in float32.
func projectionNodes(dtype dtypes.DType) int {
	if dtype == dtypes.Float64 {
		return 48
	}
	return 24
}

// Project returns the network coordinates of a conjugate q for a cell with x₀ ~ N(mean, variance). It is the member
// closest to the law of θ = g⁻¹(x₀) in KL(law ‖ q). A perfectly trained inference network emits q. The sufficient
// statistics of q have the same expectations under q and under the law. There is a closed form for θ = exp(c+kx) with a
// Gamma or inverse Gamma, log α − ψ(α) = k²s²/2, and for an affine link with a Normal. Otherwise the expectations are
// computed by Gauss-Hermite quadrature and matched by Newton's method.
//
// Mean and variance broadcast. First derivatives with respect to both are exact.
func (t *Terms) Project(mean, variance *g.Node) (loc, logConc *g.Node) {
	conjugate := t.Family.Conjugate()
	if t.formula != nil {
		c, k, affine := conjugate.Coordinate().Substitute(*t.formula).Affine()
		if f, ok := conjugate.(normalFitter); ok && affine {
			return f.FitNormal(g.AddScalar(g.MulScalar(mean, k), c), g.MulScalar(variance, k*k))
		}
	}
	in := align(mean, variance)
	mean, variance = in[0], in[1]
	z, w := special.GaussHermite(projectionNodes(mean.DType()))
	sd := g.Sqrt(g.MaxScalar(variance, 1e-30))
	in = align(g.InsertAxes(mean, -1), g.InsertAxes(sd, -1), g.ConstAs(mean, z))
	x := g.Add(in[0], g.Mul(in[1], in[2]))
	return conjugate.Fit(t.Coordinate()(x), g.ConstAs(mean, w))
}
