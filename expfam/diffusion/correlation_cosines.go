package diffusion

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
)

// cosines are the orthonormal cosines of a lattice, √(2/n) cos(π k (i + ½)/n) along an axis of n cells. Correlations
// that depend on the lag alone are nearly diagonal in them (Strang 1999): by four products of small matrices such
// correlations multiply a vector without a Jacobian product.
type cosines struct {
	rows, cols int
	lambda     *Node // the variances of all cosines in the graph of a step, (1, cells)
}

// along returns the cosines of an axis of n cells as the rows of a matrix.
func (cosines) along(n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	out.Apply(func(k, i int, _ float64) float64 {
		if k == 0 {
			return math.Sqrt(1 / float64(n))
		}
		return math.Sqrt(2/float64(n)) * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(n))
	}, out)
	return out
}

// variances returns the variances of all cosines under a table of correlations by lag, at least 0.
func (c cosines) variances(table []float64) []float64 {
	lags := func(n int) *mat.Dense { // Σᵢ dₖ(i) dₖ(i + lag)
		d, out := c.along(n), mat.NewDense(n, 2*n-1, nil)
		out.Apply(func(k, at int, _ float64) (sum float64) {
			for i := max(0, n-1-at); i < min(n, 2*n-1-at); i++ {
				sum += d.At(k, i) * d.At(k, i+at-n+1)
			}
			return sum
		}, out)
		return out
	}
	var half, out mat.Dense
	half.Mul(lags(c.rows), mat.NewDense(2*c.rows-1, 2*c.cols-1, table))
	out.Mul(&half, lags(c.cols).T())
	out.Apply(func(_, _ int, v float64) float64 { return math.Max(v, 0) }, &out)
	return out.RawMatrix().Data
}

// product multiplies x, (batch, cells), by the correlations.
func (c cosines) product(x *Node) *Node {
	constant := func(n int) *Node {
		return ConvertDType(Const(x.Graph(), c.along(n).RawMatrix().Data), x.DType())
	}
	rows, cols := Reshape(constant(c.rows), c.rows, c.rows), Reshape(constant(c.cols), c.cols, c.cols)
	grid := Reshape(x, x.Shape().Dimensions[0], c.rows, c.cols)
	grid = Einsum("brk,lk->brl", Einsum("brc,kr->bkc", grid, rows), cols)
	grid = Mul(grid, Reshape(c.lambda, 1, c.rows, c.cols))
	grid = Einsum("brk,kl->brl", Einsum("bkc,kr->brc", grid, rows), cols)
	return Reshape(grid, x.Shape().Dimensions...)
}
