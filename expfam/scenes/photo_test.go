package scenes

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

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
		if want := 2*float64(j%20)/19 - 1; math.Abs(v-want) > 1e-5 {
			t.Fatalf("cell %d is %g, want %g", j, v, want)
		}
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
