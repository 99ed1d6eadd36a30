package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/safefile"
)

// Array is a NumPy array. Its values are in C order, whatever their order in the file.
type Array struct {
	Shape  []int
	Values []float64
}

// Field returns a two-dimensional array as a field with row 0 on top. Cells that are NaN are outside.
func (a Array) Field() (grid.Field, error) {
	if len(a.Shape) != 2 {
		return grid.Field{}, fmt.Errorf("raster: an array of shape %v is no field; it needs rows and columns", a.Shape)
	}
	return grid.Grid{Rows: a.Shape[0], Cols: a.Shape[1]}.Field(append([]float64(nil), a.Values...))
}

// ReadNPY reads a .npy file, format 1 to 3, of booleans, integers or floats of 32 or 64 bits in either byte order.
// Integers that float64 does not hold are an error, and so is a file that is shorter or longer than its header says.
//
// (The well-known github.com/sbinet/npyio v0.6.0 does not notice a file that was cut, and does not know format 3.)
func ReadNPY(path string) (Array, error) {
	data, err := safefile.Read(path, math.MaxInt64)
	if err != nil {
		return Array{}, fmt.Errorf("raster: %w", err)
	}
	a, err := decodeNPY(data)
	if err != nil {
		return Array{}, fmt.Errorf("raster: %s: %w", path, err)
	}
	return a, nil
}

const npyMagic = "\x93NUMPY"

var (
	npyDescr = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([<>=|]?)([a-zA-Z])(\d+)['"]`)
	npyOrder = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L,\s]*)\)`)
)

func decodeNPY(data []byte) (Array, error) {
	header, body, err := npyHeader(data)
	if err != nil {
		return Array{}, err
	}
	descr, order, shape := npyDescr.FindStringSubmatch(header), npyOrder.FindStringSubmatch(header),
		npyShape.FindStringSubmatch(header)
	if order == nil || shape == nil {
		return Array{}, fmt.Errorf("npy: the header %.80q has no order or shape", header)
	}
	if descr == nil {
		return Array{}, fmt.Errorf("npy: the header %.80q has no simple type; save plain numbers, such as "+
			"a.astype(numpy.float32)", header)
	}
	number, size := npyNumber(descr[2]+descr[3], descr[1] == ">")
	if number == nil {
		return Array{}, fmt.Errorf("npy: type %s is not read; save a.astype(numpy.float64)", descr[2]+descr[3])
	}
	text := strings.Join(strings.Fields(shape[1]), " ") // for errors, on one line
	a := Array{}
	n := 1
	for dim := range strings.FieldsFuncSeq(shape[1], func(r rune) bool {
		return r == ',' || r == ' ' || r == 'L' || r == '\n'
	}) {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 || n > len(body)/d {
			return Array{}, fmt.Errorf("npy: shape (%s) needs more than the %d bytes that follow, or is empty", text,
				len(body))
		}
		a.Shape = append(a.Shape, d)
		n *= d
	}
	if n*size != len(body) {
		return Array{}, fmt.Errorf("npy: shape (%s) of %d bytes each needs %d bytes, the file has %d; it was cut "+
			"or holds more", text, size, n*size, len(body))
	}
	a.Values = make([]float64, n)
	for i := range a.Values {
		v, exact := number(body[i*size:])
		if !exact {
			return Array{}, fmt.Errorf("npy: value %d is an integer that float64 does not hold; save smaller "+
				"numbers or floats", i)
		}
		a.Values[i] = v
	}
	if order[1] == "True" {
		a.Values = fromFortran(a.Shape, a.Values)
	}
	return a, nil
}

func npyHeader(data []byte) (header string, body []byte, err error) {
	if !bytes.HasPrefix(data, []byte(npyMagic)) || len(data) < 12 {
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

// npyNumber returns the size of a number of the given type, and a function that reads it
// and says whether float64 holds it exactly. The function is nil if the type is not read.
func npyNumber(kind string, big bool) (read func([]byte) (v float64, exact bool), size int) {
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
