package increments

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// walkModes returns the eigenvectors of the covariance min(i, j) as the columns of basis, and its eigenvalues divided
// by (d+1)/2, the mean variance of a cell.
func walkModes(cells int) (basis *mat.Dense, variance []float64) {
	d := float64(cells)
	basis, variance = mat.NewDense(cells, cells, nil), make([]float64, cells)
	for k := range cells {
		angle := (2*float64(k) + 1) * math.Pi / (2*d + 1)
		variance[k] = 2 / (d + 1) / (4 * math.Pow(math.Sin(angle/2), 2))
		for j := range cells {
			basis.Set(j, k, 2/math.Sqrt(2*d+1)*math.Sin(angle*float64(j+1)))
		}
	}
	return basis, variance
}

// walkFilter holds the results of Wiener's filter for a random walk, in units of the sd of a cell. Its input is e,
// (batch, d), the estimate of the best scalar denoiser in these units, and r is the noise in these units.
type walkFilter struct {
	noisy, estimate *Node // x_t/√α and its filtered value, (batch, d)
	// noise, rise and rest are standard deviations: of an increment of the noisy path, of an increment of the
	// estimate, and of the residual. They are (1 or batch, 1 or d).
	noise, rise, rest *Node
	// head is (x̂ − e)/(r/√(1 + r²)), and share is the sd of the estimate's error in the same unit, r/√(1 + r²).
	head, share *Node
	differences *Node // the matrix that turns a path into its increments, (d, d)
}

// filterWalk applies the filter to e at noise r = exp(logNoise).
func filterWalk(e, logNoise *Node) walkFilter {
	cells := e.Shape().Dim(1)
	basis, variance := walkModes(cells)
	constant := func(m *mat.Dense) *Node {
		r, c := m.Dims()
		return ConvertDType(Const(e.Graph(), tensors.FromFlatDataAndDimensions(mat.DenseCopyOf(m).RawMatrix().Data, r,
			c)), e.DType())
	}
	difference := mat.NewDense(cells, cells, nil)
	for j := range cells {
		difference.Set(j, j, 1)
		if j > 0 {
			difference.Set(j, j-1, -1)
		}
	}
	squared := func(m mat.Matrix) *Node { // turns variances of modes into variances of the rows of m
		out := new(mat.Dense)
		out.Apply(func(_, _ int, v float64) float64 { return v * v }, m.T())
		return constant(out)
	}
	var steps mat.Dense
	steps.Mul(difference, basis)
	lambda := ConvertDType(Const(e.Graph(), [][]float64{variance}), e.DType())
	rr := Exp(MulScalar(logNoise, 2))
	total := Add(lambda, rr)
	fixed := func(x, m *Node) *Node { return MatMul(x, StopGradient(m)) }

	f := walkFilter{differences: constant(mat.DenseCopyOf(difference.T()))}
	gain := Mul(Sqrt(Mul(rr, OnePlus(rr))), Div(AddScalar(lambda, -1), total))
	f.head = fixed(Mul(fixed(e, constant(basis)), gain), constant(mat.DenseCopyOf(basis.T())))
	f.noisy = Mul(e, OnePlus(rr))
	f.estimate = Add(e, Mul(f.head, Sqrt(Div(rr, OnePlus(rr)))))
	f.noise = Sqrt(AddScalar(MulScalar(rr, 2), 2/float64(cells+1)))
	f.rise = Sqrt(fixed(Div(Square(lambda), total), squared(&steps)))
	f.rest = Sqrt(fixed(Div(Square(rr), total), squared(basis)))
	f.share = Sqrt(fixed(Div(Mul(lambda, OnePlus(rr)), total), squared(basis)))
	return f
}

// features returns the inputs of the convolutions, each (batch, d, 1).
func (f walkFilter) features() []*Node {
	fixed := func(x *Node) *Node { return MatMul(x, StopGradient(f.differences)) }
	var all []*Node
	for _, v := range []*Node{Div(fixed(f.noisy), f.noise), Div(fixed(f.estimate), f.rise),
		Div(Sub(f.noisy, f.estimate), f.rest)} {
		size := Sqrt(OnePlus(Square(v)))
		for _, u := range []*Node{v, Div(v, Sqrt(size)), Div(v, size)} {
			all = append(all, InsertAxes(u, -1))
		}
	}
	return all
}
