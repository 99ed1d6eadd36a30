package geoparquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// The files of testdata are GeoPandas' (testdata/districts.py), and districts.json is what it reads.
const file = "testdata/districts.parquet"

// TestRead: all rows, their columns of every kind and their outlines are what GeoPandas reads.
func TestRead(t *testing.T) {
	var want struct {
		Rows   []map[string]any
		Bounds [][4]float64
		Rings  []int
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/districts.json"))(t), &want))
	regions := must.Get(File{}.Read(file))(t)
	must.Equal(t, len(regions), len(want.Rows), "regions")
	for i, r := range regions {
		must.Equal(t, r.Name, fmt.Sprintf("%05d", i))
		for key, v := range want.Rows[i] {
			got := r.Properties[key]
			if n, long := got.(json.Number); long {
				got = string(n)
			}
			must.Equal(t, got, v, "row", i, key)
		}
		must.Equal(t, len(r.Rings()), want.Rings[i], "rings of", i)
		b := r.Box()
		for k, v := range []float64{b.West, b.South, b.East, b.North} {
			must.Absolute(t, fmt.Sprint("side ", k, " of ", i), v, want.Bounds[i][k], 1e-10) // of PROJ
		}
	}
	for _, key := range []string{"geometry", "bbox", "list", "bytes"} {
		_, found := regions[0].Properties[key]
		must.Be(t, !found, "there is a property %q", key)
	}
	places := must.Get(File{Name: "site"}.ReadPlaces("testdata/places.parquet"))(t)
	for k, p := range places {
		must.Equal(t, p, land.Place{Name: "aabcd"[k : k+1], At: land.Position{Lon: 6.5 + float64(k),
			Lat: 0.25 - float64(k)}, Properties: map[string]any{"site": "aabcd"[k : k+1]}})
	}
	must.Equal(t, len(places), 5, "places")
}

// TestRefused: what cannot be read is one sentence.
func TestRefused(t *testing.T) {
	must.Refuse(File{}.ReadPlaces(file))(t, `row 0, "00000": its geometry is of the kind 3`, "read others by Read")
	must.Refuse(File{Name: "SITE"}.Read("testdata/places.parquet"))(t, `rows 0 and 1 are both named "a"`)
	must.Refuse(File{}.Read("testdata/places.parquet"))(t, "read points by ReadPlaces")
	must.Refuse(File{}.ReadPlaces("testdata/unknown.parquet"))(t, "it does not know its coordinates")
	must.Get(File{}.ReadPlaces("testdata/nad83.parquet"))(t) // within 2 m of WGS 84
	must.Refuse(File{}.ReadPlaces("testdata/points.parquet"))(t, `encoded as "point", and only WKB is read`)
	must.Refuse(File{}.Read("testdata/table.parquet"))(t, `without the metadata "geo"; write it as GeoParquet`)
	must.Refuse(File{}.Read("doc.go"))(t, "it is no Parquet file")
	must.Refuse(File{Name: "code ", From: geodesy.UTM(18, true)}.Read(file))(t, `it has no property "code "`)
	must.Refuse(File{From: degrees}.Read(file))(t, "From is longitude and latitude of WGS 84, and the file says")
	must.Refuse(File{From: geodesy.UTM(18, false)}.Read(file))(t,
		`"WGS 84 / UTM zone 18N (EPSG:32618)", which is elsewhere`)
	must.Get(File{From: degrees}.ReadPlaces("testdata/unknown.parquet"))(t)
	data := must.Get(os.ReadFile(file))(t)
	for _, n := range []int{0, 4, 1000, len(data) - 1} {
		must.Refuse(File{}.all(data[:n]))(t, errCut.Error())
	}
}

// TestOwn: a column of Parquet's own type GEOMETRY is read, in the coordinates that the type names.
func TestOwn(t *testing.T) {
	for crs, want := range map[string]float64{"": 36.5, "OGC:CRS84": 36.5, "EPSG:32637": 34.5, "srid:32637": 34.5,
		"projjson:there": 34.5} {
		at := point
		if want != 36.5 {
			at = metres
		}
		data := of(t, "shape", parquet.Geometry(crs), at, "there", `{"id":{"authority":"EPSG","code":32637}}`)
		places := must.Get(decode(data, File{}, land.Table.Places))(t, crs)
		must.Absolute(t, crs, places[0].At.Lon, want, 0.03) // a zone's corner is 4.5 degrees west of its meridian
	}
}

// all reads all regions of a file's data.
func (o File) all(data []byte) ([]land.Region, error) { return decode(data, o, land.Table.Regions) }

var degrees = geodesy.EPSG(4326, "").System

// TestDamaged: files with a few other bytes are read as they are, or refused. With checksums no damage to a page
// passes. Without them, as most programs write files, few do by the statistics of columns and the boxes of shapes:
// those of values between the least and the greatest of their column, and of corners within their outline. What a
// footer says of a column has no checksum in any file.
func TestDamaged(t *testing.T) {
	plain := must.Get(os.ReadFile(file))(t)
	sums := checked(t, plain)
	footer := len(sums) - 8 - int(binary.LittleEndian.Uint32(sums[len(sums)-8:]))
	for name, c := range map[string]struct {
		data           []byte
		within         int // the bytes that are damaged
		least, passing int
	}{"without checksums": {plain, len(plain), 130, 6}, "checksums": {sums, len(sums), 130, 3},
		"pages with checksums": {sums, footer, 60, 0}} {
		want := must.Get(File{}.all(c.data))(t)
		rng := expfam.Stream(1, "damaged")
		const files = 300
		refused, other := 0, 0
		for range files {
			damaged := bytes.Clone(c.data)
			for range 1 + rng.IntN(4) {
				damaged[rng.IntN(c.within)] = byte(rng.IntN(256))
			}
			if got, err := (File{}).all(damaged); err != nil {
				refused++
			} else if !reflect.DeepEqual(got, want) {
				other++
			}
		}
		t.Logf("%s: of %d damaged files %d are refused and %d are read as others", name, files, refused, other)
		must.Be(t, refused >= c.least && other <= c.passing, "%s: of %d damaged files %d are refused and %d are read "+
			"as others", name, files, refused, other)
	}
}

// checked writes a file again, with the checksums of parquet-go.
func checked(t testing.TB, data []byte) []byte {
	f := must.Get(parquet.OpenFile(bytes.NewReader(data), int64(len(data))))(t)
	options := []parquet.WriterOption{f.Schema()}
	for _, m := range f.Metadata().KeyValueMetadata {
		options = append(options, parquet.KeyValueMetadata(m.Key, m.Value))
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, options...)
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		must.Get(parquet.CopyRows(w, rows))(t)
		must.Do(t, rows.Close())
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

// TestChecksums: each byte of a page of a dictionary, of data and of each kind of column is noticed.
func TestChecksums(t *testing.T) {
	data := checked(t, must.Get(os.ReadFile(file))(t))
	f := must.Get(parquet.OpenFile(bytes.NewReader(data), int64(len(data))))(t)
	for _, c := range f.Metadata().RowGroups[0].Columns {
		name := strings.Join(c.MetaData.PathInSchema, ".")
		at := c.MetaData.DataPageOffset
		if c.MetaData.DictionaryPageOffset > 0 {
			at = c.MetaData.DictionaryPageOffset
		}
		damaged := bytes.Clone(data)
		damaged[at+c.MetaData.TotalCompressedSize-1] ^= 1 // the last byte of the last page
		must.Refuse(File{}.all(damaged))(t, "a page of its column \""+name+"\" has another checksum")
		if next := c.MetaData.DataPageOffset; next > at {
			damaged = bytes.Clone(data)
			damaged[next-1] ^= 1 // the last byte of the dictionary
			must.Refuse(File{}.all(damaged))(t, "a page of its column \""+name+"\" has another checksum")
		}
	}
}

// FuzzDecode: whatever the metadata and the shapes of a sound file are, it is read or refused. Damaged files are left
// to TestDamaged, because parquet-go takes gigabytes for a run of values that a few bytes promise.
func FuzzDecode(f *testing.F) {
	square := must.Get(os.ReadFile("testdata/square.wkb"))(f)
	for _, geo := range []string{`{"primary_column":"g","columns":{"g":{"encoding":"WKB"}}}`,
		`{"primary_column":"g","columns":{"g":{"encoding":"WKB","crs":{"name":"x","id":{"authority":"EPSG",` +
			`"code":"3857"}}}}}`,
		`{"primary_column":"g","columns":{"g":{"encoding":"WKB","crs":null}}}`, `[]`, ``} {
		f.Add(geo, square)
		f.Add(geo, point)
		f.Add(geo, append([]byte{0, 0, 0, 0, 6, 0, 0, 0, 1}, square...))
	}
	f.Fuzz(func(t *testing.T, geo string, shape []byte) {
		data := of(t, "g", parquet.Leaf(parquet.ByteArrayType), shape, "geo", geo)
		regions, err := (File{}).all(data)
		must.Be(t, err != nil || len(regions) == 1, "%d regions", len(regions))
		decode(data, File{From: degrees}, land.Table.Places)
	})
}

// of returns a file of one row with one column.
func of(t testing.TB, name string, node parquet.Node, shape []byte, key, value string) []byte {
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("t", parquet.Group{name: node}),
		parquet.KeyValueMetadata(key, value))
	must.Get(w.WriteRows([]parquet.Row{{parquet.ByteArrayValue(shape).Level(0, 0, 0)}}))(t)
	must.Do(t, w.Close())
	return out.Bytes()
}

// metres is (1000, 0).
var metres = []byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x8f, 0x40, 0, 0, 0, 0, 0, 0, 0, 0}

// point is (36.5, −1.25).
var point = []byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x42, 0x40, 0, 0, 0, 0, 0, 0, 0xf4, 0xbf}

// TestRecords: columns in records, as those of Overture, are properties, and the first of them names a place.
func TestRecords(t *testing.T) {
	type row struct {
		Shape []byte `parquet:"shape"`
		Names struct {
			Primary string            `parquet:"primary"`
			Common  map[string]string `parquet:"common"`
		} `parquet:"names"`
		Source *struct {
			Confidence float64 `parquet:"confidence"`
		} `parquet:"source,optional"`
		BBox struct{ XMin float32 } `parquet:"bbox"`
		Code int64                  `parquet:"code,decimal(0:18)"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.KeyValueMetadata("geo",
		`{"primary_column":"shape","columns":{"shape":{"encoding":"WKB"}}}`))
	var rows [2]row
	rows[0].Shape, rows[1].Shape = point, point
	rows[0].Code, rows[1].Code = 599686042433355775, -7
	rows[0].Names.Primary, rows[1].Names.Primary = "Bonn", "Köln"
	rows[0].Names.Common = map[string]string{"fr": "Cologne"}
	rows[1].Source = &struct {
		Confidence float64 `parquet:"confidence"`
	}{0.5}
	must.Get(w.Write(rows[:]))(t)
	must.Do(t, w.Close())
	places := must.Get(decode(out.Bytes(), File{}, land.Table.Places))(t)
	must.Be(t, places[0].Name == "Bonn" && places[1].Name == "Köln" && len(places[0].Properties) == 2 &&
		places[1].Properties["source.confidence"] == 0.5 && len(places[1].Properties) == 3, "%+v", places)
	must.Equal(t, places[0].Properties["code"], any(json.Number("599686042433355775")), "an identifier")
	must.Equal(t, places[1].Properties["code"], any(-7.0), "a code")
}
