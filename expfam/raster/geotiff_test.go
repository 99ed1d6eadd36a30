package raster

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

//go:embed testdata/tiff.json
var tiffJSON []byte // by testdata/tiff.py, which says what is in it

func tiffFiles(t *testing.T) map[string][]byte {
	t.Helper()
	var files map[string][]byte
	must.Do(t, json.Unmarshal(tiffJSON, &files))
	return files
}

// A mask is a further directory of the file. Without it missing cells would have the values that lie below it.
func TestMaskedGeoTIFFIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	must.Do(t, (Layers{Grid: grid.Grid{Rows: 2, Cols: 3}, Layers: []Layer{{"a", []float64{1, 2, 3, 4, 5, 6}}}}).
		GeoTIFF(path))
	plain := must.Get(os.ReadFile(path))(t)
	// with returns the file with two further directories: an overview, and one of the given kind.
	with := func(kind uint32) string {
		le := binary.LittleEndian
		out := bytes.Clone(plain)
		for _, kind := range []uint32{1, kind} {
			end := int(le.Uint32(out[4:]))
			for {
				end += 2 + 12*int(le.Uint16(out[end:]))
				next := int(le.Uint32(out[end:]))
				if next == 0 {
					break
				}
				end = next
			}
			le.PutUint32(out[end:], uint32(len(out)))
			out = le.AppendUint16(out, 1)
			out = le.AppendUint16(le.AppendUint16(out, 254), 4)
			out = le.AppendUint32(le.AppendUint32(out, 1), kind)
			out = le.AppendUint32(out, 0)
		}
		return string(out)
	}
	must.Equal(t, must.Get((GeoTIFF{}).Read(write(t, "o.tif", with(1))))(t).Values[4], 5, "overviews")
	must.Refuse((GeoTIFF{}).Read(write(t, "m.tif", with(4))))(t,
		"marked by a mask, which is not read; write them as a number")
	// The directory of the mask is beyond the end.
	must.Refuse((GeoTIFF{}).Read(write(t, "c.tif", with(4)[:len(plain)+19])))(t, "it was cut: copy it again")
}

func TestGeoTIFFOfAnIndependentWriter(t *testing.T) {
	for name, data := range tiffFiles(t) {
		bands := 1
		if strings.Contains(name, "3 bands") {
			bands = 3
		}
		for band := range bands {
			o := GeoTIFF{Band: band + 1}
			if bands == 1 {
				o = GeoTIFF{}
			}
			f, err := o.Read(write(t, "a.tif", string(data)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if f.Grid.Rows != 9 || f.Grid.Cols != 18 {
				t.Errorf("%s: %d by %d", name, f.Grid.Rows, f.Grid.Cols)
				continue
			}
			for j, v := range f.Values {
				r, c := f.Grid.Cell(j)
				want, inside := float64(10*r+c+100*band), true
				if strings.HasPrefix(name, "float") {
					want = float64(10*r) + float64(c)/2 + float64(1000*band)
					if inside = r != 3 || c != 4; !inside {
						want = math.NaN()
					}
				}
				// uint8 wraps, in NumPy as here.
				if strings.HasPrefix(name, "uint8") {
					want = float64(uint8(int(want)))
				}
				if !same(v, want) || f.Grid.Inside(j) != inside {
					t.Errorf("%s: band %d, cell (%d, %d) is %g, inside %v; want %g, %v", name, band+1, r, c, v,
						f.Grid.Inside(j), want, inside)
					break
				}
			}
		}
	}
}

func TestGeoTIFFPlace(t *testing.T) {
	files := tiffFiles(t)
	for name, want := range map[string]struct {
		x, y   float64 // centre of the first pixel; corners are at (10, 50), pixels 0.5 by 0.25
		label  string
		radius float64
	}{
		"float32 strips plain":              {10.25, 49.875, "longitude (°)", grid.EarthRadius},
		"float32 big-endian strips plain":   {10.25, 49.875, "x (m)", 0},
		"float32 tiles deflate predictor 3": {10, 50, "longitude (°)", grid.EarthRadius}, // pixels are points
		"uint8 packbits":                    {0, 8, "", 0},                               // no tags: an image
	} {
		f := must.Get(GeoTIFF{}.Read(write(t, "a.tif", string(files[name]))))(t, name)
		x, y := f.Grid.Centre(0)
		must.Be(t, x == want.x && y == want.y && f.Grid.X.String() == want.label && f.Grid.Radius == want.radius,
			"%s: (%g, %g), %q, radius %g; want %+v", name, x, y, f.Grid.X, f.Grid.Radius, want)
	}
}

// tag rewrites the number of a tag of a little-endian file.
func tag(data []byte, id uint16, value uint16) []byte {
	out := bytes.Clone(data)
	at := int(binary.LittleEndian.Uint32(out[4:])) + 2
	for ; ; at += 12 {
		if binary.LittleEndian.Uint16(out[at:]) == id {
			binary.LittleEndian.PutUint16(out[at+8:], value)
			return out
		}
	}
}

func TestGeoTIFFRefuses(t *testing.T) {
	files := tiffFiles(t)
	plain, deflate := files["float32 strips plain"], files["float32 tiles deflate predictor 3"]
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"png":          {[]byte("\x89PNG\r\n\x1a\n"), "does not begin"},
		"empty":        {nil, "does not begin"},
		"cut":          {plain[:len(plain)-1], "cut"},
		"cut in front": {plain[:7], "cut"},
		"JPEG":         {tag(plain, tagCompression, 7), "compression 7|gdal_translate"},
		"CMYK":         {tag(plain, tagPhotometric, 5), "photometric interpretation 5"},
		"half floats":  {tag(plain, tagBits, 16), "16 bits in format 3"},
		"predictor":    {tag(deflate, tagPredictor, 9), "predictor 9"},
		"bands":        {files["uint8 3 bands planar"], "band 0 of 3|GeoTIFF.Band"},
		"blocks":       {tag(plain, tagHeight, 900), "blocks are needed"},
		"no pixels":    {tag(plain, tagWidth, 0), "0 by 9"},
	} {
		_, err := GeoTIFF{}.Read(write(t, "bad.tif", string(c.data)))
		must.Says(t, name, err, c.says+"|bad.tif")
	}
	must.Refuse((GeoTIFF{Band: 4}).Read(write(t, "a.tif", string(files["uint8 3 bands planar"]))))(t)
}

// withTexts returns a little-endian file of one image with further or other tags of characters.
func withTexts(t *testing.T, data []byte, texts map[uint16]string) string {
	t.Helper()
	le := binary.LittleEndian
	at := int(le.Uint32(data[4:]))
	entries := map[uint16][]byte{}
	for i := range int(le.Uint16(data[at:])) {
		e := data[at+2+12*i:][:12]
		entries[le.Uint16(e)] = bytes.Clone(e)
	}
	out := bytes.Clone(data)
	for id, text := range texts {
		e := le.AppendUint16(le.AppendUint16(nil, id), 2)
		e = le.AppendUint32(e, uint32(len(text)+1))
		if len(text) < 4 {
			e = append(e, append([]byte(text), 0, 0, 0, 0)[:4]...)
		} else {
			e = le.AppendUint32(e, uint32(len(out)))
			out = append(append(out, text...), 0)
		}
		entries[id] = e
	}
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	le.PutUint32(out[4:], uint32(len(out)))
	out = le.AppendUint16(out, uint16(len(entries)))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		out = append(out, entries[id]...)
	}
	return string(le.AppendUint32(out, 0))
}

// A value is number·scale + offset of its band, and the number of missing data is compared before that.
func TestGeoTIFFScale(t *testing.T) {
	data := tiffFiles(t)["uint8 3 bands planar"] // the number at (r, c) is 10r + c + 100·band, in a byte
	scaled := withTexts(t, data, map[uint16]string{tagNoData: "112", tagMetadata: `<GDALMetadata>
  <Item name="OFFSET" sample="0" role="offset">-3</Item>
  <Item name="SCALE" sample="0" role="scale">0.25</Item>
  <Item name="SCALE" sample="1" role="scale">2</Item>
  <Item name="SCALE" role="scale">7</Item>
  <Item name="STATISTICS_MEAN" sample="2">5</Item>
  <Item name="DESCRIPTION" sample="2" role="description">caf` + "\xe9" + ` &amp;amp; scale</Item>
</GDALMetadata>
`})
	for band, of := range []struct{ scale, offset float64 }{{0.25, -3}, {2, 0}, {1, 0}} {
		f := must.Get(GeoTIFF{Band: band + 1}.Read(write(t, "a.tif", scaled)))(t)
		for j, v := range f.Values {
			r, c := f.Grid.Cell(j)
			number := float64(uint8(10*r + c + 100*band))
			want, inside := number*of.scale+of.offset, number != 112
			if !inside {
				want = math.NaN()
			}
			must.Need(t, same(v, want) && f.Grid.Inside(j) == inside,
				"band %d, cell (%d, %d): %g, inside %v; want %g, %v", band+1, r, c, v, f.Grid.Inside(j), want, inside)
		}
	}
	for name, c := range map[string]struct{ metadata, says string }{
		"zero": {`<GDALMetadata><Item sample="0" role="scale">0</Item></GDALMetadata>`,
			`the scale of band 1 is "0"; it must be a finite number|gdal_edit`},
		"text": {`<GDALMetadata><Item sample="0" role="offset">?</Item></GDALMetadata>`,
			`the offset of band 1 is "?"`},
		"no XML": {`<GDALMetadata><Item sample="0" role="scale">2`, "tag 42112|no XML|gdal_translate"},
	} {
		_, err := GeoTIFF{Band: 1}.Read(write(t, "bad.tif",
			withTexts(t, data, map[uint16]string{tagMetadata: c.metadata})))
		must.Says(t, name, err, c.says+"|bad.tif")
	}
	if _, err := (GeoTIFF{Band: 1}).Read(write(t, "a.tif",
		withTexts(t, data, map[uint16]string{tagMetadata: "a remark < of nobody"}))); err != nil {
		t.Errorf("metadata that have no scale: %v", err)
	}
}

// gdalwarp -dstalpha writes a band that is 0 where there are no data. There the other bands have the number 0.
func TestGeoTIFFAlpha(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	l := Layers{Grid: grid.Grid{Rows: 1, Cols: 4},
		Layers: []Layer{{"rain", []float64{7, 0, 0, 9}}, {"alpha", []float64{255, 255, 0, 1}}}}
	must.Do(t, l.GeoTIFF(path))
	data := must.Get(os.ReadFile(path))(t)
	for kind, inside := range map[uint16]bool{0: true, 1: false, 2: false} {
		path := write(t, "b.tif", string(tag(data, tagExtraSamples, kind)))
		for band, want := range l.Layers {
			f := must.Get(GeoTIFF{Band: band + 1}.Read(path))(t)
			for j, v := range f.Values {
				if in := inside || j != 2 || band == 1; f.Grid.Inside(j) != in || in != !math.IsNaN(v) || in &&
					v != want.Values[j] {
					t.Errorf("extra samples of kind %d, band %d, cell %d: %g, inside %v; want %g, %v", kind, band+1, j,
						v, f.Grid.Inside(j), want.Values[j], in)
				}
			}
		}
	}
}

// Whatever a byte of the tags is changed to, there is an answer or an error, and no crash; FuzzGeoTIFF looks further.
func TestGeoTIFFSurvivesEveryByte(t *testing.T) {
	data := tiffFiles(t)["float32 tiles deflate predictor 3"]
	for at := range min(len(data), 500) {
		for _, value := range []byte{0, 1, 2, 3, 0x7f, 0x80, 0xff} {
			tryGeoTIFF(t, data, at, value)
		}
	}
}

func FuzzGeoTIFF(f *testing.F) {
	var files map[string][]byte
	must.Do(f, json.Unmarshal(tiffJSON, &files))
	for _, data := range files {
		f.Add(data, 0, data[0])
	}
	f.Fuzz(tryGeoTIFF)
}

func tryGeoTIFF(t *testing.T, data []byte, at int, value byte) {
	data = bytes.Clone(data)
	if at >= 0 && at < len(data) {
		data[at] = value
	}
	field, err := GeoTIFF{Band: 1}.decode(bytes.NewReader(data), "")
	if err == nil && (len(field.Values) != field.Grid.Len() || field.Grid.Inside(0) == math.IsNaN(field.Values[0])) {
		t.Errorf("byte %d set to %d: %d values for %d cells", at, value, len(field.Values), field.Grid.Len())
	}
}
