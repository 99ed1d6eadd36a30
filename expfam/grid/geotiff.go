package grid

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// GeoTIFF reads a raster with its place on the Earth (OGC GeoTIFF 1.1): integers and
// floats of 8 to 64 bits in strips or tiles, uncompressed or compressed by LZW, deflate
// or PackBits, with any predictor. Without geographic tags the grid is the grid of a
// plain image. Rotated grids, masks, BigTIFF and JPEG are refused. Cells that are NaN, or that have
// the number with which GDAL marks missing data, are outside, and so are cells whose alpha band, if there is one, is 0. If GDAL's metadata in the file have a
// scale and an offset of the band, a value is number·scale + offset. The number of missing data is
// compared before that, as GDAL does. Longitude and latitude in
// degrees give a grid with Radius [EarthRadius], and areas in km².
type GeoTIFF struct {
	// Band to read, from 1. Default the only one.
	Band int
}

// Read reads the raster in a file.
func (o GeoTIFF) Read(path string) (Field, error) {
	return open(path, o.decode)
}

func (o GeoTIFF) decode(r io.Reader) (Field, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Field{}, err
	}
	t, err := parseTIFF(data)
	if err != nil {
		return Field{}, err
	}
	if t.masked() {
		return Field{}, errors.New("geotiff: missing cells are marked by a mask, which is not read; write them as a number, as by gdalwarp -dstnodata -9999 old.tif new.tif")
	}
	layout, err := t.layout()
	if err != nil {
		return Field{}, err
	}
	if o.Band == 0 && layout.bands > 1 || o.Band < 0 || o.Band > layout.bands {
		return Field{}, fmt.Errorf("geotiff: band %d of %d; choose one from 1 on in GeoTIFF.Band", o.Band, layout.bands)
	}
	g, err := t.place(layout.w, layout.h)
	if err != nil {
		return Field{}, fmt.Errorf("geotiff: %w", err)
	}
	nodata, missing := math.NaN(), 0.0
	if text := t.text(tagNoData); text != "" {
		if nodata, err = strconv.ParseFloat(text, 64); err != nil {
			return Field{}, fmt.Errorf("geotiff: the number without data is %q", text)
		}
		missing = nodata
	}
	band := max(0, o.Band-1)
	values, err := layout.band(band, missing)
	if err != nil {
		return Field{}, err
	}
	scale, offset, err := t.scale(band)
	if err != nil {
		return Field{}, fmt.Errorf("geotiff: %w", err)
	}
	mask(values, nodata)
	alpha, err := layout.transparency()
	if err != nil {
		return Field{}, err
	}
	if alpha >= 0 && alpha != band {
		opacity, err := layout.band(alpha, 0)
		if err != nil {
			return Field{}, err
		}
		for j, a := range opacity {
			if a == 0 {
				values[j] = math.NaN()
			}
		}
	}
	if scale != 1 || offset != 0 {
		for j, v := range values {
			values[j] = float64(v*scale) + offset
		}
	}
	f, err := fieldOf(g, values)
	if err != nil {
		return Field{}, fmt.Errorf("geotiff: %w", err)
	}
	return f, nil
}

// GeoKeys that are read, and their values.
const (
	keyModel     = 1024 // 1: projected, 2: geographic
	keyRaster    = 1025 // 1: raster coordinates are those of corners, 2: of centres
	keyAngles    = 2054 // 9102: degrees
	keyLengths   = 3076 // 9001: metres
	asPoints     = 2
	asGeographic = 2
)

// place returns the grid that the tags describe. The raster coordinates (0, 0) are the
// corner of the first pixel, or its centre if pixels are points.
func (t *tiff) place(w, h int) (Grid, error) {
	g := Grid{Rows: h, Cols: w}
	keys := t.geoKeys()
	half := 0.5
	if keys[keyRaster] == asPoints {
		half = 0
	}
	scale, tie, m := t.floats(tagPixelScale), t.floats(tagTiepoint), t.floats(tagTransformation)
	switch {
	case len(scale) >= 2 && len(tie) == 6:
		g.X = Axis{First: tie[3] + (half-tie[0])*scale[0], Step: scale[0]}
		g.Y = Axis{First: tie[4] - (half-tie[1])*scale[1], Step: -scale[1]}
	case len(m) == 16:
		if m[1] != 0 || m[4] != 0 {
			return g, errors.New("the grid is rotated; warp it to its axes with gdalwarp")
		}
		g.X = Axis{First: m[3] + half*m[0], Step: m[0]}
		g.Y = Axis{First: m[7] + half*m[5], Step: m[5]}
	case len(tie) > 0:
		return g, fmt.Errorf("%d control points without a pixel scale make no lattice; warp it with gdalwarp", len(tie)/6)
	default:
		return g, nil
	}
	if !(g.X.Step != 0 && g.Y.Step != 0) {
		return g, fmt.Errorf("pixels of %g by %g; neither may be 0", g.X.Step, g.Y.Step)
	}
	g.X.Name, g.Y.Name = "x", "y"
	if keys[keyLengths] == 9001 {
		g.X.Unit, g.Y.Unit = "m", "m"
	}
	if keys[keyModel] == asGeographic {
		if unit := keys[keyAngles]; unit != 0 && unit != 9102 {
			return g, fmt.Errorf("angles in unit %d; only degrees (9102) are read", unit)
		}
		g.X.Name, g.Y.Name, g.X.Unit, g.Y.Unit = "longitude", "latitude", "°", "°"
		g.Radius = EarthRadius
	}
	return g, nil
}

// geoKeys returns the keys whose values are short numbers.
func (t *tiff) geoKeys() map[int]int {
	keys := map[int]int{}
	v := t.ints(tagGeoKeys)
	for ; len(v) >= 8; v = v[4:] {
		if id, where, value := v[4], v[5], v[7]; where == 0 {
			keys[id] = value
		}
	}
	return keys
}
