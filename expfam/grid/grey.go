package grid

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the first frame
	_ "image/jpeg"
	_ "image/png"
	"io"
	"math"
	"os"
)

// grey is the luma of an image, in [0, 1], row after row from the top.
type grey struct {
	w, h int
	pix  []float32
}

// maxPixels bounds the memory that the header of a file can make us allocate.
const maxPixels = 1 << 27

// decodeGrey reads an image in any format that is registered with package
// image: PNG, JPEG and GIF, and others by blank import
// (golang.org/x/image/webp). Luma is 0.299 R + 0.587 G + 0.114 B of the encoded
// values (ITU-R BT.601), the Y of a JPEG. 16-bit images keep their 16 bits. CMYK is
// converted without its colour profile. Orientation tags are ignored, as is common in
// training on ImageNet. An image whose header says that it would take more than a
// gigabyte, or is far larger than its file, is refused.
func decodeGrey(r io.ReadSeeker) (g grey, err error) {
	defer func() {
		// A broken file can make a decoder panic.
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	if _, err := r.Read(make([]byte, 1)); err == io.EOF {
		return grey{}, errors.New("the file is empty")
	} else if err != nil {
		return grey{}, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return grey{}, err
	}
	return decode(r)
}

// greyOf converts an image to luma. It refuses transparent pixels, which have no luma.
func greyOf(img image.Image) (grey, error) {
	b := img.Bounds()
	g := grey{w: b.Dx(), h: b.Dy(), pix: make([]float32, b.Dx()*b.Dy())}
	opaque := true
	if o, ok := img.(interface{ Opaque() bool }); ok {
		opaque = o.Opaque()
	}
	switch img := img.(type) {
	case *image.Gray:
		g.bytes(img.Pix, img.Stride)
		return g, nil
	case *image.YCbCr:
		g.bytes(img.Y, img.YStride)
		return g, nil
	}
	for y := range g.h {
		for x := range g.w {
			c := img.At(b.Min.X+x, b.Min.Y+y)
			if !opaque {
				if _, _, _, a := c.RGBA(); a != 0xffff {
					return grey{}, fmt.Errorf(
						"the pixel at (%d, %d) is transparent; put the image on a background first", x, y)
				}
			}
			g.pix[y*g.w+x] = luma(c)
		}
	}
	return g, nil
}

// bytes sets the pixels from luma in bytes.
func (g grey) bytes(pix []uint8, stride int) {
	for y := range g.h {
		for x, v := range pix[y*stride : y*stride+g.w] {
			g.pix[y*g.w+x] = float32(v) / 255
		}
	}
}

func luma(c color.Color) float32 {
	if y, ok := c.(color.Gray16); ok {
		return float32(y.Y) / 0xffff
	}
	r, g, b, _ := c.RGBA()
	return float32((0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 0xffff)
}

// fit resizes the largest part of the image that has the shape rows : cols and lies around
// the centre. With rows = cols the smaller edge is resized, and the longer edge is cropped.
func (g grey) fit(rows, cols int) []float32 {
	scale := min(float64(g.h)/float64(rows), float64(g.w)/float64(cols))
	return g.resize(rows, cols, (float64(g.h)-scale*float64(rows))/2, (float64(g.w)-scale*float64(cols))/2, scale)
}

// ReadImage reads a complete image as luma in [0, 1], with one cell per pixel. A world file beside it, such as .pgw of
// a .png, places the cells, and GDAL's mask (.msk) says which are missing.
func ReadImage(path string) (Field, error) {
	g, err := openGrey(path)
	if err != nil {
		return Field{}, err
	}
	f, b := g.field(), beside(path)
	m, err := b.world()
	if err == nil && m != nil {
		f.Grid.X, f.Grid.Y, err = m.axes()
	}
	if err == nil {
		err = b.settle(&f)
	}
	if aux, _ := b.pam(0); err == nil && aux.nodata != nil {
		err = about(aux.path, errors.New("pixels of an image are scaled to luma, so its number of missing data "+
			"says nothing; convert the image by gdal_translate old.png new.tif"))
	}
	if err != nil {
		return Field{}, fmt.Errorf("grid: %s: %w", path, err)
	}
	return f, nil
}

// ReadPhoto reads an image and prepares it as the paper does (its Appendix F): it is made
// grey, its smaller edge is resized, its centre is cropped to rows × cols, and its values
// are scaled to [−1, 1].
func ReadPhoto(path string, rows, cols int) (Field, error) {
	if rows < 1 || cols < 1 {
		return Field{}, fmt.Errorf("grid: %s: %d rows and %d columns; both must be at least 1", path, rows, cols)
	}
	g, err := openGrey(path)
	if err != nil {
		return Field{}, err
	}
	f, err := grey{w: cols, h: rows, pix: g.fit(rows, cols)}.field().Stretch()
	if err != nil {
		return Field{}, fmt.Errorf("grid: %s: %w", path, err)
	}
	return f, nil
}

func openGrey(path string) (grey, error) {
	f, err := os.Open(path)
	if err != nil {
		return grey{}, fmt.Errorf("grid: %w", err)
	}
	defer f.Close()
	g, err := decodeGrey(f)
	if err != nil {
		return grey{}, fmt.Errorf("grid: %s: %w", path, err)
	}
	return g, nil
}

func (g grey) field() Field {
	f := Field{Grid: Grid{Rows: g.h, Cols: g.w}, Values: make([]float64, len(g.pix))}
	for j, v := range g.pix {
		f.Values[j] = float64(v)
	}
	return f
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
