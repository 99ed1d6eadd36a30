package raster

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/grayscale"
	"github.com/expfam/lab/expfam/store"
)

// GeoTIFF writes a cloud-optimised raster (OGC GeoTIFF 1.1 and Cloud Optimized GeoTIFF 1.0) with a band of single
// precision for each layer, north on top, in tiles compressed by deflate. Rasters of more than 256 rows or columns have
// overviews of half the resolution, a quarter and so on, whose cells are the means of the values that are there.
// Cells outside and missing values are NaN, and NaN is declared to be no data. A grid with a Radius is in degrees on
// WGS 84 (EPSG:4326). Any other grid has coordinates but no reference system: gdal_edit -a_srs assigns one. The names
// of the layers become the band descriptions of GDAL.
//
// [GeoTIFF.Read] reads the file back.
func (l Layers) GeoTIFF(path string) error {
	if err := l.check(); err != nil {
		return err
	}
	g, bands := l.Grid, len(l.Layers)
	if g.Rows > grayscale.MaxPixels/g.Cols || bands > 1<<12 {
		return fmt.Errorf("raster: a GeoTIFF of %d bands of %d by %d cells; at most 4096 bands of %d cells are written",
			bands, g.Rows, g.Cols, grayscale.MaxPixels)
	}
	names, err := l.descriptions()
	if err != nil {
		return err
	}
	levels, size, err := l.levels()
	if err != nil {
		return err
	}
	// The length of the directories does not depend on the place of the tiles.
	file, err := l.directories(levels, names, 0)
	if err == nil {
		file, err = l.directories(levels, names, uint32(len(file)+size))
	}
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(file)
		for _, level := range slices.Backward(levels) {
			for _, tile := range level.tiles {
				if err == nil {
					_, err = w.Write(tile)
				}
			}
		}
		return err
	})
}

// directories returns the beginning of a file that ends at the place end: the directories, after which come the tiles,
// those of the smallest overview first.
func (l Layers) directories(levels []tiled, names []byte, end uint32) ([]byte, error) {
	file := []byte("II\x2a\x00\x08\x00\x00\x00")
	for k, level := range levels {
		tags := level.tags(k > 0, len(l.Layers), end)
		if k == 0 {
			tags = append(append(tags, l.place()...), tiffEntry{tagMetadata, names})
		}
		tags = append(tags, tiffEntry{tagNoData, []byte("nan\x00")})
		directory, err := tiffDirectory(uint32(len(file)), k+1 < len(levels), tags)
		if err != nil {
			return nil, err
		}
		file, end = append(file, directory...), end-uint32(level.size)
	}
	return file, nil
}

const (
	tagExtraSamples = 338
	tagMetadata     = 42112
)

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
		const wgs84, degrees = 4326, 9102
		keys = []uint16{1, 1, 0, 4, keyModel, 0, 1, asGeographic, keyRaster, 0, 1, 1,
			keyGeographic, 0, 1, wgs84, keyAngles, 0, 1, degrees}
	}
	return []tiffEntry{{tagPixelScale, []float64{across, down, 0}}, {tagTiepoint, []float64{0, 0, 0, west, north, 0}},
		{tagGeoKeys, keys}}
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
