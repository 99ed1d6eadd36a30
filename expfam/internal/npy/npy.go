// Package npy reads the arrays of NumPy: files .npy, formats 1 to 3, also inside of an archive .npz.
//
// (The well-known github.com/sbinet/npyio v0.6.0 does not notice a file that was cut, and does not know format 3.)
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

var (
	descrOf   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([<>=|]?)([a-zA-Z])(\d+)['"]`)
	objectsOf = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]\|?O['"]`)
	orderOf   = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	shapeOf   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L,\s]*)\)`)
)

// head is what a header says.
type head struct {
	kind  string // such as "f8"
	big   bool   // the bytes of a number begin with the high ones
	order string // "True" if the first index runs fastest
	shape []int
	text  string // the shape as the header has it
	n     int    // number of values
	body  []byte
}

// headOf reads the header.
func headOf(data []byte) (h head, err error) {
	header, body, err := split(data)
	if err != nil {
		return h, err
	}
	descr, order, shape := descrOf.FindStringSubmatch(header), orderOf.FindStringSubmatch(header),
		shapeOf.FindStringSubmatch(header)
	if order == nil || shape == nil {
		return h, fmt.Errorf("npy: the header %.80q has no order or shape", header)
	}
	if objectsOf.MatchString(header) {
		return h, errors.New("npy: it holds Python's objects, such as rows of unequal lengths; save numbers of one " +
			"shape, by a.astype(numpy.float64), and texts by a.astype(str)")
	}
	if descr == nil {
		return h, fmt.Errorf("npy: the header %.80q has no simple type; save plain numbers, such as "+
			"a.astype(numpy.float32)", header)
	}
	h = head{kind: descr[2] + descr[3], big: descr[1] == ">", order: order[1], n: 1, body: body,
		text: strings.Join(strings.Fields(shape[1]), " ")}
	for dim := range strings.FieldsFuncSeq(shape[1], func(r rune) bool {
		return r == ',' || r == ' ' || r == 'L' || r == '\n'
	}) {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 || h.n > len(body)/d {
			return h, fmt.Errorf("npy: shape (%s) needs more than the %d bytes that follow, or is empty", h.text,
				len(body))
		}
		h.shape = append(h.shape, d)
		h.n *= d
	}
	return h, nil
}

// holds refuses a body that is not n values of a size.
func (h head) holds(size int) error {
	if h.n*size != len(h.body) {
		return fmt.Errorf("npy: shape (%s) of %d bytes each needs %d bytes, the file has %d; it was cut "+
			"or holds more", h.text, size, h.n*size, len(h.body))
	}
	return nil
}

// Decode returns the shape and the values of an array of numbers, in C order.
func Decode(data []byte) (shape []int, values []float64, err error) {
	h, err := headOf(data)
	if err != nil {
		return nil, nil, err
	}
	number, size := Number(h.kind, h.big)
	if number == nil {
		return nil, nil, fmt.Errorf("npy: type %s is not read; save a.astype(numpy.float64)", h.kind)
	}
	if err := h.holds(size); err != nil {
		return nil, nil, err
	}
	values = make([]float64, h.n)
	for i := range values {
		v, exact := number(h.body[i*size:])
		if !exact {
			return nil, nil, fmt.Errorf("npy: value %d is an integer that float64 does not hold; save smaller "+
				"numbers or floats", i)
		}
		values[i] = v
	}
	if h.order == "True" {
		values = fromFortran(h.shape, values)
	}
	return h.shape, values, nil
}

// Texts returns the values of an array of one dimension of texts, numpy's types U and S.
func Texts(data []byte) ([]string, error) {
	h, err := headOf(data)
	if err != nil {
		return nil, err
	}
	each, err := strconv.Atoi(h.kind[1:])
	if err != nil || len(h.shape) != 1 || each < 1 || each > 1<<16 || h.kind[0] != 'U' && h.kind[0] != 'S' {
		return nil, fmt.Errorf("npy: type %s of shape %v is no list of texts; save numpy.array([...], dtype=str)",
			h.kind, h.shape)
	}
	width := 1
	var order binary.ByteOrder = binary.LittleEndian
	if h.kind[0] == 'U' {
		width = 4
	}
	if h.big {
		order = binary.BigEndian
	}
	if err := h.holds(each * width); err != nil {
		return nil, err
	}
	all := make([]string, h.n)
	for i := range all {
		raw := h.body[i*each*width : (i+1)*each*width]
		if width == 1 {
			all[i] = strings.ToValidUTF8(strings.TrimRight(string(raw), "\x00"), "?")
			continue
		}
		var b strings.Builder
		for k := 0; k < len(raw); k += 4 {
			if r := rune(order.Uint32(raw[k:])); r != 0 {
				b.WriteRune(r)
			}
		}
		all[i] = b.String()
	}
	return all, nil
}

func split(data []byte) (header string, body []byte, err error) {
	if bytes.HasPrefix(data, []byte("PK")) {
		return "", nil, errors.New("npy: this is an archive (.npz); unpack it, and give one of its files .npy")
	}
	if !bytes.HasPrefix(data, []byte(magic)) || len(data) < 12 {
		return "", nil, fmt.Errorf("npy: the file does not begin as a .npy file does")
	}
	begin, length := 10, int(binary.LittleEndian.Uint16(data[8:]))
	if v := data[6]; v == 2 || v == 3 {
		begin, length = 12, int(binary.LittleEndian.Uint32(data[8:]))
	} else if v != 1 {
		return "", nil, fmt.Errorf("npy: format %d.%d is not known; 1 to 3 are", v, data[7])
	}
	if length > len(data)-begin {
		return "", nil, fmt.Errorf("npy: a header of %d bytes in a file of %d; it was cut", length, len(data))
	}
	return string(data[begin : begin+length]), data[begin+length:], nil
}

// Number returns the size of a number of the given type, and a function that reads it
// and says whether float64 holds it exactly. The function is nil if the type is not read.
func Number(kind string, big bool) (read func([]byte) (v float64, exact bool), size int) {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	sure := func(f func([]byte) float64) func([]byte) (float64, bool) {
		return func(b []byte) (float64, bool) { return f(b), true }
	}
	switch kind {
	case "b1", "u1":
		return sure(func(b []byte) float64 { return float64(b[0]) }), 1
	case "i1":
		return sure(func(b []byte) float64 { return float64(int8(b[0])) }), 1
	case "u2":
		return sure(func(b []byte) float64 { return float64(order.Uint16(b)) }), 2
	case "i2":
		return sure(func(b []byte) float64 { return float64(int16(order.Uint16(b))) }), 2
	case "u4":
		return sure(func(b []byte) float64 { return float64(order.Uint32(b)) }), 4
	case "i4":
		return sure(func(b []byte) float64 { return float64(int32(order.Uint32(b))) }), 4
	case "f4":
		return sure(func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }), 4
	case "f8":
		return sure(func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }), 8
	case "u8":
		return func(b []byte) (float64, bool) {
			v := order.Uint64(b)
			return float64(v), v <= 1<<53
		}, 8
	case "i8":
		return func(b []byte) (float64, bool) {
			v := int64(order.Uint64(b))
			return float64(v), v <= 1<<53 && v >= -1<<53
		}, 8
	}
	return nil, 0
}

// fromFortran reorders values whose first index runs fastest into C order.
func fromFortran(shape []int, values []float64) []float64 {
	out := make([]float64, len(values))
	index := make([]int, len(shape))
	for _, v := range values {
		at := 0
		for k, i := range index {
			at = at*shape[k] + i
		}
		out[at] = v
		for k := range index {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return out
}
