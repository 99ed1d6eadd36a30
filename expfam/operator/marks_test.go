package operator

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/must"
)

// Numbers that mark missing values are no covariates, weights, offsets or factors. Values that look like them among
// others like them are, and so is the weight of a cell that no datum looks at.
func TestMarks(t *testing.T) {
	column := func(v float64) *mat.Dense { return mat.NewDense(5, 1, []float64{0.1, -2, v, 0.4, 1}) }
	weights := func(v float64) []float64 { return []float64{10, 20, v, 5} }
	four := &Select{Cells: 4}
	labels := []int{0, 0, 1, 1}
	refusals(t, []refused{
		{"part 1 of blocks: row 2, column 0 of the matrix is -9999, far from all others", Design(column(-9999))},
		{"column 0 of the matrix is 1e+20", Design(column(1e20))},
		{"column 0 of the matrix is -3.4028234663852886e+38", Design(column(-math.MaxFloat32))},
		{"row 2, column 0 of the matrix is -32768", &Dense{Matrix: column(-32768)}},
		{"the weight of cell 2 is 65535", &Areas{Labels: labels, Weights: weights(65535)}},
		{"the weight of cell 2 is 1e+20", &Areas{Labels: labels, Weights: weights(1e20), Mean: true}},
		{"the weight of cell 2 is -9999", &Areas{Labels: labels, Weights: weights(-9999)}},
		{"the offset of datum 2 is -9999", Offset{Of: four, Each: weights(-9999)}},
		{"the factor of datum 2 is -999, far", Scale{Of: four, Each: weights(-999)}},
	})
	for name, op := range map[string]expfam.Operator{
		"a negative covariate":       Design(column(-7)),
		"depths":                     Design(mat.NewDense(4, 1, []float64{-9000, -9999, -10500, -8000})),
		"an indicator":               Design(mat.NewDense(4, 1, []float64{0, 0, 1, -1})),
		"metres":                     Design(mat.NewDense(4, 1, []float64{0, 9998, 9999, 4000})),
		"people of a large city":     &Areas{Labels: labels, Weights: []float64{10, 2e7, 65535, 5}},
		"a weight outside all areas": &Areas{Labels: []int{0, 0, -1, 0}, Weights: weights(-9999)},
		"logarithms of people":       Offset{Of: four, Each: []float64{9.2, -9, 11, 0}},
	} {
		must.Do(t, traits.Check(op), name)
	}
}
