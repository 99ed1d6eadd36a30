package scenes

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/grayscale"
	"github.com/expfam/lab/expfam/internal/traits"
)

// ReadPhoto reads an image and prepares it as the paper does (its Appendix F): it is made grey, its smaller edge is
// resized, its centre is cropped to rows × cols, and its values are scaled to [−1, 1].
func ReadPhoto(path string, rows, cols int) (grid.Field, error) {
	if rows < 1 || cols < 1 {
		return grid.Field{}, fmt.Errorf("scenes: %s: %d rows and %d columns; both must be at least 1", path, rows, cols)
	}
	g, err := grayscale.Open(path)
	if err != nil {
		return grid.Field{}, fmt.Errorf("scenes: %w", err)
	}
	fit := grayscale.Image{W: cols, H: rows, Pix: g.Fit(rows, cols)}
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

// Prior is a prior of images whose Draw may be called by several goroutines, each with its own generator. [Procedural],
// [*Images] and [Crop] are such priors.
type Prior interface {
	expfam.Simulator
	Grid() grid.Grid
	Concurrent()
}

// Crop is a prior of windows of the images of another prior. A draw cuts a window of Rows × Cols cells out of a new
// image, at a place that is uniform over all places that fit. Windows are not resized, and their grey values are not
// stretched again. Training on windows takes less time, and a network that was trained on them can start the training
// on complete images (learn.Training.From).
type Crop struct {
	Of         Prior
	Rows, Cols int // default half of the rows and columns of Of
}

func (c Crop) orDefault() Crop {
	g := c.Of.Grid()
	c.Rows, c.Cols = cmp.Or(c.Rows, g.Rows/2), cmp.Or(c.Cols, g.Cols/2)
	return c
}

// Check refuses windows that are not inside of the images; see [expfam.Checker].
func (c Crop) Check() error {
	if c.Of == nil {
		return errors.New("scenes: a crop of nothing; set Of to a prior of images, such as Procedural{}")
	}
	if err := traits.Check(c.Of); err != nil {
		return err
	}
	c = c.orDefault()
	if whole := c.Of.Grid(); c.Rows < 1 || c.Cols < 1 || c.Rows > whole.Rows || c.Cols > whole.Cols {
		return fmt.Errorf("scenes: a crop of %d by %d cells from images of %d by %d; Rows and Cols must be at least "+
			"1 and at most those of the images", c.Rows, c.Cols, whole.Rows, whole.Cols)
	}
	return nil
}

// String names the prior.
func (c Crop) String() string {
	if c.Of == nil {
		return "crop(nothing)"
	}
	c = c.orDefault()
	return fmt.Sprintf("crop(%v, %dx%d)", c.Of, c.Rows, c.Cols)
}

// Dim returns the number of cells of a window.
func (c Crop) Dim() int {
	c = c.orDefault()
	return c.Rows * c.Cols
}

// Grid returns the lattice of a window.
func (c Crop) Grid() grid.Grid {
	c = c.orDefault()
	return grid.Grid{Rows: c.Rows, Cols: c.Cols}
}

// Lattice returns the rows and columns of a window; see [expfam.Lattice].
func (c Crop) Lattice() (rows, cols int) { return c.Grid().Rows, c.Grid().Cols }

// Stationary reports whether the prior of the images has the same distribution in all cells.
func (c Crop) Stationary() bool {
	s, ok := c.Of.(interface{ Stationary() bool })
	return ok && s.Stationary()
}

// Bounds returns the bounds of the images; see [expfam.Bounded].
func (c Crop) Bounds() (low, high float64) {
	if b, ok := c.Of.(expfam.Bounded); ok {
		return b.Bounds()
	}
	return 0, 0
}

// Concurrent says that windows are drawn on all processors.
func (c Crop) Concurrent() {}

// Draw fills x with a window of a new image.
func (c Crop) Draw(rng *rand.Rand, x []float64) {
	c = c.orDefault()
	whole := c.Of.Grid()
	top, left := rng.IntN(whole.Rows-c.Rows+1), rng.IntN(whole.Cols-c.Cols+1)
	image := make([]float64, whole.Len())
	c.Of.Draw(rng, image)
	for r := range c.Rows {
		copy(x[r*c.Cols:(r+1)*c.Cols], image[whole.Index(top+r, left):])
	}
}
