package scenes

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/expfam/lab/expfam/store"
)

// Sheet tiles several images into one, such as samples to look at while a network trains.
type Sheet struct {
	Rows, Cols int // of every image
	// Across is the number of images side by side. Default: the square root of the number of images, rounded up.
	Across int
	// Low is shown black and High white. Default −1 and 1.
	Low, High float64
}

// Image draws the sheet. Values beyond the range are cut off; NaN is shown in blue.
func (s Sheet) Image(images [][]float64) (image.Image, error) {
	if s.Low == 0 && s.High == 0 {
		s.Low, s.High = -1, 1
	}
	s.Across = cmp.Or(s.Across, int(math.Ceil(math.Sqrt(float64(len(images))))))
	if len(images) == 0 || s.Across < 1 || s.Rows < 1 || s.Cols < 1 || !(s.High > s.Low) {
		return nil, fmt.Errorf("scenes: sheet: %d images of %d by %d, %d across, from %g to %g; there must be "+
			"something to show", len(images), s.Rows, s.Cols, s.Across, s.Low, s.High)
	}
	const gap = 2
	down := (len(images) + s.Across - 1) / s.Across
	out := image.NewRGBA(image.Rect(0, 0, s.Across*(s.Cols+gap)+gap, down*(s.Rows+gap)+gap))
	for i := range out.Pix {
		out.Pix[i] = 0xff
	}
	for k, x := range images {
		if len(x) != s.Rows*s.Cols {
			return nil, fmt.Errorf("scenes: sheet: image %d has %d cells, not %d by %d", k, len(x), s.Rows, s.Cols)
		}
		left, top := gap+k%s.Across*(s.Cols+gap), gap+k/s.Across*(s.Rows+gap)
		for j, v := range x {
			out.SetRGBA(left+j%s.Cols, top+j/s.Cols, s.shade(v))
		}
	}
	return out, nil
}

func (s Sheet) shade(v float64) color.RGBA {
	if math.IsNaN(v) {
		return color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	}
	g := uint8(math.Round(255 * min(1, max(0, (v-s.Low)/(s.High-s.Low)))))
	return color.RGBA{g, g, g, 0xff}
}

// Save writes the sheet as a PNG file.
func (s Sheet) Save(path string, images [][]float64) error {
	img, err := s.Image(images)
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error { return png.Encode(w, img) })
}
