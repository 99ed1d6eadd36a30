package raster

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"

	"golang.org/x/image/tiff/lzw"
)

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
