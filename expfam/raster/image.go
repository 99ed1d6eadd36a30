package raster

import (
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/grayscale"
)

// ReadImage reads a complete image as luma in [0, 1], with one cell per pixel. A world file beside it, such as .pgw of
// a .png, or else GDAL's metadata (.aux.xml) place the cells, and GDAL's mask (.msk) says which are missing.
func ReadImage(path string) (grid.Field, error) {
	g, err := grayscale.Open(path)
	if err != nil {
		return grid.Field{}, fmt.Errorf("raster: %w", err)
	}
	f, b := grid.Field{Grid: grid.Grid{Rows: g.H, Cols: g.W}, Values: g.Values()}, beside(path)
	aux, err := b.pam(0)
	m := aux.transform
	if w, e := b.world(); w != nil || e != nil { // GDAL takes that first, other than beside a GeoTIFF
		m, err = w, errors.Join(err, e)
	}
	if err == nil && m != nil && g.Turned {
		err = errors.New("its orientation (EXIF) turns the pixels, and a file beside it places those of the file; " +
			"write the picture again without an orientation, as by exiftran -a or gdal_translate")
	}
	if err == nil && m != nil {
		f.Grid.X, f.Grid.Y, err = m.axes()
	}
	if err == nil {
		err = b.settle(&f)
	}
	if err == nil && aux.nodata != nil {
		err = about(aux.path, errors.New("pixels of an image are scaled to luma, so its number of missing data "+
			"says nothing; convert the image by gdal_translate old.png new.tif"))
	}
	if err != nil {
		return grid.Field{}, fmt.Errorf("raster: %s: %w", path, err)
	}
	return f, nil
}
