package raster

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// tiffEntry is a tag to be written. Its value is a []byte (characters), []uint16, []uint32 or []float64.
type tiffEntry struct {
	id    uint16
	value any
}

// tiffDirectory returns the bytes of a directory of a little-endian file, followed by the values that do not fit into
// the directory, and names the place after them as that of the next directory if there are more. It is written at the
// offset at, which must be even. Tags must ascend.
func tiffDirectory(at uint32, more bool, tags []tiffEntry) ([]byte, error) {
	order := binary.LittleEndian
	out := order.AppendUint16(nil, uint16(len(tags)))
	var values []byte
	beyond := at + 2 + 12*uint32(len(tags)) + 4
	for _, tag := range tags {
		var kind uint16 // its size is in tiffSizes
		switch tag.value.(type) {
		case []byte:
			kind = 2
		case []uint16:
			kind = 3
		case []uint32:
			kind = 4
		case []float64:
			kind = 12
		default:
			return nil, fmt.Errorf("tiff: tag %d is a %T", tag.id, tag.value)
		}
		value, err := binary.Append(nil, order, tag.value)
		if err != nil {
			return nil, fmt.Errorf("tiff: tag %d: %w", tag.id, err)
		}
		out = order.AppendUint16(out, tag.id)
		out = order.AppendUint16(out, kind)
		out = order.AppendUint32(out, uint32(len(value)/tiffSizes[kind]))
		if len(value) <= 4 {
			out = append(out, append(value, 0, 0, 0, 0)[:4]...)
			continue
		}
		out = order.AppendUint32(out, beyond+uint32(len(values)))
		values = append(values, value...)
		if len(values)%2 == 1 {
			values = append(values, 0)
		}
	}
	next := uint32(0)
	if more {
		next = beyond + uint32(len(values))
	}
	return append(order.AppendUint32(out, next), values...), nil
}

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
