// Package grayscale reads images as grey values, and resizes them.
package grayscale

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
)

// Image is the luma of an image, in [0, 1], row after row from the top.
type Image struct {
	W, H int
	Pix  []float32
	// Turned reports that the pixels are not in the order of the file, because its orientation (EXIF) turns them.
	Turned bool
}

// MaxPixels bounds the memory that the header of a file can make us allocate.
const MaxPixels = 1 << 27

// Decode reads an image in any format that is registered with package image: PNG, JPEG and GIF, and others by blank
// import (golang.org/x/image/webp). Luma is 0.299 R + 0.587 G + 0.114 B of the encoded values (ITU-R BT.601), the Y of
// a JPEG. 16-bit images keep their 16 bits. CMYK is converted without its colour profile. Pixels are turned as the
// orientation of EXIF says, and animations are refused. An image whose header says that it would take more than a
// gigabyte, or is far larger than its file, is refused.
func Decode(r io.ReadSeeker) (g Image, err error) {
	defer func() {
		// A broken file can make a decoder panic.
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	if _, err := r.Read(make([]byte, 1)); err == io.EOF {
		return Image{}, errors.New("the file is empty")
	} else if err != nil {
		return Image{}, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Image{}, err
	}
	return decode(r)
}

// greyOf converts an image to luma. It refuses transparent pixels, which have no luma.
func greyOf(img image.Image) (Image, error) {
	b := img.Bounds()
	g := Image{W: b.Dx(), H: b.Dy(), Pix: make([]float32, b.Dx()*b.Dy())}
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
	for y := range g.H {
		for x := range g.W {
			c := img.At(b.Min.X+x, b.Min.Y+y)
			if !opaque {
				if _, _, _, a := c.RGBA(); a != 0xffff {
					return Image{}, fmt.Errorf(
						"the pixel at (%d, %d) is transparent; put the image on a background first", x, y)
				}
			}
			g.Pix[y*g.W+x] = luma(c)
		}
	}
	return g, nil
}

// bytes sets the pixels from luma in bytes.
func (g Image) bytes(pix []uint8, stride int) {
	for y := range g.H {
		for x, v := range pix[y*stride : y*stride+g.W] {
			g.Pix[y*g.W+x] = float32(v) / 255
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

// Fit resizes the largest part of the image that has the shape rows : cols and lies around
// the centre. With rows = cols the smaller edge is resized, and the longer edge is cropped.
func (g Image) Fit(rows, cols int) []float32 {
	scale := min(float64(g.H)/float64(rows), float64(g.W)/float64(cols))
	return g.Resize(rows, cols, (float64(g.H)-scale*float64(rows))/2, (float64(g.W)-scale*float64(cols))/2, scale)
}

// Open reads the image in a file. Its errors name the file.
func Open(path string) (Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return Image{}, err
	}
	defer f.Close()
	g, err := Decode(f)
	if err != nil {
		return Image{}, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// Values returns the pixels in float64.
func (g Image) Values() []float64 {
	values := make([]float64, len(g.Pix))
	for j, v := range g.Pix {
		values[j] = float64(v)
	}
	return values
}
