package operator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
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

// Expected counts of two districts of a file, from the people in each cell.
func ExamplePolygons() {
	dir, err := os.MkdirTemp("", "districts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "districts.geojson")
	const text = `{"type": "FeatureCollection", "features": [
		{"type": "Feature", "properties": {"name": "west"}, "geometry": {"type": "Polygon", "coordinates": [[[0,0],[1.5,0],[1.5,2],[0,2],[0,0]]]}},
		{"type": "Feature", "properties": {"name": "east"}, "geometry": {"type": "Polygon", "coordinates": [[[1.5,0],[3,0],[3,2],[1.5,2],[1.5,0]]]}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	districts, err := land.GeoJSON{}.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	cells := grid.Grid{Rows: 2, Cols: 3, X: grid.Axis{First: 0.5}, Y: grid.Axis{First: 0.5}} // of side 1
	people := []float64{100, 40, 10, 80, 60, 0}
	counts := expfam.SumOf{Operator: &operator.Polygons{Grid: cells, Regions: districts, Weights: people}}
	fmt.Println(counts)
	show(counts.Operator.(*operator.Polygons))
	// Output:
	// sum of weighted sums over 2 areas of 6 cells
	// 0:100 1:20 3:80 4:30
	// 1:20 2:10 4:30
}

// Two rays up the columns of a grid, and two that cross it.
func ExampleRadon() {
	show(&operator.Radon{Rows: 2, Cols: 2, At: []float64{0, 45}})
	// Output:
	// 2:1 0:1
	// 3:1 1:1
	// 3:0.414 2:1 0:0.414
	// 3:0.414 1:1 0:0.414
}
