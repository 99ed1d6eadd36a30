package scenes

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/luma"
)

// ReadPhoto reads an image and prepares it as the paper does (its Appendix F): it is made
// grey, its smaller edge is resized, its centre is cropped to rows × cols, and its values
// are scaled to [−1, 1].
func ReadPhoto(path string, rows, cols int) (grid.Field, error) {
	if rows < 1 || cols < 1 {
		return grid.Field{}, fmt.Errorf("scenes: %s: %d rows and %d columns; both must be at least 1", path, rows, cols)
	}
	g, err := luma.Open(path)
	if err != nil {
		return grid.Field{}, fmt.Errorf("scenes: %w", err)
	}
	fit := luma.Image{W: cols, H: rows, Pix: g.Fit(rows, cols)}
	f, err := grid.Field{Grid: grid.Grid{Rows: rows, Cols: cols}, Values: fit.Values()}.Stretch()
	if err != nil {
		return grid.Field{}, fmt.Errorf("scenes: %s: %w", path, err)
	}
	return f, nil
}

// stretch writes pix, scaled to [−1, 1], into x. It reports false if all pixels are equal.
func stretch(pix []float32, x []float64) bool {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range pix {
		low, high = min(low, v), max(high, v)
	}
	if !(high > low) {
		return false
	}
	for j, v := range pix {
		x[j] = 2*float64(v-low)/float64(high-low) - 1
	}
	return true
}
