package raster

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/luma"
	"github.com/expfam/lab/expfam/store"
)

// GeoTIFF writes a raster (OGC GeoTIFF 1.1) with a band of single precision for each
// layer, north on top, compressed by deflate. Cells outside and missing values are NaN,
// and NaN is declared to be no data. A grid with a Radius is in degrees on WGS 84
// (EPSG:4326). Any other grid has coordinates but no reference system: gdal_edit -a_srs
// assigns one. The names of the layers become the band descriptions of GDAL.
//
// [GeoTIFF.Read] reads the file back.
func (l Layers) GeoTIFF(path string) error {
	if err := l.check(); err != nil {
		return err
	}
	g, bands := l.Grid, len(l.Layers)
	if g.Rows > luma.MaxPixels/g.Cols || bands > 1<<12 {
		return fmt.Errorf("raster: a GeoTIFF of %d bands of %d by %d cells; at most 4096 bands of %d cells are written",
			bands, g.Rows, g.Cols, luma.MaxPixels)
	}
	names, err := l.descriptions()
	if err != nil {
		return err
	}
	high := max(1, 1<<16/(4*g.Cols)) // rows in a strip of about 64 kB
	data, offsets, sizes, err := l.strips(high)
	if err != nil {
		return err
	}
	tags := append(l.raster(high, offsets, sizes), l.place()...)
	tags = append(tags, tiffEntry{tagMetadata, names}, tiffEntry{tagNoData, []byte("nan\x00")})
	if data.Len()%2 == 1 {
		data.WriteByte(0) // a directory begins at an even place
	}
	at := uint32(tiffHead + data.Len())
	directory, err := tiffDirectory(at, tags)
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		start := binary.LittleEndian.AppendUint32([]byte("II\x2a\x00"), at)
		for _, part := range [][]byte{start, data.Bytes(), directory} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	tiffHead        = 8 // bytes before the strips
	tagExtraSamples = 338
	tagMetadata     = 42112
)

// strips returns the data of all layers, layer after layer in strips of high rows, with the
// offset in the file and the size of every strip.
func (l Layers) strips(high int) (data *bytes.Buffer, offsets, sizes []uint32, err error) {
	data = new(bytes.Buffer)
	for _, layer := range l.Layers {
		for top := 0; top < l.Grid.Rows; top += high {
			offsets = append(offsets, uint32(tiffHead+data.Len()))
			if err := l.strip(data, layer, top, min(top+high, l.Grid.Rows)); err != nil {
				return nil, nil, nil, err
			}
			sizes = append(sizes, uint32(tiffHead+data.Len())-offsets[len(offsets)-1])
			if data.Len() > math.MaxInt32 {
				return nil, nil, nil, fmt.Errorf(
					"raster: the GeoTIFF would be larger than 2 GB; write fewer layers to a file")
			}
		}
	}
	return data, offsets, sizes, nil
}

// place returns the tags that say where on the map the pixels are.
func (l Layers) place() []tiffEntry {
	g := l.Grid
	// Coordinates count from the upper left corner of the upper left pixel.
	ax, ay := g.Axes()
	across, down := math.Abs(ax.Step), math.Abs(ay.Step)
	f := grid.Field{Grid: g}
	west, north := f.X(0)-across/2, f.Y(g.Rows-1)+down/2
	keys := []uint16{1, 1, 0, 1, keyRaster, 0, 1, 1} // pixels are areas
	if g.Radius != 0 {
		const keyGeographic, wgs84, degrees = 2048, 4326, 9102
		keys = []uint16{1, 1, 0, 4, keyModel, 0, 1, asGeographic, keyRaster, 0, 1, 1,
			keyGeographic, 0, 1, wgs84, keyAngles, 0, 1, degrees}
	}
	return []tiffEntry{{tagPixelScale, []float64{across, down, 0}}, {tagTiepoint, []float64{0, 0, 0, west, north, 0}},
		{tagGeoKeys, keys}}
}

// raster returns the tags that say how the pixels are written.
func (l Layers) raster(high int, offsets, sizes []uint32) []tiffEntry {
	g, bands := l.Grid, len(l.Layers)
	each := func(v uint16, n int) []uint16 { return slices.Repeat([]uint16{v}, n) }
	tags := []tiffEntry{
		{tagWidth, []uint32{uint32(g.Cols)}},
		{tagHeight, []uint32{uint32(g.Rows)}},
		{tagBits, each(32, bands)},
		{tagCompression, each(8, 1)}, // deflate
		{tagPhotometric, each(1, 1)}, // black is 0
		{tagStripOffsets, offsets},
		{tagSamples, each(uint16(bands), 1)},
		{tagRowsPerStrip, []uint32{uint32(high)}},
		{tagStripBytes, sizes},
		{tagPlanar, each(2, 1)}, // band after band
		{tagExtraSamples, each(0, bands-1)},
		{tagSampleFormat, each(3, bands)}, // floating point
	}
	if bands == 1 {
		tags = slices.DeleteFunc(tags, func(t tiffEntry) bool { return t.id == tagExtraSamples })
	}
	return tags
}

// strip compresses the rows from top to bottom − 1 of a layer, counted from the north.
func (l Layers) strip(to *bytes.Buffer, layer Layer, top, bottom int) error {
	f := grid.Field{Grid: l.Grid}
	var row []byte
	z := zlib.NewWriter(to)
	for r := top; r < bottom; r++ {
		row = row[:0]
		for c := range l.Grid.Cols {
			j := f.Index(c, l.Grid.Rows-1-r)
			v := float32(math.NaN())
			if l.Grid.Inside(j) {
				v = float32(layer.Values[j])
			}
			if math.IsInf(float64(v), 0) {
				return fmt.Errorf("raster: layer %q, cell %d is %g; single precision holds at most %g; "+
					"scale the values",
					layer.Name, j, layer.Values[j], math.MaxFloat32)
			}
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		if _, err := z.Write(row); err != nil {
			return err
		}
	}
	return z.Close()
}

// descriptions returns the names of the bands in GDAL's metadata format.
func (l Layers) descriptions() ([]byte, error) {
	var out strings.Builder
	out.WriteString("<GDALMetadata>\n")
	for i, layer := range l.Layers {
		fmt.Fprintf(&out, `  <Item name="DESCRIPTION" sample="%d" role="description">`, i)
		var once bytes.Buffer // GDAL escapes twice, and undoes both
		if err := errors.Join(xml.EscapeText(&once, []byte(layer.Name)),
			xml.EscapeText(&out, once.Bytes())); err != nil {
			return nil, fmt.Errorf("raster: layer %q: %w", layer.Name, err)
		}
		out.WriteString("</Item>\n")
	}
	out.WriteString("</GDALMetadata>\n\x00")
	return []byte(out.String()), nil
}
