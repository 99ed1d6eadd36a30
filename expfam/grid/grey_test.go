package grid

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// paint fills an image with a grey that is known for every pixel.
func paint(img interface {
	image.Image
	Set(x, y int, c color.Color)
}, at func(x, y int) color.Color) image.Image {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			img.Set(x, y, at(x, y))
		}
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGreyOfEveryColourModel(t *testing.T) {
	box := image.Rect(0, 0, 5, 3)
	ramp := func(x, y int) color.Color { return color.Gray{uint8(10*x + 60*y)} }
	for name, img := range map[string]image.Image{
		"8 bits":     paint(image.NewGray(box), ramp),
		"16 bits":    paint(image.NewGray16(box), ramp),
		"rgb":        paint(image.NewRGBA(box), ramp),
		"nrgba":      paint(image.NewNRGBA(box), ramp),
		"48 bits":    paint(image.NewRGBA64(box), ramp),
		"sub-image":  paint(image.NewGray(image.Rect(-4, -4, 9, 9)), ramp).(*image.Gray).SubImage(box),
		"paletted":   paint(image.NewPaletted(box, greyRamp()), ramp),
		"no opacity": struct{ image.Image }{paint(image.NewGray(box), ramp)},
	} {
		g, err := greyOf(img)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for j, v := range g.pix {
			if want := float64(10*(j%5)+60*(j/5)) / 255; math.Abs(float64(v)-want) > 1e-6 {
				t.Errorf("%s: pixel %d is %g, want %g", name, j, v, want)
			}
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
		"red": {paint(image.NewRGBA(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.RGBA{255, 0, 0, 255} }), 0.299},
		"16 bits": {paint(image.NewGray16(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.Gray16{257} }), 257.0 / 65535},
		"cmyk": {paint(image.NewCMYK(image.Rect(0, 0, 2, 2)),
			func(x, y int) color.Color { return color.CMYK{0, 0, 0, 51} }), 0.8},
		"web green": {paint(image.NewPaletted(image.Rect(0, 0, 2, 2), palette.WebSafe),
			func(x, y int) color.Color { return color.RGBA{0, 255, 0, 255} }), 0.587},
	} {
		g, err := greyOf(c.img)
		if err != nil || math.Abs(float64(g.pix[3])-c.want) > 1e-6 {
			t.Errorf("%s: %v, %v; want %g", name, g.pix, err, c.want)
		}
	}
}

func TestTransparencyIsRefused(t *testing.T) {
	img := paint(image.NewNRGBA(image.Rect(0, 0, 3, 3)),
		func(x, y int) color.Color { return color.NRGBA{100, 100, 100, uint8(255 - x*y)} })
	_, err := decodeGrey(bytes.NewReader(pngOf(t, img)))
	if err == nil || !strings.Contains(err.Error(), "(1, 1) is transparent") {
		t.Errorf("%v", err)
	}
}

// Keys's cubic reproduces polynomials of degree 2 where it interpolates, and by
// symmetry those of degree 1 where it is widened.
func TestResizeReproducesPolynomials(t *testing.T) {
	plane := func(f func(x, y float64) float64) grey {
		g := grey{w: 120, h: 90, pix: make([]float32, 120*90)}
		for j := range g.pix {
			g.pix[j] = float32(f(float64(j%120), float64(j/120)))
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
		out := plane(c.f).resize(c.rows, c.cols, top, left, c.scale)
		for j, v := range out {
			x := left + (float64(j%c.cols)+0.5)*c.scale - 0.5
			y := top + (float64(j/c.cols)+0.5)*c.scale - 0.5
			if want := c.f(x, y); math.Abs(float64(v)-want) > 2e-6 { // float32
				t.Fatalf("%s: cell %d is %g, want %g", name, j, v, want)
			}
		}
	}
}

// A checkerboard has no part that a coarser grid can hold; without a wider
// filter it would alias to full contrast.
func TestShrinkingRemovesWhatCannotBeHeld(t *testing.T) {
	img := paint(image.NewGray(image.Rect(0, 0, 96, 96)),
		func(x, y int) color.Color { return color.Gray{uint8(255 * ((x + y) % 2))} })
	g, err := greyOf(img)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range g.fit(32, 32) {
		if math.Abs(float64(v)-0.5) > 0.01 {
			t.Fatalf("cell %d is %g, want 0.5", j, v)
		}
	}
}

func TestReadPhotoCropsTheCentre(t *testing.T) {
	// 60 by 20: black and white bars outside of the central square, a ramp within.
	img := paint(image.NewGray(image.Rect(0, 0, 60, 20)), func(x, y int) color.Color {
		switch {
		case x < 18:
			return color.Black
		case x >= 42:
			return color.White
		}
		return color.Gray{uint8(50 + 5*(x-18))}
	})
	path := filepath.Join(t.TempDir(), "bars.png")
	if err := os.WriteFile(path, pngOf(t, img), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadPhoto(path, 20, 20)
	if err != nil {
		t.Fatal(err)
	}
	// Columns 20 to 39 of the file, 60 … 155 in steps of 5, scaled to [-1, 1].
	for j, v := range f.Values {
		if want := 2*float64(j%20)/19 - 1; math.Abs(v-want) > 1e-5 {
			t.Fatalf("cell %d is %g, want %g", j, v, want)
		}
	}
	whole, err := ReadImage(path)
	if err != nil || whole.Grid.Rows != 20 || whole.Grid.Cols != 60 || whole.Values[59] != 1 {
		t.Errorf("%+v, %v", whole.Grid, err)
	}
}

func TestJPEGIsItsLuma(t *testing.T) {
	img := paint(image.NewRGBA(image.Rect(0, 0, 32, 32)),
		func(x, y int) color.Color { return color.RGBA{200, 30, 90, 255} })
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	g, err := decodeGrey(bytes.NewReader(b.Bytes()))
	want := (0.299*200 + 0.587*30 + 0.114*90) / 255
	if err != nil || math.Abs(float64(g.pix[500])-want) > 1.5/255 { // quantised to 8 bits, twice
		t.Errorf("luma %g, want %g; %v", g.pix[500], want, err)
	}
}

// A picture of one tone is no photograph, whatever its size: the rounding errors of the filter are not stretched.
func TestOneToneIsRefused(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {65, 64}, {100, 75}, {375, 500}} {
		for _, tone := range []uint8{0, 37, 100, 255} {
			img := paint(image.NewGray(image.Rect(0, 0, size[0], size[1])),
				func(int, int) color.Color { return color.Gray{tone} })
			path := filepath.Join(t.TempDir(), "tone.png")
			if err := os.WriteFile(path, pngOf(t, img), 0o600); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d by %d pixels of tone %d", size[0], size[1], tone)
			_, err := ReadPhoto(path, 64, 64)
			wantError(t, name, err, "tone.png|there is no range to scale")
			_, err = ImageFolder{Path: filepath.Dir(path)}.Open()
			wantError(t, name, err, fmt.Sprintf("all of its %d by %d pixels that are used are equal", size[0], size[1]))
		}
	}
}
