package raster

import (
	"bufio"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
)

// decodeSurfer reads the rest of an ASCII grid of Surfer, after DSAA: the numbers of columns and rows, the ranges of x
// and y, which are centres of cells, and of the values, and then rows from the lowest y on. Values from 1.70141e38 on
// are blank.
func decodeSurfer(words *bufio.Scanner) (grid.Field, error) {
	const blank = 1.70141e38
	read := asciiNumbers{}
	var head [8]float64
	for i := range head {
		if !words.Scan() {
			return grid.Field{}, fmt.Errorf("the header of a grid of Surfer has 8 numbers after DSAA, this has %d", i)
		}
		v, ok := read.number(words.Text())
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return grid.Field{}, fmt.Errorf("number %d after DSAA is %.40q; it must be a number", i+1, words.Text())
		}
		head[i] = v
	}
	cols, rows := head[0], head[1]
	if !(rows >= 2 && cols >= 2 && rows*cols < math.MaxInt32) || rows != math.Trunc(rows) || cols != math.Trunc(cols) {
		return grid.Field{}, fmt.Errorf("%g columns and %g rows after DSAA; both must be whole numbers of at least 2",
			cols, rows)
	}
	if !(head[3] > head[2] && head[5] > head[4]) {
		return grid.Field{}, fmt.Errorf("x from %g to %g and y from %g to %g after DSAA; both must rise", head[2],
			head[3], head[4], head[5])
	}
	g := grid.Grid{Rows: int(rows), Cols: int(cols)}
	g.X = grid.Axis{Name: "x", First: head[2], Step: (head[3] - head[2]) / (cols - 1)}
	g.Y = grid.Axis{Name: "y", First: head[4], Step: (head[5] - head[4]) / (rows - 1)}
	values, err := read.values(words, g, nil)
	if err != nil {
		return grid.Field{}, err
	}
	for j, v := range values {
		if v >= blank {
			values[j] = math.NaN()
		}
	}
	return g.Field(values)
}
