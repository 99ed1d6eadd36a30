package raster

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// pyramid is two layers of 700 by 300 cells with a hole, which have two overviews.
func pyramid() Layers {
	g := grid.Grid{Rows: 300, Cols: 700, X: grid.Axis{First: 30.05, Step: 0.1}, Y: grid.Axis{First: -14.95, Step: 0.1},
		Radius: grid.EarthRadius}
	l := Layers{Grid: g, Layers: []Layer{{"mean", make([]float64, g.Len())}, {"sd", make([]float64, g.Len())}}}
	for j := range g.Len() {
		r, c := g.Cell(j)
		l.Layers[0].Values[j], l.Layers[1].Values[j] = float64(1000*r+c), 1
		if (r-150)*(r-150)+(c-300)*(c-300) < 2000 {
			l.Layers[0].Values[j], l.Layers[1].Values[j] = math.NaN(), math.NaN()
		}
	}
	return l
}

// TestCloudOptimised: directories stand before tiles from the full resolution on, tiles from the lowest, and an
// overview has the means of four cells.
func TestCloudOptimised(t *testing.T) {
	l, path := pyramid(), filepath.Join(t.TempDir(), "a.tif")
	must.Do(t, l.GeoTIFF(path))
	f := must.Get(GeoTIFF{Band: 1}.Read(path))(t)
	for j, want := range l.Layers[0].Values {
		x, y := l.Grid.Centre(j)
		i, ok := f.Grid.Locate(x, y)
		must.Need(t, ok && same(f.Values[i], want), "cell %d is %g, want %g", j, f.Values[i], want)
	}
	data := must.Get(os.ReadFile(path))(t)
	var order, tiles []int
	for next := 8; next != 0; {
		at := bytes.Clone(data)
		at[4], at[5] = byte(next), byte(next>>8)
		level := must.Get(parseTIFF(at))(t)
		layout := must.Get(level.layout())(t)
		must.Equal(t, []int{layout.w, layout.h}, []int{(700 >> len(tiles)), 300 >> len(tiles)})
		mean := must.Get(layout.band(0, 0))(t)
		if len(tiles) == 1 { // of rows 299 and 298, columns 0 and 1
			must.Equal(t, mean[0], 1000*298.5+0.5)
		}
		order, tiles = append(order, next), append(tiles, layout.offsets[0])
		next = level.next
	}
	slices.Reverse(tiles)
	order = append(order, tiles...)
	must.Need(t, len(order) == 6 && slices.IsSorted(order), "directories and tiles are at %v", order)

	python := os.Getenv("EXPFAM_TEST_PYTHON")
	if python == "" {
		t.Skip("set EXPFAM_TEST_PYTHON to a Python with rasterio")
	}
	var got struct {
		Names, Order, Tiles, Overviews, Transform, Means, EPSG any
		Nodata                                                 string
		Tiled                                                  bool
	}
	cmd := exec.Command(python, "testdata/cog.py", path)
	cmd.Stderr = os.Stderr
	must.Do(t, json.Unmarshal(must.Get(cmd.Output())(t), &got))
	t.Logf("%+v", got)
	ints := func(v ...any) []any { return v }
	must.Equal(t, got.Names, any(ints("mean", "sd")))
	must.Equal(t, got.Tiles, any(ints(ints(256., 256.), ints(256., 256.))))
	must.Equal(t, got.Overviews, any(ints(2., 4.)))
	must.Equal(t, got.EPSG, any(4326.))
	must.Be(t, got.Tiled && got.Nodata == "nan", "tiled %v, no data %s", got.Tiled, got.Nodata)
	for k, at := range got.Order.([]any) {
		must.Equal(t, at.(float64), float64(order[k]), "place", k)
	}
}

// TestDamagedTiles: no other number is read from a file of which bits of the packed cells have changed.
func TestDamagedTiles(t *testing.T) {
	l, path := pyramid(), filepath.Join(t.TempDir(), "a.tif")
	must.Do(t, l.GeoTIFF(path))
	data, want := must.Get(os.ReadFile(path))(t), must.Get(GeoTIFF{Band: 1}.Read(path))(t)
	layout := must.Get(must.Get(parseTIFF(data))(t).layout())(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		damaged := bytes.Clone(data)
		k := rng.IntN(len(layout.offsets) / 2) // of the first band
		damaged[layout.offsets[k]+rng.IntN(layout.sizes[k])] ^= 1 << rng.IntN(8)
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		f, err := GeoTIFF{Band: 1}.Read(path)
		must.Be(t, err != nil || slices.EqualFunc(f.Values, want.Values, same), "tile %d is read as other numbers", k)
	}
}

// TestPages: a second page of the same size is no overview, and nobody says which page is meant.
func TestPages(t *testing.T) {
	l, path := pyramid(), filepath.Join(t.TempDir(), "a.tif")
	must.Do(t, l.GeoTIFF(path))
	data := must.Get(os.ReadFile(path))(t)
	first := must.Get(parseTIFF(data))(t)
	paged := bytes.Clone(data)
	at := bytes.LastIndex(paged[:first.next], []byte{byte(first.next), byte(first.next >> 8), 0, 0})
	copy(paged[at:], []byte{8, 0, 0, 0}) // the next directory is the first
	must.Do(t, os.WriteFile(path, paged, 0o600))
	must.Refuse(GeoTIFF{Band: 1}.Read(path))(t, "several pages")
}
