package raster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam/internal/grayscale"
	"github.com/expfam/lab/expfam/internal/npy"
)

// raster is the layout of the samples of a TIFF. Every plane is divided into blocks of
// wide × high pixels, which are strips or tiles, in order.
type raster struct {
	*tiff
	w, h, bands  int
	wide, high   int
	offsets      []int
	sizes        []int
	size         int // bytes of a sample
	read         func([]byte) (float64, bool)
	compression  int
	predictor    int
	planes, each int // number of planes, and of bands in each plane
}

// layout reads and checks the tags of the samples.
func (t *tiff) layout() (*raster, error) {
	r := &raster{tiff: t}
	var bits, format, photometric, planar, fill, turn int
	for _, tag := range []struct {
		id       uint16
		fallback int
		to       *int
	}{{tagWidth, 0, &r.w}, {tagHeight, 0, &r.h}, {tagSamples, 1, &r.bands}, {tagBits, 1, &bits},
		{tagSampleFormat, 1, &format},
		{tagCompression, 1, &r.compression}, {tagPredictor, 1, &r.predictor}, {tagPhotometric, 1, &photometric},
		{tagPlanar, 1, &planar}, {tagFillOrder, 1, &fill}, {tagOrientation, 1, &turn}} {
		v, err := t.number(tag.id, tag.fallback)
		if err != nil {
			return nil, err
		}
		*tag.to = v
	}
	if r.w < 1 || r.h < 1 || r.bands < 1 || r.w > grayscale.MaxPixels/r.h || r.bands > 1<<12 {
		return nil, fmt.Errorf("tiff: %d by %d pixels of %d samples; at least one and at most %d pixels are read", r.w,
			r.h, r.bands, grayscale.MaxPixels)
	}
	if photometric != 1 && photometric != 2 && photometric != 3 || fill != 1 {
		return nil, fmt.Errorf("tiff: photometric interpretation %d, fill order %d are not read; convert to a "+
			"plain raster with gdal_translate", photometric, fill)
	}
	if turn > 1 && turn <= 8 {
		return nil, fmt.Errorf("tiff: its rows or columns are stored in another order, or turned, by its orientation "+
			"%d; write it as it is shown, as by convert -auto-orient of ImageMagick", turn)
	}
	kind := fmt.Sprintf("%s%d", map[int]string{1: "u", 2: "i", 3: "f"}[format], bits/8)
	if r.read, r.size = npy.Number(kind, t.order.String() == "BigEndian"); r.read == nil || bits%8 != 0 {
		return nil, fmt.Errorf("tiff: samples of %d bits in format %d are not read; convert them to whole bytes, "+
			"as by gdal_translate -ot Float64", bits, format)
	}
	if r.predictor == 3 { // always stored with the highest byte first
		if r.read, _ = npy.Number(kind, true); format != 3 {
			return nil, errors.New("tiff: a floating-point predictor of integers")
		}
	}
	r.planes, r.each = 1, r.bands
	if planar == 2 {
		r.planes, r.each = r.bands, 1
	}
	return r, r.blocks()
}

// blocks reads where tiles or strips are. It refuses blocks that a file of this size cannot hold.
func (r *raster) blocks() error {
	t := r.tiff
	if r.offsets = t.ints(tagTileOffsets); r.offsets != nil {
		wide, errW := t.number(tagTileWidth, 0)
		high, errH := t.number(tagTileHeight, 0)
		if err := errors.Join(errW, errH); err != nil {
			return err
		}
		r.wide, r.high, r.sizes = wide, high, t.ints(tagTileBytes)
	} else {
		high, err := t.number(tagRowsPerStrip, r.h)
		if err != nil {
			return err
		}
		r.wide, r.high, r.offsets, r.sizes = r.w, min(high, r.h), t.ints(tagStripOffsets), t.ints(tagStripBytes)
	}
	if r.wide < 1 || r.high < 1 || r.wide*r.each*r.size > grayscale.MaxPixels/r.high {
		return fmt.Errorf("tiff: blocks of %d by %d pixels of %d bytes; at most %d bytes a block are read", r.wide,
			r.high, r.each*r.size, grayscale.MaxPixels)
	}
	if n := r.planes * r.across() * r.down(); len(r.offsets) != n || len(r.sizes) != n {
		return fmt.Errorf("tiff: %d blocks are needed, there are %d with %d sizes", n, len(r.offsets), len(r.sizes))
	}
	// No compression makes more than 4096 bytes out of one. The size of the file therefore
	// bounds the memory that is allocated for what a header promises.
	if full := r.wide * r.high * r.each * r.size; full/4096 > len(t.data) && slices.Max(r.sizes) > 0 {
		return fmt.Errorf("tiff: blocks of %d bytes in a file of %d; it was cut", full, len(t.data))
	}
	return nil
}

// transparency returns the alpha band, counted from 0, which is 0 in cells without data. It is −1 if there is none.
func (r *raster) transparency() (band int, err error) {
	extra := r.ints(tagExtraSamples)
	if len(extra) > r.bands {
		return -1, fmt.Errorf("tiff: %d extra samples of %d; the file is damaged: write it again with gdal_translate",
			len(extra), r.bands)
	}
	for i, kind := range extra {
		if kind == 1 || kind == 2 { // alpha with which the colours are multiplied, or are not
			return r.bands - len(extra) + i, nil
		}
	}
	return -1, nil
}

func (r *raster) across() int { return (r.w + r.wide - 1) / r.wide }
func (r *raster) down() int   { return (r.h + r.high - 1) / r.high }

// band reads the samples of one band, counted from 0. Samples of blocks that a sparse file
// leaves out have the value missing.
func (r *raster) band(band int, missing float64) ([]float64, error) {
	out := make([]float64, r.w*r.h)
	perPlane := r.across() * r.down()
	first, within := 0, band
	if r.planes > 1 {
		first, within = band*perPlane, 0
	}
	for b := range perPlane {
		left, top := b%r.across()*r.wide, b/r.across()*r.high
		rows := min(r.high, r.h-top)
		var block []byte
		if i := first + b; r.offsets[i] != 0 || r.sizes[i] != 0 {
			var err error
			if block, err = r.block(i, rows); err != nil {
				return nil, fmt.Errorf("tiff: block %d: %w", i, err)
			}
		}
		for y := range rows {
			for x := range min(r.wide, r.w-left) {
				v, exact := missing, true
				if block != nil {
					v, exact = r.read(block[((y*r.wide+x)*r.each+within)*r.size:])
				}
				if !exact {
					return nil, fmt.Errorf("tiff: the sample at row %d, column %d is an integer that float64 does "+
						"not hold; "+
						"convert it, as by gdal_translate -ot Float64, if its last digits do not matter", top+y, left+x)
				}
				out[(top+y)*r.w+left+x] = v
			}
		}
	}
	return out, nil
}
