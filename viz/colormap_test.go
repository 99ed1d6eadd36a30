package viz

import (
	"image/color"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Entries 3, 100 and 203 of 255 of the published tables, between the knots here (matplotlib 3.10 and cmcrameri 1.9).
func TestColormaps(t *testing.T) {
	for _, c := range []struct {
		name    string
		palette Palette
		within  float64 // of 255, as documented
		want    [3][3]float64
	}{
		{"viridis", Viridis, 2, [3][3]float64{{69, 5, 89}, {42, 118, 142}, {119, 209, 83}}},
		{"cividis", Cividis, 6, [3][3]float64{{0, 37, 83}, {101, 104, 112}, {199, 183, 103}}},
		{"vik", Vik, 3, [3][3]float64{{1, 23, 100}, {160, 197, 216}, {184, 92, 40}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, i := range []float64{3, 100, 203} {
				got := c.palette(i / 255)
				for ch, v := range []uint8{got.R, got.G, got.B} {
					d := math.Abs(float64(v) - c.want[k][ch])
					must.Be(t, d <= c.within, "entry %g: %v, want %v", i, got, c.want[k])
				}
			}
			must.Be(t, c.palette(-1) == c.palette(0) && c.palette(2) == c.palette(1), "values outside are not clamped")
			must.Be(t, c.palette(math.NaN()) == absent, "NaN is not the grey of missing cells")
		})
	}
}

// Magnitudes become lighter all the way, differences away from the middle darker.
func TestColormapOrder(t *testing.T) {
	for name, p := range map[string]Palette{"viridis": Viridis, "cividis": Cividis, "greys": Greys,
		"vik": func(u float64) color.NRGBA { return Vik(u / 2) }} {
		for i := range 64 {
			a, b := luminance(p(float64(i)/64)), luminance(p(float64(i+1)/64))
			must.Be(t, b > a, "%s at %d/64: luminance %g after %g", name, i+1, b, a)
		}
	}
	a, b := luminance(Vik(0.5)), luminance(Vik(1))
	must.Be(t, b < a, "vik ends at luminance %g, its middle has %g", b, a)
}
