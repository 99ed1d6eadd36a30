package scenes

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/internal/must"
)

func TestReadPhotoCropsTheCentre(t *testing.T) {
	// 60 by 20: black and white bars outside of the central square, a ramp within.
	img := imagetest.Paint(image.NewGray(image.Rect(0, 0, 60, 20)), func(x, y int) color.Color {
		switch {
		case x < 18:
			return color.Black
		case x >= 42:
			return color.White
		}
		return color.Gray{uint8(50 + 5*(x-18))}
	})
	path := filepath.Join(t.TempDir(), "bars.png")
	must.Do(t, os.WriteFile(path, imagetest.PNG(t, img), 0o600))
	f := must.Get(ReadPhoto(path, 20, 20))(t)
	// Columns 20 to 39 of the file, 60 … 155 in steps of 5, scaled to [-1, 1].
	for j, v := range f.Values {
		want := 2*float64(j%20)/19 - 1
		must.Need(t, math.Abs(v-want) <= 1e-5, "cell %d is %g, want %g", j, v, want)
	}
	whole, err := raster.ReadImage(path)
	must.Be(t, err == nil && whole.Grid.Rows == 20 && whole.Grid.Cols == 60 && whole.Values[59] == 1,
		"%+v, %v", whole.Grid, err)
}

// A picture of one tone is no photograph, whatever its size: the rounding errors of the filter are not stretched.
func TestOneToneIsRefused(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {65, 64}, {100, 75}, {375, 500}} {
		for _, tone := range []uint8{0, 37, 100, 255} {
			img := imagetest.Paint(image.NewGray(image.Rect(0, 0, size[0], size[1])),
				func(int, int) color.Color { return color.Gray{tone} })
			path := filepath.Join(t.TempDir(), "tone.png")
			must.Do(t, os.WriteFile(path, imagetest.PNG(t, img), 0o600))
			name := fmt.Sprintf("%d by %d pixels of tone %d", size[0], size[1], tone)
			_, err := ReadPhoto(path, 64, 64)
			must.Says(t, name, err, "tone.png|there is no range to scale")
			_, err = ImageFolder{Path: filepath.Dir(path)}.Open()
			must.Says(t, name, err, fmt.Sprintf("all of its %d by %d pixels that are used are equal", size[0],
				size[1]))
		}
	}
}

var _ = []Prior{Procedural{}, (*Images)(nil), Crop{}}

var _ = []expfam.Lattice{Procedural{}, (*Images)(nil), Crop{}}

// numbered are images of some rows and columns whose cells have their own numbers.
type numbered [2]int

func (n numbered) String() string  { return "numbered" }
func (n numbered) Dim() int        { return n[0] * n[1] }
func (n numbered) Grid() grid.Grid { return grid.Grid{Rows: n[0], Cols: n[1]} }
func (n numbered) Concurrent()     {}
func (n numbered) Draw(_ *rand.Rand, x []float64) {
	for j := range x {
		x[j] = float64(j)
	}
}

func TestCropCutsWindows(t *testing.T) {
	crop := Crop{Of: numbered{5, 7}, Rows: 3, Cols: 4}
	rng, x, count := expfam.Stream(1, "crop"), make([]float64, crop.Dim()), map[float64]float64{}
	const draws = 2400
	for range draws {
		crop.Draw(rng, x)
		for j, v := range x {
			want := x[0] + float64(j/4*7+j%4)
			must.Need(t, v == want, "cell %d of the window from %g is %g of the image, want %g", j, x[0], v, want)
		}
		count[x[0]]++
	}
	for row := range 3 {
		for col := range 4 {
			// Twelve places: 200 each, within 5 standard deviations.
			if n := count[float64(7*row+col)]; math.Abs(n-200) > 5*math.Sqrt(200) {
				t.Errorf("%g of %d windows begin in row %d and column %d, want about 200", n, draws, row, col)
			}
		}
	}
	must.Equal(t, len(count), 12, "windows begin at", "places")
}

// Sources of images say which grid their cells form, for networks of a grid.
func TestImagesAreLattices(t *testing.T) {
	photos := folder(t, ImageFolder{Rows: 8, Cols: 12},
		map[string][]byte{"a.png": imagetest.PNG(t, imagetest.Photo(20, 20, 3))})
	for name, of := range map[string]Prior{"folder": photos, "procedural": Procedural{Rows: 8, Cols: 12},
		"crop": Crop{Of: photos, Rows: 8, Cols: 12}} {
		rows, cols := of.(expfam.Lattice).Lattice()
		must.Be(t, rows == 8 && cols == 12 && of.Grid().Rows == 8 && of.Grid().Cols == 12,
			"%s: a lattice of %d rows and %d columns, and the grid %v", name, rows, cols, of.Grid())
	}
}

// By default a window has half of the sides, and it has the properties of the images.
func TestCropOfImages(t *testing.T) {
	crop := Crop{Of: Procedural{Rows: 16, Cols: 24}}
	low, high := crop.Bounds()
	g := crop.Grid()
	must.Be(t, g.Rows == 8 && g.Cols == 12 && crop.Dim() == 96 && crop.Stationary() && low == -1 && high == 1,
		"%v: grid %v of %d cells, stationary %t, bounds %g and %g", crop, g, crop.Dim(), crop.Stationary(), low, high)
	low, high = (Crop{Of: numbered{4, 4}}).Bounds()
	must.Be(t, low == 0 && high == 0 && !(Crop{Of: numbered{4, 4}}).Stationary(),
		"windows of images without bounds have the bounds %g and %g, or are stationary", low, high)
}

func TestCropRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		crop Crop
		want string
	}{
		"nothing":         {Crop{}, "set Of"},
		"too many rows":   {Crop{Of: numbered{4, 4}, Rows: 5}, "5 by 2 cells from images of 4 by 4"},
		"negative":        {Crop{Of: numbered{4, 4}, Cols: -1}, "2 by -1 cells"},
		"an image of one": {Crop{Of: numbered{1, 1}}, "0 by 0 cells"},
		"a crop inside":   {Crop{Of: Crop{Of: numbered{4, 4}, Rows: 9}, Rows: 1}, "9 by 2 cells"},
	} {
		t.Run(name, func(t *testing.T) { must.Err(t, c.crop.Check(), c.want) })
	}
}

// A folder with decompression bombs gives the images that it has, and says of
// the bombs what they are without decoding them.
func TestDecompressionBombs(t *testing.T) {
	files := map[string][]byte{
		"good.png":  imagetest.PNG(t, imagetest.Photo(40, 30, 3)),
		"blank.png": imagetest.Bomb(t, 10000, 10000, 10000, 8, 0), // 100 MB in 0.1
		"deep.png":  imagetest.Bomb(t, 12000, 9000, 0, 16, 6),     // 1.3 GB
		"wide.png":  imagetest.Bomb(t, 60000, 60000, 0, 1, 0),
		"thin.png":  imagetest.Bomb(t, 1<<30, 1, 0, 1, 0),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := folder(t, ImageFolder{Rows: 16, Cols: 16}, files)
	x := make([]float64, m.Dim())
	for i := range 3 * len(files) {
		must.Do(t, m.item(1, i, x))
	}
	runtime.ReadMemStats(&after)
	// Fifteen images of 1200 pixels and their files; the least bomb takes 500 MB.
	took := after.TotalAlloc - before.TotalAlloc
	must.Be(t, took <= 20<<20, "%d MB were allocated", took>>20)
	r := m.Report()
	want := []struct{ path, says string }{
		{"blank.png", "png of 10000 by 10000 pixels in "}, {"deep.png", "decoding it takes 1.3 GB and may take 1.1"},
		{"thin.png", "at most 134217728 are read"}, {"wide.png", "at most 134217728 are read"},
	}
	must.Need(t, len(r.Skipped) == len(want), "%v", r)
	for i, w := range want {
		if s := r.Skipped[i]; s.Path != w.path || !strings.Contains(s.Reason, w.says) {
			t.Errorf("skipped %q: %q; want %s, %s", s.Path, s.Reason, w.path, w.says)
		}
	}
}
