package viz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// noisyMap is a map of n × n cells of noise over a slope.
func noisyMap(n int) (of Map, noise []float64) {
	noise = residuals(n * n)
	z := make([]float64, n*n)
	for j := range z {
		z[j] = float64(j/n)/float64(n) + 0.2*noise[j]
	}
	index := make([]int, n*n)
	for j := range index {
		index[j] = j
	}
	return Map{Field: resampledField{&cells{cols: n, rows: n, dx: 1, dy: 1, index: index}, z}}, noise
}

// large are figures that are large in other ways than one series, by name.
func large() map[string]Figure {
	const n = 1_000_000
	y := residuals(n)
	four := make([]Figure, 4)
	for k := range four {
		four[k] = Lines{Lines: []Line{{Y: y}}}
	}
	glyphs, noise := noisyMap(600)
	u := make([]float64, len(noise))
	for j, v := range noise {
		u[j] = math.Abs(v)
	}
	above, _ := noisyMap(2000)
	draws := mat.NewDense(10, 2000*2000, residuals(10*2000*2000))
	return map[string]Figure{
		"panels": Panels{Figures: four},
		"glyphs": Glyphs{Map: glyphs, Uncertainty: u},
		"above":  Exceedance{Map: above, Draws: draws},
	}
}

func BenchmarkLarge(b *testing.B) {
	for name, fig := range large() {
		for _, format := range []Format{PNG, HTML} {
			b.Run(name+"/"+string(format), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(float64(len(must.Get(fig.Encode(format))(b)))/1e6, "MB")
				}
			})
		}
	}
}

// A figure has at most two megabytes, whatever its data: maps of more cells than a picture has pixels are maps of
// blocks, also where cells are divided into pixels, where some are blank, and in a window.
func TestLarge(t *testing.T) {
	m, noise := noisyMap(600)
	u, blank := make([]float64, len(noise)), make([]bool, len(noise))
	for j, v := range noise {
		u[j], blank[j] = math.Abs(v), j%600 < 100
	}
	sea, part, long := m, m, m
	sea.Blank = blank
	part.Window = Window{XMin: 0, XMax: 49, YMin: 0, YMax: 49}
	z := residuals(4 * 600)
	for j := range z {
		z[j] = math.Abs(z[j])
	}
	long.Field = Rows{z[:600], z[600:1200], z[1200:1800], z[1800:]}
	draws := mat.NewDense(20, 600*600, residuals(20*600*600))
	for name, c := range map[string]struct {
		of   Figure
		note string
	}{
		"glyphs":                {Glyphs{Map: m, Uncertainty: u}, "mean of 6 × 6 cells"},
		"glyphs beside the sea": {Glyphs{Map: sea, Uncertainty: u}, "mean of 6 × 6 cells"},
		"glyphs in a window":    {Glyphs{Map: part, Uncertainty: u}, "Full disc"},
		"glyphs of a strip":     {Glyphs{Map: long, Uncertainty: z}, "Full disc"},
		"pixelation":            {Pixelation{Map: m, Draws: draws}, "mean of 4 × 4 cells"},
		"pixelation and sea":    {Pixelation{Map: sea, Draws: draws}, "values of 9 draws"},
		"above":                 {Exceedance{Map: m, Draws: draws, Threshold: 1}, "of 2 × 2 cells"},
		"above beside the sea":  {Exceedance{Map: sea, Draws: draws}, "of 2 × 2 cells"},
		"bivariate and sea":     {Bivariate{Map: sea, Uncertainty: u}, "of 2 × 2 cells"},
		"panels": {Panels{Figures: []Figure{Lines{Lines: []Line{{Y: noise}}}, Lines{Lines: []Line{{Y: u}}},
			Lines{Lines: []Line{{Y: noise, Points: true}}}, Lines{Lines: []Line{{Y: u, Dashed: true}}}}}, ""},
	} {
		html := string(must.Get(c.of.Encode(HTML))(t, name))
		must.Be(t, len(html) <= 2<<20, "%s: %d bytes, want at most 2 MB", name, len(html))
		must.Be(t, strings.Contains(html, c.note), "%s: no note %q", name, c.note)
		must.Be(t, len(must.Get(c.of.Encode(PNG))(t, name)) <= 1<<20, "%s: a picture of more than 1 MB", name)
	}
	// The blocks of glyphs have the mean uncertainty of their cells.
	f := must.Get(supersample("glyphs", sea, 13, 5))(t)
	of := f.shown(func(i int) float64 { return float64(i % 600) })
	must.Be(t, f.coarse.cols == 100 && f.side == 5 && math.IsNaN(of[0]) && of[17] == 104.5,
		"%d columns of %d pixels, means %g and %g", f.coarse.cols, f.side, of[0], of[17])
}
