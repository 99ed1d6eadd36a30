package increments

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// countSites are the sites of counts in [Propagation], where z = A u. Site k is exp(−τ_k z_k²/2 + ν_k z_k) in the place
// of p(y_k | z_k). Its cavity is the normal distribution of z_k without it, and the product of the cavity and p(y_k |
// z_k) has moments that are integrals over one variable.
type countSites struct {
	a               *mat.Dense // (data, cells)
	terms           *expfam.Terms
	data            expfam.Observations
	precision, pull []float64 // τ and ν
	at              []float64 // means of z_k, from which the next search for a mode starts
	says            *evidence // AᵀTA and Aᵀν, with T = diag τ
}

// newCountSites returns sites without information.
func newCountSites(a *mat.Dense, terms *expfam.Terms, data expfam.Observations) *countSites {
	n, cells := a.Dims()
	return &countSites{a: a, terms: terms, data: data, precision: make([]float64, n), pull: make([]float64, n),
		at:   make([]float64, n),
		says: &evidence{make([]float64, cells*cells), make([]float64, cells)}}
}

// match moves the sites towards values that give every z_k the moments of its cavity times p(y_k | z_k). The increments
// have the mean and the covariance that are given.
func (c *countSites) match(mean []float64, covariance blas64.Symmetric, damping float64) {
	a := c.a.RawMatrix()
	spread := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float64, a.Rows*a.Cols)}
	blas64.Symm(blas.Right, 1, covariance, a, 0, spread)
	for k := range c.data {
		row := c.a.RawRowView(k)
		at, variance := floats.Dot(row, mean), floats.Dot(row, spread.Data[k*a.Cols:][:a.Cols])
		v := 1 / math.Max(1/variance-c.precision[k], 1/widest)
		cavity := v * (at/variance - c.pull[k])
		m, tilted := moments(c.terms, c.data[k], cavity, v, c.at[k])
		c.at[k] = m
		// log p(y | z) of the benchmark's counts is concave in z, so that data never widen z. A negative precision is
		// rounding.
		precision := math.Max(1/tilted-1/v, 0)
		pull := m*(precision+1/v) - cavity/v
		c.precision[k] += damping * (precision - c.precision[k])
		c.pull[k] += damping * (pull - c.pull[k])
	}
	c.observe()
}

// follow takes over the sites of another draw.
func (c *countSites) follow(other *countSites) {
	copy(c.precision, other.precision)
	copy(c.pull, other.pull)
	copy(c.at, other.at)
	c.observe()
}

// observe sets the evidence to that of the sites.
func (c *countSites) observe() {
	rows, cells := c.a.Dims()
	weighted := mat.DenseCopyOf(c.a)
	for k := range rows {
		floats.Scale(c.precision[k], weighted.RawRowView(k))
	}
	mat.NewDense(cells, cells, c.says.information).Mul(c.a.T(), weighted)
	mat.NewVecDense(cells, c.says.pull).MulVec(c.a.T(), mat.NewVecDense(rows, c.pull))
}

const (
	// depth is the fall of the log density at both ends of the integrals of moments. About e^-16 of the mass is beyond
	// them.
	depth = 16
	// points is the number of points of Gauss and Legendre's rule on each side of the mode. One side may fall many
	// times faster than the other, as for a count of 0 in a wide cavity.
	points = 16
)

// nodes and weights are those of Gauss and Legendre's rule on [0, 1].
var nodes, weights = func() (x, w [points]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], 0, 1)
	return x, w
}()

// moments returns the mean and the variance of z under N(z; c, v) p(y | z), with log p(y | z) concave in z. The search
// for the mode begins at start.
func moments(terms *expfam.Terms, y expfam.Term, c, v, start float64) (mean, variance float64) {
	value := func(z float64) float64 { return terms.LogLik(z, y) - (z-c)*(z-c)/(2*v) }
	mode := summit(terms, y, c, v, start)
	top, unit := value(mode), 1/math.Sqrt(math.Max(terms.Information(mode, y), 0)+1/v)
	var sum, first, second float64
	for _, reach := range []float64{-3 * unit, 3 * unit} {
		for value(mode+reach) > top-depth {
			reach *= 1.4
		}
		for i, share := range nodes {
			d := reach * share
			w := math.Abs(reach) * weights[i] * math.Exp(value(mode+d)-top)
			sum += w
			first += w * d
			second += w * d * d
		}
	}
	first /= sum
	return mode + first, second/sum - first*first
}

// summit returns a place near the mode of N(z; c, v) p(y | z): within a hundredth of the standard deviation that the
// curvature there stands for. It takes Newton steps from start, and bisects when they fail.
func summit(terms *expfam.Terms, y expfam.Term, c, v, start float64) float64 {
	slope := func(z float64) float64 { return terms.Slope(z, y) - (z-c)/v }
	z := start
	for range 10 {
		s, precision := slope(z), math.Max(terms.Information(z, y), 0)+1/v
		if math.Abs(s) < 0.01*math.Sqrt(precision) {
			return z
		}
		if z += s / precision; math.IsNaN(z) || math.IsInf(z, 0) {
			break
		}
	}
	low, high := c, c // the slope falls from above 0 at low to below 0 at high
	for step := math.Sqrt(v); !(slope(low) >= 0); step *= 2 {
		low -= step
	}
	for step := math.Sqrt(v); slope(high) > 0; step *= 2 {
		high += step
	}
	for range 60 {
		if z = (low + high) / 2; slope(z) > 0 {
			low = z
		} else {
			high = z
		}
	}
	return z
}
