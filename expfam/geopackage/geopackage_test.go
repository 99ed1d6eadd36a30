package geopackage

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

const file = "testdata/districts.gpkg" // districts.py has made it with Python's sqlite3

// TestRead: every row of a table of many pages is read, with its outline, name and properties, and with outlines that
// go on in pages of their own.
func TestRead(t *testing.T) {
	regions := must.Get(Layer{Table: "tracts"}.Read(file))(t)
	must.Need(t, len(regions) == 150, "%d regions, want 150", len(regions))
	utm := geodesy.UTM(18, true)
	for k, r := range regions {
		must.Equal(t, r.Name, fmt.Sprintf("%05d", k), "row", k, "is", r.Name)
		must.Equal(t, r.Properties["cases"].(float64), float64(k)/4, k, "cases")
		must.Equal(t, r.Properties["people"].(float64), -1000*float64(k), k, "people")
		must.Equal(t, r.Properties["fid"].(float64), float64(k+1), k, "fid")
		at := r.Polygons[0][0][0]
		x, y := utm.Project(at.Lon, at.Lat)
		must.Absolute(t, "x", x, float64(1000*(400+k%15)), 1e-4)
		must.Absolute(t, "y", y, float64(1000*(4600+k/15)), 1e-4)
	}
	must.Equal(t, len(regions[7].Polygons[0][0]), 4001, "corners of the long outline")
	old := must.Get(Layer{Table: "old", From: geodesy.NAD27}.Read(file))(t)[0]
	must.Equal(t, old.Name, "São Tomé", "the name")
	must.Absolute(t, "west", old.Box().West, -81, 1e-3)
}

// all reads all regions of a file's data.
func (o Layer) all(data []byte) ([]land.Region, error) { return decode(data, o, land.Table.Regions) }

var degrees = geodesy.EPSG(4326, "").System

// TestRefused: what cannot be read is one sentence.
func TestRefused(t *testing.T) {
	must.Refuse(Layer{}.Read(file))(t, `it has 2 layers of features, ["tracts" "old"]`)
	must.Refuse(Layer{Table: "tract"}.Read(file))(t, `it has no layer "tract"; the nearest names are "tracts"`)
	must.Refuse(Layer{Table: "old"}.Read(file))(t, "NAD27 (EPSG:4267)", "set From: geodesy.NAD27")
	must.Refuse(Layer{Table: "tracts", Name: "COUNTY"}.Read(file))(t, `rows 0 and 1 are both named "county"`, `as by Name: "CODE"`)
	must.Refuse(Layer{Table: "tracts", Name: "county code"}.Read(file))(t, `it has no property "county code" but ["CODE" "COUNTY"`)
	must.Refuse(Layer{Table: "tracts", From: degrees}.Read(file))(t, "From is longitude and latitude of WGS 84, and "+
		"the file says")
	must.Refuse(Layer{}.Read("geopackage_test.go"))(t, "this is no SQLite database")
	data := must.Get(os.ReadFile(file))(t)
	for _, n := range []int{90, 512, 20 * 512, len(data) - 512} {
		must.Refuse(Layer{Table: "tracts"}.all(data[:n]))(t)
	}
}

// TestDamaged: files with a few other bytes, and files that end early, are read or refused, and no reading panics.
func TestDamaged(t *testing.T) {
	data := must.Get(os.ReadFile(file))(t)
	rng := expfam.Stream(1, "damaged")
	refused := 0
	for range 150 {
		damaged := bytes.Clone(data)
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(data))
			if rng.IntN(2) == 0 {
				at = rng.IntN(len(data)/512)*512 + rng.IntN(20) // the head of a page
			}
			damaged[at] = byte(rng.IntN(256))
		}
		if rng.IntN(5) == 0 {
			damaged = damaged[:rng.IntN(len(data)/512)*512]
		}
		if _, err := (Layer{Table: "tracts"}).all(damaged); err != nil {
			refused++
		}
	}
	must.Be(t, refused >= 50,
		"%d of 150 damaged files are refused, want a third: most bytes of a head matter", refused)
}

// FuzzDecode: no file makes the reader panic.
func FuzzDecode(f *testing.F) {
	data := must.Get(os.ReadFile(file))(f)
	f.Add(data, 0, byte(0))
	for _, at := range []int{16, 100, 103, 512, 600, 5000} {
		f.Add(data, at, byte(0xff))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, b byte) {
		if len(data) > 0 {
			data = append([]byte(nil), data...)
			data[(at%len(data)+len(data))%len(data)] = b
		}
		Layer{Table: "old", From: degrees}.all(data)
		Layer{Table: "tracts"}.all(data)
	})
}
