package zarr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
)

// crc32c is the codec that appends the checksum of Castagnoli's polynomial to the values of a file. zarr-python
// verifies it.
const crc32c = "crc32c"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// codecs returns the codecs of arrays of a data type, without the one of the checksum.
func codecs(kind string) []named {
	switch kind {
	case truth:
		return []named{{Name: "bytes"}} // a byte has no order
	case text:
		return []named{{Name: "vlen-utf8"}}
	}
	return []named{{"bytes", map[string]any{"endian": "little"}}}
}

// sealed reports whether files have a checksum at their end. Other codecs than those of this package are an error.
func (n node) sealed() (bool, error) {
	all := n.Codecs
	last := len(all) > 0 && all[len(all)-1].Name == crc32c && len(all[len(all)-1].Configuration) == 0
	if last {
		all = all[:len(all)-1]
	}
	want := codecs(n.DataType)
	if len(all) != 1 || all[0].Name != want[0].Name || len(n.Transformers) > 0 {
		return false, errors.New("it is compressed, or not an array as expfam writes them; open it in Python")
	}
	order, little := all[0].Configuration, want[0].Configuration
	switch {
	case reflect.DeepEqual(order, little), len(order)+len(little) == 0:
		return last, nil
	case n.DataType == truth && len(order) == 1 && order["endian"] != nil: // allowed, though a byte has no order
		return last, nil
	}
	return false, fmt.Errorf("its bytes are in the order %v, and expfam writes the little ones first; open it in "+
		"Python", order["endian"])
}

// seal appends the checksum.
func seal(raw []byte) []byte {
	return binary.LittleEndian.AppendUint32(raw, crc32.Checksum(raw, castagnoli))
}

// unseal returns the content in front of the checksum.
func unseal(raw []byte) ([]byte, error) {
	n := len(raw) - crc32.Size
	if n < 0 || binary.LittleEndian.Uint32(raw[n:]) != crc32.Checksum(raw[:n], castagnoli) {
		return nil, errors.New("its checksum crc32c does not agree with its values, so it is damaged; take a copy")
	}
	return raw[:n], nil
}

// length returns the number of bytes of a file with this number of values; at most 1 GiB for texts, whose lengths
// differ.
func length(kind string, values int) int64 {
	return map[string]int64{float: 8 * int64(values), whole: 8 * int64(values), truth: int64(values),
		text: 1 << 30}[kind]
}

// decode appends the values of a file, whose number is count, to Data.
func (a *Array) decode(raw []byte, count int) error {
	wrong := fmt.Errorf("%d bytes for %d values; the file is cut off or of another array", len(raw), count)
	kind, _, _ := a.kind()
	if size := length(kind, count); kind != text && int64(len(raw)) != size {
		return wrong
	}
	switch v := a.Data.(type) {
	case []float64:
		a.Data = decoded(v, raw, count)
	case []int64:
		a.Data = decoded(v, raw, count)
	case []bool:
		if i := slices.IndexFunc(raw, func(b byte) bool { return b > 1 }); i >= 0 {
			return fmt.Errorf("the byte %d is no truth value", raw[i])
		}
		a.Data = decoded(v, raw, count)
	case []string:
		if len(raw) < 4 || int64(binary.LittleEndian.Uint32(raw)) != int64(count) {
			return wrong
		}
		raw = raw[4:]
		for range count {
			if len(raw) < 4 || uint64(len(raw)-4) < uint64(binary.LittleEndian.Uint32(raw)) {
				return wrong
			}
			n := int(binary.LittleEndian.Uint32(raw))
			v, raw = append(v, string(raw[4:4+n])), raw[4+n:]
		}
		if len(raw) > 0 {
			return wrong
		}
		a.Data = v
	}
	return nil
}

// decoded appends the values of a file to v.
func decoded[T any](v []T, raw []byte, count int) []T {
	v = append(v, make([]T, count)...)
	binary.Decode(raw, binary.LittleEndian, v[len(v)-count:])
	return v
}

// encode returns the values with indices from ≤ i < to, as the bytes of the format with their checksum.
func (a Array) encode(from, to int) []byte {
	kind, _, _ := a.kind()
	var out []byte
	if kind != text {
		out = make([]byte, 0, length(kind, to-from)+crc32.Size)
	}
	switch v := a.Data.(type) {
	default:
		out, _ = binary.Append(out, binary.LittleEndian, reflect.ValueOf(v).Slice(from, to).Interface())
	case []string: // numcodecs' VLenUTF8: the number of strings, then each string after its length
		out = binary.LittleEndian.AppendUint32(out, uint32(to-from))
		for _, x := range v[from:to] {
			out = append(binary.LittleEndian.AppendUint32(out, uint32(len(x))), x...)
		}
	}
	return seal(out)
}
