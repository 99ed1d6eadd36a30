package land_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// The areas are the total areas, inland waters included, of the United Nations' Demographic Yearbook (table 3), in km².
// Borders at 1:50 million and the sphere (0.7%) allow 3%; the Ilemi triangle, 2% of Kenya, is drawn to it.
var areas = []struct {
	name string
	km2  float64
}{{"Nigeria", 923768}, {"Ghana", 238533}, {"KEN", 591958}, {"UG", 241550}, {"democratic republic of the congo",
	2344858},
	{"Burkina-Faso", 272967}, {"Cote d'Ivoire", 322463}, {"Madagascar", 587295}, {"LSO", 30355}}

func TestAreas(t *testing.T) {
	for _, c := range areas {
		r := must.Get(land.Country(c.name))(t)
		must.Absolute(t, c.name, r.AreaKm2()/c.km2, 1, 0.03)
		for _, p := range []land.Projection{land.LonLat{}, land.EqualArea{}, land.EqualArea{Parallel: 20}} {
			m := must.Get(land.Frame{Rows: 128, Country: c.name, Projection: p}.Map())(t)
			m.Grid.Outside = nil // lakes count
			sum := 0.0
			for _, a := range m.Areas(func(int) bool { return true }) {
				sum += a
			}
			must.Be(t, m.Names()[0] == m.Countries[0].Name && len(m.Names()) == len(m.Countries), "names %v", m.Names())
			// About 500 of 16 384 centres lie half a cell from the border at
			// random: √500 · 0.3 cells of some 8000 are 0.1%.
			must.Be(t, math.Abs(sum/r.AreaKm2()-1) <= 0.005,
				"%s, %s: cells have %.0f km², the polygon %.0f", c.name, p, sum, r.AreaKm2())
		}
	}
}

func TestNigeriaOnTheContinent(t *testing.T) {
	m := must.Get(land.Frame{Rows: 256}.Map())(t)
	nigeria, _ := land.Country("NGA")
	sum := 0.0
	area := m.Grid.Areas()
	for j, in := range m.Mask(nigeria) {
		if in {
			sum += area[j]
		}
	}
	// 910 770 km² are land (The World Factbook).
	must.Absolute(t, fmt.Sprintf("%.0f km²", sum), sum/910770, 1, 0.02)
	low, high := math.Inf(1), 0.0
	for _, a := range area {
		if a > 0 {
			low, high = min(low, a), max(high, a)
		}
	}
	if math.Round(low) != 696 || math.Round(high) != 845 { // what the package says
		t.Errorf("cells of %g to %g km²", low, high)
	}
}

// TestPartition: neighbours share their borders to the bit, so that every cell
// belongs to one country at most, and none in the interior to none.
func TestPartition(t *testing.T) {
	m := must.Get(land.Frame{Rows: 256}.Map())(t)
	times := make([]int, m.Grid.Len())
	for _, r := range land.Countries() {
		for j, in := range m.Mask(r) {
			if in {
				times[j]++
			}
		}
	}
	twice, gaps := 0, 0
	for j, n := range times {
		if n > 1 {
			twice++
		}
		r, c := m.Grid.Cell(j)
		if n == 0 && r > 0 && c > 0 && r < 255 && c < 255 && times[j-1] > 0 && times[j+1] > 0 && times[j-256] > 0 &&
			times[j+256] > 0 {
			gaps++
		}
	}
	if twice > 0 || gaps > 7 { // estuaries of Guinea-Bissau, Gabon and the Congo, and bays of Madagascar
		t.Errorf("%d cells in two countries, %d holes", twice, gaps)
	}
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		lon, lat float64
		want     string
	}{{3.39, 7.4, "Nigeria"}, {28.2, -29.6, "Lesotho"}, {25, -29, "South Africa"}, {33, -1, "Uganda"}, {0, 0, ""},
		{-40, 10, ""},
		{45, 9.5, "Somaliland"}} {
		must.Equal(t, land.At(land.Position{Lon: c.lon, Lat: c.lat}), c.want, c.lon, c.lat, "is in")
	}
	for _, c := range []struct {
		lon, lat float64
		want     bool
	}{{3.39, 6.3, true}, {10, 3.9, true}, {2, 2, false}, {-14.4, -7.9, false}, {57.5, -20.2, true}, {200, 100, false}} {
		must.Equal(t, land.Near(land.Position{Lon: c.lon, Lat: c.lat}), c.want, c.lon, c.lat, "near")
	}
}

// A region that is written down as a literal is the region that NewRegion makes.
func TestLiteralRegion(t *testing.T) {
	square := [][][]land.Position{{{{Lon: 30, Lat: 0}, {Lon: 31, Lat: 0}, {Lon: 31, Lat: 1}, {Lon: 30, Lat: 1},
		{Lon: 30, Lat: 0}}}}
	r := land.Region{Name: "square", Polygons: square}
	must.Be(t, r.Contains(land.Position{Lon: 30.5, Lat: 0.5}) && !r.Contains(land.Position{Lon: 31.5, Lat: 0.5}) &&
		r.Box() == (land.Box{West: 30, South: 0, East: 31, North: 1}),
		"the region %v, with the box %v, does not have its places", r, r.Box())
	m := must.Get(land.Frame{Rows: 4, Cols: 4, Regions: []land.Region{r},
		Box: land.Box{West: 29, South: -1, East: 33, North: 3}}.Map())(t)
	cells := 0
	for _, in := range m.Mask(r) {
		if in {
			cells++
		}
	}
	must.Equal(t, cells, 1, "cells of the mask")
	must.Equal(t, (land.Region{}).Box(), (land.Box{}), "a region of nothing has the box")
}

func TestRasterIsContains(t *testing.T) {
	for _, p := range []land.Projection{land.LonLat{}, land.EqualArea{Parallel: 15}} {
		m := must.Get(land.Frame{Rows: 48, Cols: 40, Projection: p}.Map())(t)
		for j, c := range m.Country {
			at := m.Centre(j)
			name := ""
			if c >= 0 {
				name = m.Countries[c].Name
			}
			must.Equal(t, land.At(at), name, p, "cell", j, "at", at, "its centre")
			k, ok := m.Locate(at)
			must.Be(t, ok && k == j, "%s: the centre of cell %d is in cell %d", p, j, k)
		}
	}
}

func TestLakesAreMissing(t *testing.T) {
	m := must.Get(land.Frame{Rows: 256}.Map())(t)
	j, _ := m.Locate(land.Position{Lon: 33, Lat: -1}) // Lake Victoria
	must.Be(t, !m.Grid.Inside(j) && m.Lake[j] && m.Grid.Areas()[j] == 0, "there is land in Lake Victoria")
	for _, lake := range land.Lakes() {
		if lake.Name == "Lake Victoria" && math.Abs(lake.AreaKm2()/68800-1) > 0.05 { // islands and a coarse shore
			t.Errorf("Lake Victoria has %.0f km²", lake.AreaKm2())
		}
	}
}

func TestEqualAreas(t *testing.T) {
	m := must.Get(land.Frame{Projection: land.EqualArea{Parallel: 15}}.Map())(t)
	sphere := must.Get(land.Frame{}.Map())(t)
	m.Grid.Outside, sphere.Grid.Outside = nil, nil
	sum, want := 0.0, 0.0
	onSphere := sphere.Grid.Areas()
	for j, a := range m.Grid.Areas() {
		sum += a
		want += onSphere[j]
	}
	if math.Abs(sum/want-1) > 1e-12 { // both are the same zone of the sphere, exactly
		t.Errorf("%g km² and %g km²", sum, want)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		frame land.Frame
		want  string
	}{
		{land.Frame{Country: "Nigera"}, "did you mean Niger, Nigeria?"},
		{land.Frame{Country: "France"}, "no country"},
		{land.Frame{Country: "-"}, "no country"},
		{land.Frame{Box: land.Box{West: 10, East: 5, South: 0, North: 1}}, "west below east"},
		{land.Frame{Box: land.Box{West: math.NaN(), East: 5, South: 0, North: 1}}, "west below east"},
		{land.Frame{Rows: -1}, "at least 1"},
		{land.Frame{Rows: 1 << 20, Cols: 1 << 20}, "at most"},
		{land.Frame{Projection: land.EqualArea{Parallel: 90}}, "below 90"},
	} {
		must.Refuse(c.frame.Map())(t, c.want)
	}
}

// TestReferenceMask compares with a mask that was made elsewhere, from the same map, if EXPFAM_TEST_DATA has it.
func TestReferenceMask(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "natural_earth", "ssa_grid256_mask.pgm"))
	if err != nil {
		t.Skip("set EXPFAM_TEST_DATA to a folder with natural_earth/ssa_grid256_mask.pgm")
	}
	pixels := raw[len(raw)-256*256:]
	must.Need(t, bytes.HasPrefix(raw, []byte("P5")), "no binary PGM")
	m := must.Get(land.Frame{Rows: 256}.Map())(t)
	differ, cells := 0, 0
	for j, v := range pixels { // 0 outside, 64 lake, 128 barren, 255 land
		if land := v >= 128; land {
			cells++
		}
		if (v >= 128) != m.Grid.Inside(j) || (v == 64) != m.Lake[j] {
			differ++
		}
	}
	t.Logf("%d of %d land cells differ", differ, cells)
	// Rounding to 111 m moves a centre across a border of 30 km cells rarely.
	must.Be(t, differ <= cells/1000, "%d of %d land cells differ", differ, cells)
}

func ExampleFrame() {
	m, err := land.Frame{Country: "NG", Rows: 32, Projection: land.EqualArea{Parallel: 9}}.Map()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	// Output:
	// 32 × 32 cells of 41 km by 33.3 km, cylindrical equal-area, true at ±9°; 672 on land, 1365 km² each, 917031 km² in all; 0 in lakes
}

func BenchmarkMap256(b *testing.B) {
	for b.Loop() {
		must.Get((land.Frame{Rows: 256}).Map())(b)
	}
}
