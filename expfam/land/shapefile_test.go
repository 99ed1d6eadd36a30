package land_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

const wgs84 = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`

type ring = [][2]float64

// box is a ring around a rectangle, clockwise as outlines are, or the other way round.
func box(west, south, east, north float64, clockwise bool) ring {
	if clockwise {
		return ring{{west, south}, {west, north}, {east, north}, {east, south}, {west, south}}
	}
	return ring{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}}
}

// shp are shapes as ESRI's technical description writes them.
func shp(kind uint32, shapes ...[]ring) []byte {
	var records bytes.Buffer
	for i, rings := range shapes {
		var b bytes.Buffer
		le := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
		le(kind)
		le([4]float64{}) // the box, which nobody reads
		points := 0
		for _, r := range rings {
			points += len(r)
		}
		le([2]uint32{uint32(len(rings)), uint32(points)})
		at := uint32(0)
		for _, r := range rings {
			le(at)
			at += uint32(len(r))
		}
		for _, r := range rings {
			le(r)
		}
		binary.Write(&records, binary.BigEndian, [2]uint32{uint32(i + 1), uint32(b.Len() / 2)})
		records.Write(b.Bytes())
	}
	var out bytes.Buffer
	binary.Write(&out, binary.BigEndian, [7]uint32{9994, 0, 0, 0, 0, 0, uint32(50 + records.Len()/2)})
	binary.Write(&out, binary.LittleEndian, [2]uint32{1000, kind})
	out.Write(make([]byte, 64))
	out.Write(records.Bytes())
	return out.Bytes()
}

// dbf is a table with a name and a population.
func dbf(names []string, people []string) []byte {
	var out bytes.Buffer
	le := func(v any) { binary.Write(&out, binary.LittleEndian, v) }
	le([4]byte{3, 126, 1, 1})
	le(uint32(len(names)))
	le([2]uint16{32 + 2*32 + 1, 1 + 20 + 8})
	out.Write(make([]byte, 20))
	for _, c := range []struct {
		name string
		kind byte
		size byte
	}{{"NAME_1", 'C', 20}, {"POP", 'N', 8}} {
		f := make([]byte, 32)
		copy(f, c.name)
		f[11], f[16] = c.kind, c.size
		out.Write(f)
	}
	out.WriteByte('\r')
	pad := func(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }
	for i := range names {
		out.WriteString(" " + pad(names[i], 20) + pad(people[i], 8))
	}
	out.WriteByte(0x1a)
	return out.Bytes()
}

// Cells of a column that is no number and no text. Blank ones and ones that say nothing are missing, and so are those
// of kinds that are not read.
func TestKindsOfColumns(t *testing.T) {
	for _, c := range []struct {
		kind byte
		cell string
		want any
	}{
		{'L', "T", true}, {'L', "y", true}, {'L', "1", true}, {'L', "F", false}, {'L', "n", false}, {'L', "?", nil},
		{'L', " ", nil},
		{'N', "1.5", 1.5}, {'N', "********", nil}, {'F', "1e3", 1000.0}, {'N', "1,5", "1,5"},
		{'D', "20200131", "20200131"}, {'M', "       1", nil}, {'I', "\x01\x00\x00\x00", nil}, {'Y', "\xff\xff", nil},
	} {
		table := dbf([]string{"A"}, []string{c.cell})
		table[64+11] = c.kind
		rows, err := land.DecodeDBF(table, "")
		must.Be(t, err == nil && rows[0]["POP"] == c.want, "%c %q: %v, %v; want %v", c.kind, c.cell, rows, err, c.want)
	}
}

// write puts the files of a shapefile into a folder; nil is none.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for ext, data := range files {
		if data == nil {
			continue
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, "districts"+ext), data, 0o600))
	}
	return filepath.Join(dir, "districts.shp")
}

func TestShapefile(t *testing.T) {
	// The second has a hole with an island in it, and a part of its own; the third is written the wrong way round.
	shapes := shp(5, []ring{box(0, 0, 1, 1, true)},
		[]ring{box(2, 0, 6, 4, true), box(3, 1, 5, 3, false), box(3.5, 1.5, 4, 2, true), box(7, 0, 8, 1, true)},
		[]ring{box(10, 0, 11, 2, false)})
	path := write(t, map[string][]byte{".shp": shapes,
		".dbf": dbf([]string{"S\xe3o Tom\xe9", "B", ""}, []string{"1200", "34.5", "*****"}), ".prj": []byte(wgs84)})
	must.Refuse((land.Shapefile{Name: "name_1"}).Read(path))(t,
		`shape 2: it has no property "name_1" but []; name one of these by Name`)
	regions := must.Get(land.Shapefile{}.Read(path))(t)
	must.Be(t, len(regions) == 3 && regions[0].Name == "São Tomé" && regions[2].Name == "2" &&
		regions[0].Properties["NAME_1"] == "São Tomé" && regions[0].Properties["POP"] == 1200.0 &&
		regions[1].Properties["POP"] == 34.5 && len(regions[2].Properties) == 0,
		"%v", regions)
	b := regions[1]
	must.Be(t, len(b.Polygons) == 3 && len(b.Polygons[0]) == 2,
		"%d polygons, the first of %d rings; want the outline with its hole, the island and the other part",
		len(b.Polygons), len(b.Polygons[0]))
	for _, c := range []struct {
		lon, lat float64
		in       bool
	}{{2.5, 2, true}, {3.2, 2, false}, {3.7, 1.7, true}, {4.5, 2.5, false}, {7.5, 0.5, true}, {6.5, 0.5, false}} {
		must.Equal(t, b.Contains(land.Position{Lon: c.lon, Lat: c.lat}), c.in, c.lon, c.lat, "is inside", !c.in)
	}
	// On a small piece at the equator a square degree is nearly R² of a radian squared.
	unit := regions[0].AreaKm2()
	must.Absolute(t, fmt.Sprintf("a degree squared is %g km², want", unit), unit/(111.195*111.195), 1, 1e-3)
	// 16 − 4 + 0.25 + 1 of them; the cosine of the latitude is 1 within 0.003.
	must.Absolute(t, "the second", (b.AreaKm2()/unit)/13.25, 1, 3e-3)
}

// The same with heights and measures, other capitals, and code pages.
func TestShapefileVariants(t *testing.T) {
	for name, c := range map[string]struct {
		kind       uint32
		name, page string
		want       string
	}{
		"Z":            {15, "A", "", "A"},
		"M":            {25, "A", "", "A"},
		"UTF-8":        {5, "Touré", "UTF-8", "Touré"},
		"UTF-8 unsaid": {5, "Touré", "", "Touré"},
		"ANSI 1252":    {5, "Tour\xe9", "ANSI 1252", "Touré"},
		"ISO 8859-1":   {5, "Tour\xe9", "ISO-8859-1", "Touré"},
		"ESRI's":       {5, "Tour\xe9", "88591", "Touré"},
		"DOS":          {5, "Tour\x82", "437", "Touré"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{".shp": shp(c.kind, []ring{box(0, 0, 1, 1, true)}),
				".DBF": dbf([]string{c.name}, []string{"1"}), ".PRJ": []byte(wgs84)}
			if c.page != "" {
				files[".cpg"] = []byte(c.page + "\n")
			}
			regions, err := land.Shapefile{Name: "NAME_1"}.Read(write(t, files))
			must.Be(t, err == nil && len(regions) == 1 && regions[0].Name == c.want,
				"%v, %v; want %q", regions, err, c.want)
		})
	}
	marked := map[string][]byte{".shp": shp(5, []ring{box(0, 0, 1, 1, true)}), ".dbf": dbf([]string{"A"},
		[]string{"1"}),
		".prj": []byte("\ufeff" + wgs84)}
	must.Get((land.Shapefile{}).Read(write(t, marked)))(t)
	unsaid := map[string][]byte{".shp": shp(5, []ring{box(0, 0, 1, 1, true)}),
		".dbf": dbf([]string{"A"}, []string{"1"})}
	must.Get((land.Shapefile{WGS84: true}).Read(write(t, unsaid)))(t)
}

func TestShapefileRefuses(t *testing.T) {
	square, one := shp(5, []ring{box(0, 0, 1, 1, true)}), dbf([]string{"A"}, []string{"1"})
	for name, c := range map[string]struct {
		files map[string][]byte
		says  string
	}{
		"no .prj": {map[string][]byte{".shp": square, ".dbf": one},
			"the file districts.prj that names the coordinates is missing beside it; copy it, or set WGS84"},
		"no .dbf": {map[string][]byte{".shp": square, ".prj": []byte(wgs84)},
			"the file districts.dbf with the names is missing beside it"},
		"a projection": {map[string][]byte{".shp": square, ".dbf": one,
			".prj": []byte(`PROJCS["WGS_1984_UTM_Zone_36N",` + wgs84 +
				`,PROJECTION["Transverse_Mercator"],UNIT["Meter",1.0]]`)},
			`its coordinates are "WGS_1984_UTM_Zone_36N", which is none of WGS 84, UTM`},
		"another datum": {map[string][]byte{".shp": square, ".dbf": one,
			".prj": []byte(`GEOGCS["GCS_Arc_1960",DATUM["D_Arc_1960",SPHEROID["Clarke_1880_RGS",6378249.1,293.4]],UNIT["Degree",0.0174532925199433]]`)}, `its coordinates are "GCS_Arc_1960"`},
		"a shift to WGS 84": {map[string][]byte{".shp": square, ".dbf": one,
			".prj": []byte(`GEOGCS["Arc 1960",DATUM["Arc_1960",SPHEROID["Clarke 1880 (RGS)",6378249.145,293.465],TOWGS84[-160,-6,-302,0,0,0,0]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`)}, `its coordinates are "Arc 1960", which are not known to be from Greenwich and within 2 m`},
		"Paris as zero": {map[string][]byte{".shp": square, ".dbf": one,
			".prj": []byte(strings.Replace(wgs84, `"Greenwich",0.0`, `"Paris",2.337`, 1))},
			"its longitudes count from Paris"},
		"grads": {map[string][]byte{".shp": square, ".dbf": one, ".prj": []byte(strings.Replace(wgs84,
			"Degree", "Grad", 1))}, "its angles are in Grad"},
		"metres unsaid": {map[string][]byte{".shp": shp(5, []ring{box(5e5, 0, 6e5, 1e5, true)}), ".dbf": one,
			".prj": []byte(wgs84)}, "these are not longitudes and latitudes in degrees, but perhaps metres of a " +
			"projection"},
		"points": {map[string][]byte{".shp": shp(1, []ring{box(0, 0, 1, 1, true)}), ".dbf": one,
			".prj": []byte(wgs84)}, `shape 0, "A": it is of type 1, points or lines`},
		"empty shape": {map[string][]byte{".shp": shp(0, []ring{box(0, 0, 1, 1, true)}), ".dbf": one,
			".prj": []byte(wgs84)}, `shape 0, "A": it is empty`},
		"open ring": {map[string][]byte{".shp": shp(5, []ring{box(0, 0, 1, 1, true)[:4]}), ".dbf": one,
			".prj": []byte(wgs84)}, "is not closed"},
		"rows of another": {map[string][]byte{".shp": square, ".dbf": dbf([]string{"A", "B"}, []string{"1", "2"}),
			".prj": []byte(wgs84)}, "there are 1 shapes and 2 rows in its .dbf"},
		"unknown page": {map[string][]byte{".shp": square, ".dbf": one, ".prj": []byte(wgs84),
			".cpg": []byte("Klingon 99")}, `the code page "Klingon 99" of its .cpg is not known`},
		"page is not true": {map[string][]byte{".shp": square, ".dbf": dbf([]string{"\xe9"}, []string{"1"}),
			".prj": []byte(wgs84), ".cpg": []byte("UTF-8")}, "is no text of the code page UTF-8, which the .cpg " +
			"says it is"},
		"cut": {map[string][]byte{".shp": square[:len(square)-9], ".dbf": one, ".prj": []byte(wgs84)},
			"it is cut or damaged"},
		"no shapefile": {map[string][]byte{".shp": []byte("<html>"), ".dbf": one, ".prj": []byte(wgs84)},
			"this is not a shapefile"},
		"no shapes": {map[string][]byte{".shp": shp(5), ".dbf": dbf(nil, nil), ".prj": []byte(wgs84)},
			"there are no shapes"},
		"cut table": {map[string][]byte{".shp": square, ".dbf": one[:len(one)-20], ".prj": []byte(wgs84)},
			"its .dbf: 1 rows of 29 bytes do not fit"},
		"no file": {map[string][]byte{}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := land.Shapefile{}.Read(write(t, c.files))
			must.Be(t, err != nil && strings.Contains(err.Error(), c.says) && !strings.Contains(err.Error(), "\n"),
				"error %v, want one with %q", err, c.says)
		})
	}
	must.Refuse((land.Shapefile{}).Read("districts.zip"))(t, "give that, unpacked")
}

// Whatever is cut off or overwritten, there is an error or a region and no panic.
func TestShapefileDamage(t *testing.T) {
	damage := func(whole []byte, read func([]byte)) {
		for n := range whole {
			read(whole[:n])
			for _, v := range []byte{0, 1, 0x7f, 0xff} {
				damaged := bytes.Clone(whole)
				damaged[n] = v
				read(damaged)
			}
		}
	}
	damage(shp(5, []ring{box(2, 0, 6, 4, true), box(3, 1, 5, 3, false)}), func(b []byte) { land.DecodeSHP(b) })
	damage(dbf([]string{"A"}, []string{"1"}), func(b []byte) { land.DecodeDBF(b, "") })
}

// Own boundaries are all the land of a map, whose box is theirs; countries beside them are named.
// Of regions that overlap, the last has the cell.
func TestFrameOfRegionsThatOverlap(t *testing.T) {
	at := func(west, east float64) land.Region {
		name := ""
		if east-west < 0.1 {
			name = "islet"
		}
		return must.Get(land.NewRegion(name, [][][]land.Position{{{{Lon: west, Lat: 0}, {Lon: east, Lat: 0}, {Lon: east,
			Lat: 1}, {Lon: west, Lat: 1}, {Lon: west, Lat: 0}}}}))(t)
	}
	m, err := land.Frame{Rows: 1, Cols: 4, Regions: []land.Region{at(10, 13), at(12, 14), at(13.9, 13.95)}}.Map()
	must.Be(t, err == nil && slices.Equal(m.Country, []int{0, 0, 1, 1}), "countries %v, %v", m.Country, err)
	for _, want := range []string{"; 1 regions have no cell on land: islet;",
		`; regions overlap, such as "" and "": 1 ` +
			`cells are in more than one and belong to the last, so the others have less area`} {
		must.Be(t, strings.Contains(m.String(), want), "%v, want %s in it", m, want)
	}
	for name, regions := range map[string][]land.Region{"neighbours": {at(10, 12), at(12, 14)},
		"slivers": {at(10, 12.01), at(12, 14)}} {
		m, err := land.Frame{Rows: 1, Cols: 4, Regions: regions}.Map()
		must.Be(t, err == nil && !strings.Contains(m.String(), "overlap"), "%s: %v, %v", name, m, err)
	}
}

func TestFrameOfRegions(t *testing.T) {
	path := write(t, map[string][]byte{".shp": shp(5, []ring{box(36, -1, 37, 0, true)},
		[]ring{box(37, -1, 38, 1, true)}),
		".dbf": dbf([]string{"West", "East"}, []string{"1", "2"}), ".prj": []byte(wgs84)})
	districts := must.Get(land.Shapefile{Name: "NAME_1"}.Read(path))(t)
	m := must.Get(land.Frame{Regions: districts, Rows: 4}.Map())(t)
	want := []int{-1, -1, 1, 1, -1, -1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}
	for j, country := range m.Country {
		must.Be(t, country == want[j] && m.Grid.Inside(j) == (country >= 0),
			"cell %d is of region %d, want %d", j, country, want[j])
	}
	must.Equal(t, m.Elsewhere(land.Position{Lon: 36.5, Lat: 0.5}), "Kenya", "north of the regions")
	must.Equal(t, m.Elsewhere(land.Position{Lon: 36.5, Lat: -0.5}), "", "in the regions")
	var sum float64
	for _, a := range m.Grid.Areas() {
		sum += a
	}
	if want := districts[0].AreaKm2() + districts[1].AreaKm2(); math.Abs(sum/want-1) > 1e-3 {
		t.Errorf("the cells have %g km², the regions %g", sum, want)
	}
	for name, f := range map[string]land.Frame{
		"land: a frame of the country \"Kenya\" and of 2 regions; give one": {Country: "Kenya", Regions: districts},
		"land: region 0: region \"none\" has no polygons":                   {Regions: []land.Region{{Name: "none"}}},
	} {
		must.Refuse(f.Map())(t, name)
	}
	// Made by hand, without the box that files give.
	if m, err := (land.Frame{Regions: []land.Region{{Name: "hand", Polygons: districts[0].Polygons}}, Rows: 2}).
		Map(); err != nil || m.Land() != 4 {
		t.Errorf("%v, %v", m, err)
	}
}
