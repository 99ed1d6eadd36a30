package latent

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// leastPivoted is the number of cells from which a covariance is first tried by pivots, and mostPivoted the largest
// rank that is tried.
const leastPivoted, mostPivoted = 256, 1024

// LowRank returns L with orthogonal columns in ascending order of their length and L Lᵀ = K up to rounding, for
// covariances of 256 cells and more whose rank is below a third of that, and at most 1024. It is false for others.
func LowRank(cov mat.Symmetric) (*mat.Dense, bool) {
	d := cov.SymmetricDim()
	if d < leastPivoted {
		return nil, false
	}
	p, ok := pivoted(cov, min(d/3, mostPivoted))
	if !ok {
		return nil, false
	}
	return orthogonal(p)
}

// pivoted returns P with K = P Pᵀ up to the rounding errors of K, of shape (cells, rank), by Cholesky's method with
// pivots (Harbrecht, Peters & Schneider 2012, Applied Numerical Mathematics 62). It takes cells·rank² operations, where
// a decomposition takes about ten times the cube of the cells. It is false if the rank exceeds most, and if K is not
// P Pᵀ after all, because it is not positive semidefinite.
func pivoted(cov mat.Symmetric, most int) (*mat.Dense, bool) {
	d := cov.SymmetricDim()
	left := make([]float64, d) // the diagonal of K − P Pᵀ
	var largest float64
	for i := range left {
		left[i] = cov.At(i, i)
		largest = math.Max(largest, left[i])
	}
	limit := 0x1p-52 * largest
	p := blas64.General{Rows: d, Cols: most, Stride: most, Data: make([]float64, d*most)}
	column := make([]float64, d)
	rank := 0
	for ; ; rank++ {
		at := 0
		for i, v := range left {
			if v > left[at] {
				at = i
			}
		}
		if !(left[at] > limit) {
			break
		}
		if rank == most {
			return nil, false
		}
		root := math.Sqrt(left[at])
		for i := range column {
			column[i] = cov.At(i, at)
		}
		if rank > 0 {
			done := blas64.General{Rows: d, Cols: rank, Stride: most, Data: p.Data}
			blas64.Gemv(blas.NoTrans, -1, done, vector(p.Data[at*most:at*most+rank]), 1, vector(column))
		}
		for i, v := range column {
			v /= root
			p.Data[i*most+rank] = v
			left[i] -= v * v
		}
		left[at] = 0
	}
	if rank == 0 {
		return nil, false
	}
	out := mat.DenseCopyOf(mat.NewDense(d, most, p.Data).Slice(0, d, 0, rank))
	// A matrix that is not positive semidefinite may have no diagonal left and be another one: a product tells.
	probe, want, inner, got := mat.NewVecDense(d, nil), new(mat.VecDense), new(mat.VecDense), new(mat.VecDense)
	for i := range d {
		probe.SetVec(i, math.Sin(float64(1+i*i)))
	}
	want.MulVec(cov, probe)
	inner.MulVec(out.T(), probe)
	got.MulVec(out, inner)
	got.SubVec(got, want)
	return out, mat.Norm(got, 2) <= 1e-10*float64(d)*largest
}

// orthogonal returns L = P V with orthogonal columns in ascending order of their length, and L Lᵀ = P Pᵀ.
func orthogonal(p *mat.Dense) (*mat.Dense, bool) {
	cells, rank := p.Dims()
	gram := mat.NewSymDense(rank, nil)
	gram.SymOuterK(1, p.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, false
	}
	values, first := eigen.Values(nil), 0
	for values[first] <= 0x1p-52*float64(cells)*values[rank-1] {
		first++
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	l := new(mat.Dense)
	l.Mul(p, v.Slice(0, rank, first, rank))
	return l, true
}
