package operator_test

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
)

// show prints the rows of an operator.
func show(op expfam.RowOperator) {
	data, _ := op.Dims()
	for k := range data {
		var row []string
		op.Row(k, func(cell int, weight float64) { row = append(row, fmt.Sprintf("%d:%.3g", cell, weight)) })
		fmt.Println(strings.Join(row, " "))
	}
}

// Every second mean of a line that is blurred.
func Example() {
	blur := &operator.Convolution{Cols: 6, Kernel: operator.Box{}, Boundary: operator.Periodic}
	seen := operator.Compose{&operator.Downsample{Cols: 6}, blur}
	fmt.Println(seen)
	show(seen)
	// Output:
	// (means of 2 cells of 6 cells after box(3), periodic, of 6 cells)
	// 1:0.333 0:0.333 5:0.167 2:0.167
	// 3:0.333 2:0.333 1:0.167 4:0.167
	// 5:0.333 4:0.333 3:0.167 0:0.167
}

// A survey between four centres, and one in the sea.
func ExamplePoints() {
	land := grid.Grid{Rows: 2, Cols: 3, Outside: []bool{false, false, true, false, false, false}}
	show(&operator.Points{Grid: land, X: []float64{0.25}, Y: []float64{0.5}})
	fmt.Println((&operator.Points{Grid: land, X: []float64{0, 1.5}, Y: []float64{0, 0.9}}).Check())
	// Output:
	// 0:0.375 1:0.125 3:0.375 4:0.125
	// operator: point 1 at (1.5, 0.9) has 1 of the 4 centres around it outside of the domain; move it inland, or set Shore
}

// Cells with an intercept and a covariate: η = x₁ + β₀ + β₁ z.
func ExampleDesign() {
	show(operator.Design(mat.NewDense(3, 2, []float64{
		1, 0.5,
		1, -2,
		1, 4,
	})))
	// Output:
	// 0:1 3:1 4:0.5
	// 1:1 3:1 4:-2
	// 2:1 3:1 4:4
}
