package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// tiff is the first image of a TIFF file (TIFF 6.0, Adobe 1992) or of a BigTIFF, which has more bytes for places and
// counts: its tags, and the bytes of the file, into which the tags point.
type tiff struct {
	data  []byte
	order binary.ByteOrder
	big   bool
	tags  map[uint16]tiffTag
	next  int // place of the next directory, 0 if there is none
}

// tiffTag is the value of one tag: the bytes of numbers of one type.
type tiffTag struct {
	kind uint16
	data []byte
}

// Tags that are read.
const (
	tagSubfile        = 254
	tagWidth          = 256
	tagHeight         = 257
	tagBits           = 258
	tagCompression    = 259
	tagPhotometric    = 262
	tagFillOrder      = 266
	tagDescription    = 270
	tagStripOffsets   = 273
	tagOrientation    = 274
	tagSamples        = 277
	tagRowsPerStrip   = 278
	tagStripBytes     = 279
	tagPlanar         = 284
	tagPredictor      = 317
	tagTileWidth      = 322
	tagTileHeight     = 323
	tagTileOffsets    = 324
	tagTileBytes      = 325
	tagSampleFormat   = 339
	tagPixelScale     = 33550
	tagTiepoint       = 33922
	tagTransformation = 34264
	tagGeoKeys        = 34735
	tagNoData         = 42113
	tagRPC            = 50844
)

// tiffSizes are the sizes in bytes of a number of each type, from 1: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE,
// UNDEFINED, SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE, IFD, and from 16 those of BigTIFF: LONG8, SLONG8, IFD8.
var tiffSizes = [...]int{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8}

func parseTIFF(data []byte) (*tiff, error) {
	t := &tiff{data: data, tags: map[uint16]tiffTag{}}
	switch {
	case bytes.HasPrefix(data, []byte("II")):
		t.order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("MM")):
		t.order = binary.BigEndian
	default:
		return nil, errors.New("tiff: the file does not begin as a TIFF file does")
	}
	head, err := t.bytes(2, 6)
	if err != nil {
		return nil, err
	}
	at := t.count(head[2:])
	switch version := t.order.Uint16(head); version {
	case 42:
	case 43:
		t.big = true
		if head, err = t.bytes(8, 8); err != nil {
			return nil, err
		}
		at = t.count(head)
	default:
		return nil, fmt.Errorf("tiff: version %d is not known", version)
	}
	t.next, err = t.directory(at, func(id, kind uint16, n int, inline []byte) error {
		if int(kind) >= len(tiffSizes) || n < 0 || n > len(data) {
			return nil // The standard asks to ignore unknown types. A broken tag that is needed is reported later.
		}
		size := n * tiffSizes[kind]
		value := inline
		if size > len(inline) {
			if value, err = t.bytes(t.count(inline), size); err != nil {
				return fmt.Errorf("tag %d: %w", id, err)
			}
		}
		t.tags[id] = tiffTag{kind, value[:size]}
		return nil
	})
	return t, err
}

// count reads a place or a count, which has 8 bytes in a BigTIFF and else 4. It is negative if it is too large.
func (t *tiff) count(b []byte) int {
	if t.big {
		return int(t.order.Uint64(b))
	}
	return int(t.order.Uint32(b))
}

// directory visits the tags of a directory, with the bytes that have their values or the places of these. It returns
// the place of the next directory, or 0 if there is none.
func (t *tiff) directory(at int, visit func(id, kind uint16, n int, inline []byte) error) (next int, err error) {
	counts, word := 2, 4
	if t.big {
		counts, word = 8, 8
	}
	head, err := t.bytes(at, counts)
	if err != nil {
		return 0, err
	}
	n, each := int(t.order.Uint16(head)), 4+2*word
	if t.big {
		if n = t.count(head); n < 0 || n > len(t.data) {
			n = len(t.data) // more than there can be
		}
	}
	entries, err := t.bytes(at+counts, n*each)
	if err != nil {
		return 0, err
	}
	for ; len(entries) > 0; entries = entries[each:] {
		err := visit(t.order.Uint16(entries), t.order.Uint16(entries[2:]), t.count(entries[4:]), entries[4+word:each])
		if err != nil {
			return 0, err
		}
	}
	if last, err := t.bytes(at+counts+n*each, word); err == nil {
		next = t.count(last)
	}
	return next, nil
}

// masked reports whether a further directory is a mask of the image, in which 0 marks missing pixels. It is an error if
// a directory lies beyond the end of the file, because it may be a mask, and if it is another page of the same size.
func (t *tiff) masked() (masked bool, err error) {
	const reduced, mask = 1, 4 // in the tag of the kind of a directory
	w, _ := t.number(tagWidth, 0)
	h, _ := t.number(tagHeight, 0)
	at := t.next
	for range 100 { // a broken file may have a loop
		if at == 0 || masked || err != nil {
			break
		}
		kind, size := 0, [2]int{}
		at, err = t.directory(at, func(id, of uint16, n int, inline []byte) error {
			v := 0
			switch {
			case of == 3:
				v = int(t.order.Uint16(inline))
			case of == 4:
				v = int(t.order.Uint32(inline))
			}
			switch id {
			case tagSubfile:
				kind = v
			case tagWidth:
				size[0] = v
			case tagHeight:
				size[1] = v
			}
			return nil
		})
		if masked = kind&mask != 0; err == nil && kind&(reduced|mask) == 0 && size == [2]int{w, h} {
			err = errors.New("tiff: it has several pages of the same size; write the one that you mean, as by " +
				"gdal_translate GTIFF_DIR:1:old.tif new.tif")
		}
	}
	return masked, err
}

// bytes returns n bytes of the file, from at on.
func (t *tiff) bytes(at, n int) ([]byte, error) {
	if at < 0 || n < 0 || at > len(t.data)-n {
		return nil, fmt.Errorf("tiff: %d bytes at %d are needed, the file has %d; it was cut: copy it again", n, at,
			len(t.data))
	}
	return t.data[at : at+n], nil
}

// ints returns the whole numbers of a tag, nil if the tag is missing or of another type.
func (t *tiff) ints(id uint16) []int {
	tag := t.tags[id]
	var out []int
	for b := tag.data; len(b) > 0; b = b[tiffSizes[tag.kind]:] {
		switch tag.kind {
		case 1:
			out = append(out, int(b[0]))
		case 3:
			out = append(out, int(t.order.Uint16(b)))
		case 4, 13:
			out = append(out, int(t.order.Uint32(b)))
		case 16, 18:
			out = append(out, int(t.order.Uint64(b)))
		default:
			return nil
		}
	}
	return out
}

// number returns the whole number of a tag, or fallback if it is missing. The number must be the same for all samples.
func (t *tiff) number(id uint16, fallback int) (int, error) {
	v := t.ints(id)
	if len(v) == 0 {
		return fallback, nil
	}
	for _, other := range v {
		if other != v[0] {
			return 0, fmt.Errorf("tiff: tag %d is %v; all samples must have the same format; convert the file", id, v)
		}
	}
	return v[0], nil
}

// floats returns the numbers of a tag of doubles, nil if the tag is missing or of another type.
func (t *tiff) floats(id uint16) []float64 {
	tag := t.tags[id]
	if tag.kind != 12 {
		return nil
	}
	out := make([]float64, len(tag.data)/8)
	for i := range out {
		out[i] = math.Float64frombits(t.order.Uint64(tag.data[8*i:]))
	}
	return out
}

// text returns the text of a tag of characters.
func (t *tiff) text(id uint16) string { return strings.Trim(string(t.tags[id].data), "\x00 \n") }
