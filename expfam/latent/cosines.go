package latent

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Cosines returns at most n orthonormal cosines of a grid, one in each column, in ascending order of their frequency.
func Cosines(rows, cols, n int) *mat.Dense {
	type frequency struct{ r, c int }
	var all []frequency
	for r := range min(rows, n) {
		for c := range min(cols, n) {
			all = append(all, frequency{r, c})
		}
	}
	square := func(f frequency) float64 {
		return math.Pow(float64(f.r)/float64(rows), 2) + math.Pow(float64(f.c)/float64(cols), 2)
	}
	slices.SortStableFunc(all, func(a, b frequency) int { return cmp.Compare(square(a), square(b)) })
	all = all[:min(n, len(all))]
	out := mat.NewDense(rows*cols, len(all), nil)
	for k, f := range all {
		column := make([]float64, rows*cols)
		for j := range column {
			column[j] = math.Cos(math.Pi*float64(f.r)*(float64(j/cols)+0.5)/float64(rows)) *
				math.Cos(math.Pi*float64(f.c)*(float64(j%cols)+0.5)/float64(cols))
		}
		floats.Scale(1/floats.Norm(column, 2), column)
		out.SetCol(k, column)
	}
	return out
}
