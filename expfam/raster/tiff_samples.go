package raster

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/grayscale"
	"github.com/expfam/lab/expfam/internal/npy"
	"golang.org/x/image/tiff/lzw"
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

// block unpacks the first rows of block i, which are the rows that lie on the image.
func (r *raster) block(i, rows int) ([]byte, error) {
	packed, err := r.bytes(r.offsets[i], r.sizes[i])
	if err != nil {
		return nil, err
	}
	stride := r.wide * r.each * r.size
	block := make([]byte, rows*stride)
	var from io.Reader
	switch r.compression {
	case 1:
		from = bytes.NewReader(packed)
	case 5:
		lz := lzw.NewReader(bytes.NewReader(packed), lzw.MSB, 8)
		defer lz.Close()
		from = lz
	case 8, 32946:
		z, err := zlib.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		from = z
	case 32773:
		from = bytes.NewReader(unpackBits(packed, len(block)))
	default:
		return nil, fmt.Errorf("compression %d is not read; none, LZW, deflate and PackBits are: gdal_translate "+
			"-co COMPRESS=DEFLATE", r.compression)
	}
	if _, err := io.ReadFull(from, block); err != nil {
		return nil, fmt.Errorf("%d bytes are needed: %w", len(block), err)
	}
	if r.compression == 8 || r.compression == 32946 { // the checksum stands behind all rows of the block
		rest := int64((r.high - rows) * stride)
		if n, err := io.Copy(io.Discard, io.LimitReader(from, rest+1)); err != nil || n > rest {
			return nil, fmt.Errorf("its checksum or its length is another one (%v): the file is damaged, copy it "+
				"again", err)
		}
	}
	for y := range rows {
		if err := r.undo(block[y*stride : (y+1)*stride]); err != nil {
			return nil, err
		}
	}
	return block, nil
}

// undo reverses the predictor in one row: it adds up the differences.
func (r *raster) undo(row []byte) error {
	step := r.each * r.size
	switch r.predictor {
	case 1:
	case 2:
		for at := step; at < len(row); at += r.size {
			now, before := row[at:], row[at-step:]
			switch r.size {
			case 1:
				now[0] += before[0]
			case 2:
				r.order.PutUint16(now, r.order.Uint16(now)+r.order.Uint16(before))
			case 4:
				r.order.PutUint32(now, r.order.Uint32(now)+r.order.Uint32(before))
			case 8:
				r.order.PutUint64(now, r.order.Uint64(now)+r.order.Uint64(before))
			}
		}
	case 3: // the row has the highest bytes of all samples first, and bytes are differenced
		for at := r.each; at < len(row); at++ {
			row[at] += row[at-r.each]
		}
		planes := append([]byte(nil), row...)
		n := len(row) / r.size
		for i := range n {
			for k := range r.size {
				row[i*r.size+k] = planes[k*n+i]
			}
		}
	default:
		return fmt.Errorf("predictor %d is not read; 1 to 3 are", r.predictor)
	}
	return nil
}

// unpackBits decodes the run lengths of PackBits, up to limit bytes or slightly more.
func unpackBits(packed []byte, limit int) []byte {
	var out []byte
	for len(packed) > 1 && len(out) < limit {
		n := int(int8(packed[0]))
		switch packed = packed[1:]; {
		case n >= 0:
			n = min(n+1, len(packed))
			out = append(out, packed[:n]...)
			packed = packed[n:]
		case n > math.MinInt8:
			out = append(out, bytes.Repeat(packed[:1], 1-n)...)
			packed = packed[1:]
		}
	}
	return out
}
