package raster

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/expfam/lab/expfam/grid"
)

// GeoTIFF reads a raster with its place on the Earth (OGC GeoTIFF 1.1) from a TIFF or BigTIFF: integers and floats of 8
// to 64 bits in strips or tiles, uncompressed or compressed by LZW, deflate or PackBits, with any predictor. Without
// geographic tags and files beside it the grid is the grid of a plain image. Rotated grids, masks in the file and JPEG
// are refused. Cells that are NaN, or that have the number with which GDAL marks missing data, are outside, and so are
// cells whose alpha band, if there is one, is 0. If GDAL's metadata in the file have a scale and an offset of the band,
// a value is number·scale + offset. The number of missing data is compared before that, as GDAL does. Longitude and
// latitude in degrees give a grid with Radius [grid.EarthRadius], and areas in km².
//
// Files beside a.tif are read as GDAL reads them: a mask (a.tif.msk), metadata (a.tif.aux.xml), which count before the
// tags, and a world file (a.tfw, a.tifw or a.wld) if there is no other place. A file a.prj says what the coordinates
// are if the tags do not. A raster without a place beside a file that has it in another form (.tab, .rpb) is refused.
type GeoTIFF struct {
	// Band to read, from 1. Default the only one.
	Band int
}

// Read reads the raster in a file.
func (o GeoTIFF) Read(path string) (grid.Field, error) {
	return open(path, func(r io.Reader) (grid.Field, error) { return o.decode(r, beside(path)) })
}

func (o GeoTIFF) decode(r io.Reader, b beside) (grid.Field, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return grid.Field{}, err
	}
	t, err := parseTIFF(data)
	if err != nil {
		return grid.Field{}, err
	}
	switch masked, err := t.masked(); {
	case err != nil:
		return grid.Field{}, err
	case masked:
		return grid.Field{}, errors.New("geotiff: missing cells are marked by a mask, which is not read; write them " +
			"as a number, as by gdalwarp -dstnodata -9999 old.tif new.tif")
	}
	layout, err := t.layout()
	if err != nil {
		return grid.Field{}, err
	}
	if o.Band == 0 && layout.bands > 1 || o.Band < 0 || o.Band > layout.bands {
		return grid.Field{}, fmt.Errorf("geotiff: band %d of %d; choose one from 1 on in GeoTIFF.Band", o.Band,
			layout.bands)
	}
	band := max(0, o.Band-1)
	f, err := t.field(layout, band, b)
	if err != nil {
		return grid.Field{}, fmt.Errorf("geotiff: %w", err)
	}
	return f, nil
}

// field reads a band, counted from 0, with what the tags and the files beside the raster say about it. GDAL's .aux.xml
// counts before the tags, and a world file counts if there is no other place.
func (t *tiff) field(layout *raster, band int, b beside) (grid.Field, error) {
	aux, err := b.pam(band)
	if err != nil {
		return grid.Field{}, err
	}
	g, err := t.place(layout.w, layout.h, b, aux)
	if err != nil {
		return grid.Field{}, err
	}
	nodata, missing := math.NaN(), 0.0
	if text := t.text(tagNoData); text != "" {
		if nodata, err = strconv.ParseFloat(text, 64); err != nil {
			return grid.Field{}, fmt.Errorf("the number without data is %q; correct it, as by gdal_edit.py -a_nodata "+
				"-9999", text)
		}
		missing = nodata
	}
	if aux.nodata != nil {
		nodata = *aux.nodata
		missing = nodata
	}
	values, err := layout.band(band, missing)
	if err != nil {
		return grid.Field{}, err
	}
	metadata, err := t.metadata()
	if err != nil {
		return grid.Field{}, err
	}
	if math.IsNaN(nodata) {
		if err := metadata.undeclared(band, values); err != nil {
			return grid.Field{}, err
		}
	}
	scale, offset, err := metadata.scale(band)
	if err != nil {
		return grid.Field{}, err
	}
	if aux.scale != nil {
		scale = *aux.scale
	}
	if aux.offset != nil {
		offset = *aux.offset
	}
	mask(values, nodata)
	if err := layout.hide(values, band, b); err != nil {
		return grid.Field{}, err
	}
	if scale != 1 || offset != 0 {
		for j, v := range values {
			values[j] = float64(v*scale) + offset
		}
	}
	f, err := g.Field(values)
	texts := append(metadata.words(band), filepath.Base(string(b)), aux.unit, aux.description)
	if d := t.text(tagDescription); len(d) < 200 { // longer ones are for programs
		texts = append(texts, d)
	}
	f.Counts = isCounted(texts...)
	return f, err
}

// hide writes NaN where the mask beside the file or the alpha band is 0. NaN in values are missing already.
func (r *raster) hide(values []float64, band int, b beside) error {
	valid, err := b.mask(band, r.w, r.h)
	if err != nil {
		return err
	}
	for j, v := range valid {
		if v == 0 {
			values[j] = math.NaN()
		} else if math.IsNaN(values[j]) {
			return fmt.Errorf("row %d, column %d has no value, and the mask beside the file says that it has one; "+
				"remove the mask or the number of missing data", j/r.w, j%r.w)
		}
	}
	alpha, err := r.transparency()
	if err != nil || alpha < 0 || alpha == band {
		return err
	}
	opacity, err := r.band(alpha, 0)
	for j, a := range opacity {
		if a == 0 {
			values[j] = math.NaN()
		}
	}
	return err
}

// GeoKeys that are read, and their values.
const (
	keyModel         = 1024 // 1: projected, 2: geographic
	keyRaster        = 1025 // 1: raster coordinates are those of corners, 2: of centres
	keyGeographic    = 2048 // a code of EPSG
	keyDatum         = 2050
	keyMeridian      = 2051 // 8901: Greenwich
	keyAngles        = 2054 // 9102: degrees
	keyHalfAxis      = 2057 // in metres
	keyMeridianAngle = 2061 // in degrees
	keyLengths       = 3076 // 9001: metres
	asPoints         = 2
	asGeographic     = 2
	ofUser           = 32767 // in place of a code
)

// place returns the grid of an image of w × h pixels.
func (t *tiff) place(w, h int, b beside, aux pam) (grid.Grid, error) {
	g := grid.Grid{Rows: h, Cols: w}
	m, err := t.transform()
	if err != nil {
		return g, err
	}
	if aux.transform != nil {
		m = aux.transform
	}
	if m == nil {
		if m, err = b.world(); err != nil {
			return g, err
		}
	}
	if m == nil {
		if _, found := t.tags[tagRPC]; found {
			return g, errors.New("rational polynomials place the raster, which are not read; warp it with gdalwarp " +
				"-rpc")
		}
		return g, b.elsewhere()
	}
	if g.X, g.Y, err = m.axes(); err != nil {
		return g, err
	}
	keys := t.geoKeys()
	r := aux.reference
	if r == nil && len(keys) == 0 {
		if r, err = b.projection(); err != nil {
			return g, err
		}
	}
	if r == nil {
		if r, err = t.referenceOf(keys); err != nil {
			return g, err
		}
	}
	r.apply(&g)
	return g, nil
}

// transform places an image: the centre of the pixel in column c and row r is at (m₀ + c m₁ + r m₂, m₃ + c m₄ + r m₅).
type transform [6]float64

// axes returns the axes of the transform.
func (m transform) axes() (x, y grid.Axis, err error) {
	if m[2] != 0 || m[4] != 0 {
		return x, y, errors.New("the grid is rotated; warp it to its axes with gdalwarp")
	}
	if !(m[1] != 0 && m[5] != 0) {
		return x, y, fmt.Errorf("pixels of %g by %g; neither may be 0", m[1], m[5])
	}
	return grid.Axis{First: m[0], Step: m[1]}, grid.Axis{First: m[3], Step: m[5]}, nil
}

// transform returns the transform that the tags have, nil if they have none. The raster coordinates (0, 0) are the
// corner of the first pixel, or its centre if pixels are points.
func (t *tiff) transform() (*transform, error) {
	half := 0.5
	if t.geoKeys()[keyRaster] == asPoints {
		half = 0
	}
	scale, tie, m := t.floats(tagPixelScale), t.floats(tagTiepoint), t.floats(tagTransformation)
	switch {
	case len(scale) >= 2 && len(tie) == 6:
		return &transform{tie[3] + (half-tie[0])*scale[0], scale[0], 0, tie[4] - (half-tie[1])*scale[1], 0, -scale[1]},
			nil
	case len(m) == 16:
		return &transform{m[3] + half*(m[0]+m[1]), m[0], m[1], m[7] + half*(m[4]+m[5]), m[4], m[5]}, nil
	case len(tie) > 0:
		return nil, fmt.Errorf("%d control points without a pixel scale make no lattice; warp it with gdalwarp",
			len(tie)/6)
	}
	return nil, nil
}
