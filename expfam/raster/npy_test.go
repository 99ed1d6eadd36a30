package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// npyFile writes what numpy.save does: magic, version, a header padded to 64 bytes, the numbers.
func npyFile(version byte, descr string, fortran bool, shape string, numbers any) string {
	order := binary.ByteOrder(binary.LittleEndian)
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
		map[bool]string{true: "True", false: "False"}[fortran], shape)
	begin := 10
	if version > 1 {
		begin = 12
	}
	header += strings.Repeat(" ", 63-(begin+len(header))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY")
	b.Write([]byte{version, 0})
	if version == 1 {
		binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	} else {
		binary.Write(&b, binary.LittleEndian, uint32(len(header)))
	}
	b.WriteString(header)
	binary.Write(&b, order, numbers)
	return b.String()
}

func TestNPYTypesAndOrders(t *testing.T) {
	want := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		version byte
		descr   string
		fortran bool
		numbers any
	}{
		{1, "<f8", false, []float64{1, 2, 3, 4, 5, 6}},
		{2, ">f8", false, []float64{1, 2, 3, 4, 5, 6}},
		{3, "<f4", false, []float32{1, 2, 3, 4, 5, 6}},
		{1, ">f4", true, []float32{1, 4, 2, 5, 3, 6}},
		{1, "|u1", false, []uint8{1, 2, 3, 4, 5, 6}},
		{1, "|i1", true, []int8{1, 4, 2, 5, 3, 6}},
		{1, "<i2", false, []int16{1, 2, 3, 4, 5, 6}},
		{1, ">u2", false, []uint16{1, 2, 3, 4, 5, 6}},
		{1, "<i4", false, []int32{1, 2, 3, 4, 5, 6}},
		{1, ">u4", false, []uint32{1, 2, 3, 4, 5, 6}},
		{1, "<i8", false, []int64{1, 2, 3, 4, 5, 6}},
		{1, ">u8", true, []uint64{1, 4, 2, 5, 3, 6}},
	} {
		a, err := ReadNPY(write(t, "a.npy", npyFile(c.version, c.descr, c.fortran, "(2, 3)", c.numbers)))
		must.Be(t, err == nil && slices.Equal(a.Shape, []int{2, 3}) && slices.Equal(a.Values, want),
			"%s, version %d, fortran %v: %+v, %v", c.descr, c.version, c.fortran, a, err)
		f, err := a.Field()
		must.Be(t, err == nil && f.Grid.Rows == 2 && f.Values[3] == 4, "%s: field %+v, %v", c.descr, f, err)
	}
	// A 2 × 2 × 2 stack in Fortran order: the value is 100 i + 10 j + k.
	a, err := ReadNPY(write(t, "a.npy", npyFile(1, "<i2", true, "(2, 2, 2)",
		[]int16{0, 100, 10, 110, 1, 101, 11, 111})))
	must.Be(t, err == nil && slices.Equal(a.Values, []float64{0, 1, 10, 11, 100, 101, 110, 111}), "%+v, %v", a, err)
	b, err := ReadNPY(write(t, "b.npy", npyFile(1, "|b1", false, "(3,)", []bool{true, false, true})))
	must.Be(t, err == nil && slices.Equal(b.Values, []float64{1, 0, 1}) && slices.Equal(b.Shape, []int{3}),
		"%+v, %v", b, err)
}

func TestNPYRefuses(t *testing.T) {
	good := npyFile(1, "<f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6})
	for name, c := range map[string]struct{ text, says string }{
		"cut":        {good[:len(good)-1], "needs 48 bytes|47"},
		"longer":     {good + "x", "49"},
		"cut header": {good[:40], "header"},
		"archive":    {"PK\x03\x04 a zip file", "unpack it, and give one of its files .npy"},
		"magic":      {"a text of some length", "does not begin"},
		"version":    {good[:6] + "\x09" + good[7:], "format 9"},
		"half":       {npyFile(1, "<f2", false, "(1,)", []uint16{0}), "f2|astype"},
		"complex":    {npyFile(1, "<c8", false, "(1,)", []uint64{0}), "c8"},
		"object":     {npyFile(1, "|O", false, "(1,)", []uint64{0}), "astype"},
		"huge":       {npyFile(1, "<f8", false, "(4294967296, 4294967296)", []float64{1}), "4294967296"},
		"too exact":  {npyFile(1, "<i8", false, "(1,)", []int64{1<<53 + 1}), "value 0"},
		"empty":      {npyFile(1, "<f8", false, "(0, 3)", []float64{}), "empty"},
		"two lines":  {npyFile(1, "<f8", false, "(2,\r\n4)", []float64{1}), "shape (2, 4)"}, // on one line
	} {
		_, err := ReadNPY(write(t, "bad.npy", c.text))
		must.Says(t, name, err, c.says+"|bad.npy")
	}
	must.Refuse((Array{Shape: []int{3}, Values: make([]float64, 3)}).Field())(t)
}
