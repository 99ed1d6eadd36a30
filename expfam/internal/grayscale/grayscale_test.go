package grayscale

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

func TestGreyOfEveryColourModel(t *testing.T) {
	box := image.Rect(0, 0, 5, 3)
	ramp := func(x, y int) color.Color { return color.Gray{uint8(10*x + 60*y)} }
	for name, img := range map[string]image.Image{
		"8 bits":     imagetest.Paint(image.NewGray(box), ramp),
		"16 bits":    imagetest.Paint(image.NewGray16(box), ramp),
		"rgb":        imagetest.Paint(image.NewRGBA(box), ramp),
		"nrgba":      imagetest.Paint(image.NewNRGBA(box), ramp),
		"48 bits":    imagetest.Paint(image.NewRGBA64(box), ramp),
		"sub-image":  imagetest.Paint(image.NewGray(image.Rect(-4, -4, 9, 9)), ramp).(*image.Gray).SubImage(box),
		"paletted":   imagetest.Paint(image.NewPaletted(box, greyRamp()), ramp),
		"no opacity": struct{ image.Image }{imagetest.Paint(image.NewGray(box), ramp)},
	} {
		g, err := greyOf(img)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for j, v := range g.Pix {
			want := float64(10*(j%5)+60*(j/5)) / 255
			must.Be(t, math.Abs(float64(v)-want) <= 1e-6, "%s: pixel %d is %g, want %g", name, j, v, want)
		}
	}
}

func greyRamp() color.Palette {
	p := make(color.Palette, 256)
	for i := range p {
		p[i] = color.Gray{uint8(i)}
	}
	return p
}

func TestGreyOfColours(t *testing.T) {
	for name, c := range map[string]struct {
		img  image.Image
		want float64
	}{
		"red": {imagetest.Paint(image.NewRGBA(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.RGBA{255, 0, 0, 255} }), 0.299},
		"16 bits": {imagetest.Paint(image.NewGray16(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.Gray16{257} }), 257.0 / 65535},
		"cmyk": {imagetest.Paint(image.NewCMYK(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.CMYK{0, 0, 0, 51} }), 0.8},
		"web green": {imagetest.Paint(image.NewPaletted(image.Rect(0, 0, 2, 2), palette.WebSafe),
			func(x, y int) color.Color { return color.RGBA{0, 255, 0, 255} }), 0.587},
	} {
		g, err := greyOf(c.img)
		must.Be(t, err == nil && math.Abs(float64(g.Pix[3])-c.want) <= 1e-6,
			"%s: %v, %v; want %g", name, g.Pix, err, c.want)
	}
}

func TestTransparencyIsRefused(t *testing.T) {
	img := imagetest.Paint(image.NewNRGBA(image.Rect(0, 0, 3, 3)),
		func(x, y int) color.Color { return color.NRGBA{100, 100, 100, uint8(255 - x*y)} })
	_, err := Decode(bytes.NewReader(imagetest.PNG(t, img)))
	must.Be(t, err != nil && strings.Contains(err.Error(), "(1, 1) is transparent"), "%v", err)
}

// Keys's cubic reproduces polynomials of degree 2 where it interpolates, and by
// symmetry those of degree 1 where it is widened.
func TestResizeReproducesPolynomials(t *testing.T) {
	plane := func(f func(x, y float64) float64) Image {
		g := Image{W: 120, H: 90, Pix: make([]float32, 120*90)}
		for j := range g.Pix {
			g.Pix[j] = float32(f(float64(j%120), float64(j/120)))
		}
		return g
	}
	for name, c := range map[string]struct {
		f          func(x, y float64) float64
		rows, cols int
		scale      float64
	}{
		"quadratic enlarged": {func(x, y float64) float64 { return 0.2 + 0.3*x*x/14400 + 0.2*y/90 }, 40, 40, 0.37},
		"linear shrunk by 2": {func(x, y float64) float64 { return 0.1 + 0.4*x/120 + 0.3*y/90 }, 20, 20, 2},
		"identity":           {func(x, y float64) float64 { return math.Mod(x*0.37+y*0.61, 1) }, 30, 30, 1},
	} {
		const top, left = 20, 30
		out := plane(c.f).Resize(c.rows, c.cols, top, left, c.scale)
		for j, v := range out {
			x := left + (float64(j%c.cols)+0.5)*c.scale - 0.5
			y := top + (float64(j/c.cols)+0.5)*c.scale - 0.5
			if want := c.f(x, y); math.Abs(float64(v)-want) > 2e-6 { // float32
				t.Fatalf("%s: cell %d is %g, want %g", name, j, v, want)
			}
		}
	}
}

// A checkerboard has no part that a coarser grid can hold; without a wider filter it would alias to full contrast.
func TestShrinkingRemovesWhatCannotBeHeld(t *testing.T) {
	img := imagetest.Paint(image.NewGray(image.Rect(0, 0, 96, 96)),
		func(x, y int) color.Color { return color.Gray{uint8(255 * ((x + y) % 2))} })
	g := must.Get(greyOf(img))(t)
	for j, v := range g.Fit(32, 32) {
		must.Need(t, math.Abs(float64(v)-0.5) <= 0.01, "cell %d is %g, want 0.5", j, v)
	}
}

func TestJPEGIsItsLuma(t *testing.T) {
	img := imagetest.Paint(image.NewRGBA(image.Rect(0, 0, 32, 32)),
		func(x, y int) color.Color { return color.RGBA{200, 30, 90, 255} })
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}))
	g, err := Decode(bytes.NewReader(b.Bytes()))
	want := (0.299*200 + 0.587*30 + 0.114*90) / 255
	if err != nil || math.Abs(float64(g.Pix[500])-want) > 1.5/255 { // quantised to 8 bits, twice
		t.Errorf("luma %g, want %g; %v", g.Pix[500], want, err)
	}
}

// The black of the flat CMYK image changes by one cosine along x.
func TestCMYKJPEGIsRead(t *testing.T) {
	g := must.Get(Decode(bytes.NewReader(imagetest.CMYK())))(t)
	for x := range 8 {
		// Coefficient 15·16 of the first wave is 15·16/8·√2·cos(…) about 128 in the
		// file, and Adobe's files hold the inverse of the ink.
		wave := 240.0 / 8 * math.Sqrt2 * math.Cos(float64(2*x+1)*math.Pi/16)
		light := (128 + wave) / 255 * 128 / 255 // through black and one of the other inks
		v := float64(g.Pix[3*8+x])
		must.Be(t, math.Abs(v-light) <= 2.0/255, "column %d is %.3f, want %.3f", x, v, light)
	}
}
