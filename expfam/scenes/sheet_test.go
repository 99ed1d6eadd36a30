package scenes

import (
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestSheet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sheet.png")
	images := [][]float64{{-1, 1, 0, 2, -2, math.NaN()}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}}
	must.Do(t, (Sheet{Rows: 2, Cols: 3}).Save(path, images))
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	img := must.Get(png.Decode(f))(t)
	// Two across, two down, gaps of two pixels.
	b := img.Bounds()
	must.Need(t, b.Dx() == 2+3+2+3+2 && b.Dy() == 2+2+2+2+2, "the sheet is %v", b)
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{
		{2, 2, color.RGBA{0, 0, 0, 255}}, {3, 2, color.RGBA{255, 255, 255, 255}},
		{4, 2, color.RGBA{128, 128, 128, 255}},
		{2, 3, color.RGBA{255, 255, 255, 255}}, {3, 3, color.RGBA{0, 0, 0, 255}},
		{4, 3, color.RGBA{0x56, 0xb4, 0xe9, 255}},
		{7, 2, color.RGBA{128, 128, 128, 255}}, {2, 6, color.RGBA{255, 255, 255, 255}},
		{7, 6, color.RGBA{255, 255, 255, 255}},
	} {
		got := color.RGBAModel.Convert(img.At(c.x, c.y))
		must.Be(t, got == c.want, "pixel (%d, %d) is %v, want %v", c.x, c.y, got, c.want)
	}
	for name, bad := range map[string][][]float64{"none": nil, "short": {{1, 2}}} {
		must.Be(t, (Sheet{Rows: 2, Cols: 3}).Save(path, bad) != nil, "%s: a sheet was drawn", name)
	}
}
