package raster

import (
	"encoding/binary"
	"fmt"
)

// tiffEntry is a tag to be written. Its value is a []byte (characters), []uint16,
// []uint32 or []float64.
type tiffEntry struct {
	id    uint16
	value any
}

// tiffDirectory returns the bytes of the directory of the only image of a little-endian
// file, followed by the values that do not fit into the directory. It is written at the
// offset at, which must be even. Tags must ascend.
func tiffDirectory(at uint32, tags []tiffEntry) ([]byte, error) {
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
	out = order.AppendUint32(out, 0) // there is no further image
	return append(out, values...), nil
}
