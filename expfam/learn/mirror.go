package learn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// turned returns A x Bᵀ for each image of x, (batch, rows, cols). A matrix that is nil leaves its side as it is.
func turned(x *Node, a, b [][]float64) *Node {
	times := func(x *Node, m [][]float64) *Node { // swaps the sides
		d := x.Shape().Dimensions
		if m == nil {
			return Transpose(x, 1, 2)
		}
		flat := make([]float64, 0, len(m)*len(m[0]))
		for _, row := range m {
			flat = append(flat, row...)
		}
		by := ConvertDType(Const(x.Graph(), tensors.FromFlatDataAndDimensions(flat, len(m), len(m[0]))), x.DType())
		y := MatMul(Reshape(x, d[0]*d[1], d[2]), StopGradient(Transpose(by, 0, 1)))
		return Transpose(Reshape(y, d[0], d[1], len(m)), 1, 2)
	}
	if a == nil && b == nil {
		return x
	}
	return times(times(x, b), a)
}

// mirror returns the matrix that continues n values to the given number by their mirror image about the last one, and
// nil if there is nothing to continue.
func mirror(to, n int) [][]float64 {
	if to == n {
		return nil
	}
	m := make([][]float64, to)
	for i := range m {
		m[i] = make([]float64, n)
		j := i % max(2*n-2, 1)
		if j >= n {
			j = 2*n - 2 - j
		}
		m[i][j] = 1
	}
	return m
}

// unit returns the matrix that takes the first values of n, and nil if it takes all.
func unit(to, n int) [][]float64 {
	if to == n {
		return nil
	}
	m := make([][]float64, to)
	for i := range m {
		m[i] = make([]float64, n)
		m[i][i] = 1
	}
	return m
}
