package raster

import (
	"fmt"
	"strconv"
)

// mask reads GDAL's mask (.msk) of a band, counted from 0, of an image of w × h pixels. It returns nil if there is
// none.
func (b beside) mask(band, w, h int) (valid []float64, err error) {
	path, content, err := b.find(string(b), ".msk")
	if path == "" || err != nil {
		return nil, err
	}
	t, err := parseTIFF(content)
	if err == nil {
		valid, err = t.maskOf(band, w, h)
	}
	if err != nil {
		return nil, about(path, fmt.Errorf("%w; if this mask cannot be mended, write missing cells as a number, as by "+
			"gdalwarp -dstnodata -9999 old.tif new.tif", err))
	}
	return valid, nil
}

// maskOf reads the image of a mask. GDAL's metadata say whether it has one band for all of the raster.
func (t *tiff) maskOf(band, w, h int) ([]float64, error) {
	layout, err := t.layout()
	if err != nil {
		return nil, err
	}
	if layout.w != w || layout.h != h {
		return nil, fmt.Errorf("the mask has %d by %d pixels, the raster %d by %d", layout.w, layout.h, w, h)
	}
	metadata, err := t.metadata()
	if err != nil {
		return nil, err
	}
	const perDataset = 2
	flags, err := strconv.Atoi(metadata.item(fmt.Sprintf("INTERNAL_MASK_FLAGS_%d", band+1)))
	if err != nil && layout.bands > 1 || band >= layout.bands && flags&perDataset == 0 && err == nil {
		return nil, fmt.Errorf("its metadata do not say which of its %d bands masks band %d", layout.bands, band+1)
	}
	if flags&perDataset != 0 || layout.bands == 1 {
		band = 0
	}
	return layout.band(band, 0)
}
