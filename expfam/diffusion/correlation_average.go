package diffusion

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// covariances adds up rows of Cov(x₀ | x_t), divided by the standard deviations of both cells.
type covariances struct {
	of         *correlations
	sum, count []float64 // laid out as a table
}

func newCovariances(of *correlations) *covariances {
	last := of.Blocks[len(of.Blocks)-1]
	n := last.At + last.size()
	return &covariances{of, make([]float64, n), make([]float64, n)}
}

// add adds the row of a cell. sd has the standard deviations of all cells at the same x_t.
func (s *covariances) add(cell int, row, sd []float64) {
	b := s.of.block(cell)
	i := cell - b.First
	for j := range b.Cells {
		v := row[b.First+j] / (sd[cell] * sd[b.First+j])
		for _, at := range [2]int{b.index(i, j), b.index(j, i)} {
			s.sum[at] += v
			s.count[at]++
		}
	}
}

// correlations returns the averages as a table. A lag that was never seen has correlation 0.
func (s *covariances) correlations() []float64 {
	out := make([]float64, len(s.sum))
	for i, n := range s.count {
		if n > 0 {
			out[i] = math.Min(math.Max(s.sum[i]/n, -1), 1)
		}
	}
	for _, b := range s.of.Blocks {
		for j := range b.Cells {
			out[b.index(j, j)] = 1
		}
		if b.whole() {
			makeSemidefinite(out[b.At:b.At+b.size()], b.Cells)
		}
	}
	return out
}

// makeSemidefinite turns a measured correlation matrix with negative eigenvalues into one without.
// Eigenvalues below 1e-6 are raised to 1e-6, and the matrix is scaled to a diagonal of 1. A matrix
// whose eigenvalues are negative by rounding alone, at least −1e-6, stays as it is.
func makeSemidefinite(table []float64, d int) {
	const least = 1e-6
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(d, table), true) || eigen.Values(nil)[0] >= -least {
		return
	}
	root, _ := rootOf(&eigen, func(lambda float64) float64 { return math.Max(lambda, least) })
	out := mat.NewSymDense(d, nil)
	out.SymOuterK(1, root)
	for i := range d {
		for j := range d {
			table[i*d+j] = out.At(i, j) / math.Sqrt(out.At(i, i)*out.At(j, j))
		}
	}
}

// rootOf returns U √f(Λ) and the eigenvectors U of a matrix U Λ Uᵀ.
func rootOf(eigen *mat.EigenSym, f func(lambda float64) float64) (root, u *mat.Dense) {
	root, u = new(mat.Dense), new(mat.Dense)
	eigen.VectorsTo(u)
	values := eigen.Values(nil)
	root.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(f(values[k])) }, u)
	return root, u
}

// variationSums has the sums, for each cell, over the variances of x₀ | x_t at several x_t.
type variationSums struct{ sum, squares, count []float64 }

func newVariationSums(d int) variationSums {
	return variationSums{make([]float64, d), make([]float64, d), make([]float64, d)}
}

func (c variationSums) add(cell int, variance float64) {
	c.sum[cell] += variance
	c.squares[cell] += variance * variance
	c.count[cell]++
}

// largestVariation returns the largest coefficient of variation, over the cells, of the variances of a cell.
func (c variationSums) largestVariation() float64 {
	var most float64
	for j, n := range c.count {
		if n < 2 {
			continue
		}
		mean := c.sum[j] / n
		spread := math.Sqrt(max(c.squares[j]-n*mean*mean, 0) / (n - 1))
		most = max(most, spread/math.Abs(mean)) // NaN stays NaN
	}
	return most
}
