package scenes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

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
			if want := x[0] + float64(j/4*7+j%4); v != want {
				t.Fatalf("cell %d of the window from %g is %g of the image, want %g", j, x[0], v, want)
			}
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
		if rows, cols := of.(expfam.Lattice).Lattice(); rows != 8 || cols != 12 || of.Grid().Rows != 8 ||
			of.Grid().Cols != 12 {
			t.Errorf("%s: a lattice of %d rows and %d columns, and the grid %v", name, rows, cols, of.Grid())
		}
	}
}

// By default a window has half of the sides, and it has the properties of the images.
func TestCropOfImages(t *testing.T) {
	crop := Crop{Of: Procedural{Rows: 16, Cols: 24}}
	low, high := crop.Bounds()
	if g := crop.Grid(); g.Rows != 8 || g.Cols != 12 || crop.Dim() != 96 || !crop.Stationary() || low != -1 ||
		high != 1 {
		t.Errorf("%v: grid %v of %d cells, stationary %t, bounds %g and %g", crop, g, crop.Dim(), crop.Stationary(),
			low, high)
	}
	if low, high := (Crop{Of: numbered{4, 4}}).Bounds(); low != 0 || high != 0 ||
		(Crop{Of: numbered{4, 4}}).Stationary() {
		t.Errorf("windows of images without bounds have the bounds %g and %g, or are stationary", low, high)
	}
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
