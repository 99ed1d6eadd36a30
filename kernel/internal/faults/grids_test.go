package faults

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// smallField is a small field with a cell outside.
func smallField() grid.Field {
	g := grid.Grid{Rows: 9, Cols: 12, X: grid.Axis{First: 10, Step: 0.5}, Y: grid.Axis{First: 5, Step: -0.5},
		Outside: make([]bool, 108)}
	values := make([]float64, g.Len())
	for j := range values {
		values[j] = math.Sin(float64(j)) * 100
	}
	g.Outside[40], values[40] = true, 0
	return grid.Field{Grid: g, Values: values}
}

// whole is what is wrong with a field that was read.
func whole(f grid.Field) error {
	if err := f.Grid.Check(); err != nil {
		return wrong("a grid that is none: %v", err)
	}
	if len(f.Values) != f.Grid.Len() {
		return wrong("%d values for %d cells", len(f.Values), f.Grid.Len())
	}
	for j, v := range f.Values {
		if f.Grid.Inside(j) && !finite(v) {
			return wrong("cell %d is %g", j, v)
		}
	}
	return nil
}

// fields makes a reader of fields one of [format].
func fields(read func(path string) (grid.Field, error)) func(path string) (string, error) {
	return func(path string) (string, error) {
		f, err := read(path)
		if err != nil {
			return "", refused(err)
		}
		return fmt.Sprint(f.Values), whole(f)
	}
}

// bytesOf is the content of the file that write makes at path.
func bytesOf(t *testing.T, path string, write func(path string) error) []byte {
	t.Helper()
	must.Do(t, write(path))
	return must.Get(os.ReadFile(path))(t)
}

func rasters(t *testing.T) []format {
	dir, f := t.TempDir(), smallField()
	written := func(name string, write func(path string) error) []byte {
		return bytesOf(t, filepath.Join(dir, name), write)
	}
	post := &expfam.Posterior{X: mat.NewDense(9, 12, f.Values), Likelihood: expfam.Likelihood{Family: expfam.Normal{}}}
	npy := written("a.npy", func(path string) error { return post.WriteNPY(path) })
	single := written("b.npy", func(path string) error { return post.WriteNPY32(path) })
	layers := raster.Layers{Grid: f.Grid, Layers: []raster.Layer{{Name: "a", Values: f.Values}}}
	layers.Grid.Radius = grid.EarthRadius
	tiffs := [][]byte{written("a.tif", layers.GeoTIFF)}
	text := must.Get(os.ReadFile("../../../expfam/raster/testdata/tiff.json"))(t)
	var others map[string][]byte
	must.Do(t, json.Unmarshal(text, &others))
	var names []string
	for name := range others {
		if !strings.Contains(name, "3 bands") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		tiffs = append(tiffs, others[name])
	}
	csv, points := new(strings.Builder), new(strings.Builder)
	asc := new(strings.Builder)
	fmt.Fprint(asc, "ncols 12\nnrows 9\nxllcorner 9.75\nyllcorner 0.75\ncellsize 0.5\nnodata_value -9999\n")
	fmt.Fprint(points, "x,y,weight\n")
	for r := range 9 {
		for c := range 12 {
			v := f.Values[12*r+c]
			fmt.Fprintf(csv, "%g%s", v, ending(c, ","))
			fmt.Fprintf(asc, "%g%s", v, ending(c, " "))
			fmt.Fprintf(points, "%d,%d,%g\n", c, r, math.Abs(v))
		}
	}
	array := func(path string) (string, error) {
		a, err := raster.ReadNPY(path)
		if err != nil {
			return "", refused(err)
		}
		n := 1
		for _, d := range a.Shape {
			n *= d
		}
		if n != len(a.Values) {
			return "", wrong("%d values of shape %v", len(a.Values), a.Shape)
		}
		field, err := a.Field()
		if err != nil {
			return "", refused(err)
		}
		return fmt.Sprint(field.Values), whole(field)
	}
	placed := func(path string) (string, error) {
		p, err := raster.PointsCSV{}.Read(path)
		if err != nil {
			return "", refused(err)
		}
		for _, q := range p {
			if !finite(q.X) || !finite(q.Y) || !(q.Weight >= 0) || !finite(q.Weight) {
				return "", wrong("a point %v", q)
			}
		}
		if len(p) == 0 {
			return "", wrong("a map of zeros")
		}
		return fmt.Sprint(p), nil
	}
	const bound = 64 << 20
	return []format{
		{name: "npy", files: [][]byte{npy, single}, read: array, ending: ".npy", bytes: bound},
		{name: "csv", files: [][]byte{[]byte(csv.String())}, read: fields(raster.CSV{}.Read), ending: ".csv",
			bytes: bound},
		{name: "asc", files: [][]byte{[]byte(asc.String())}, read: fields(raster.ReadASCIIGrid), ending: ".asc",
			bytes: bound},
		{name: "tiff", files: tiffs, read: fields(raster.GeoTIFF{}.Read), ending: ".tif", bytes: 512 << 20},
		{name: "points", files: [][]byte{[]byte(points.String()), []byte("1,2\n3,4\n5,6\n")}, read: placed,
			ending: ".csv", bytes: bound},
	}
}

func pictures(t *testing.T) format {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 1200 {
		img.SetRGBA(i%40, i/40, color.RGBA{uint8(i), uint8(i * 7), uint8(i / 5), 255})
	}
	var a, b bytes.Buffer
	must.Do(t, png.Encode(&a, img))
	must.Do(t, jpeg.Encode(&b, img, nil))
	read := func(path string) (string, error) {
		if content, err := fields(func(path string) (grid.Field, error) { return scenes.ReadPhoto(path, 8, 8) })(
			path); err != nil {
			return content, err
		}
		return fields(raster.ReadImage)(path)
	}
	return format{name: "image", files: [][]byte{a.Bytes(), b.Bytes()}, read: read, ending: ".png", bytes: 256 << 20,
		mend: mendPNG}
}

// mendPNG puts the right checksum behind the header of a PNG (RFC 2083, section 3.4).
func mendPNG(data []byte) {
	if len(data) >= 33 && bytes.HasPrefix(data, []byte("\x89PNG")) {
		binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	}
}

func TestGrids(t *testing.T) {
	a := newArea("readers of grids")
	for _, f := range append(rasters(t), pictures(t)) {
		testFormat(t, a, f, cases(60, 3000))
	}
}

// ending is what follows a column of a row of twelve.
func ending(c int, comma string) string {
	if c == 11 {
		return "\n"
	}
	return comma
}
