package store

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// tensors cuts data into the tensors of the header and returns them in the order of their
// offsets. The offsets must cover data without gap or overlap.
func tensors(entries map[string]entry, data []byte) ([]Tensor, error) {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		// Empty tensors share their offset with the next one.
		if c := slices.Compare(x[:], y[:]); c != 0 {
			return c
		}
		return slices.Compare([]byte(a), []byte(b))
	})
	list := make([]Tensor, 0, len(names))
	at := 0
	for _, name := range names {
		e := entries[name]
		if e.Offsets[0] != at || e.Offsets[1] < at || e.Offsets[1] > len(data) {
			return nil, fmt.Errorf("tensor %q lies at %v, want a start at %d and an end within %d bytes",
				name, e.Offsets, at, len(data))
		}
		raw := data[at:e.Offsets[1]]
		at = e.Offsets[1]
		size := map[string]int{"F32": 4, "F64": 8}[e.DType]
		if size == 0 {
			return nil, fmt.Errorf("tensor %q has the unknown type %q", name, e.DType)
		}
		n, ok := elements(e.Shape)
		if !ok || n != len(raw)/size || len(raw)%size != 0 {
			return nil, fmt.Errorf("tensor %q: %d bytes of %s do not fill the shape %v",
				name, len(raw), e.DType, e.Shape)
		}
		t := Tensor{Name: name, Shape: e.Shape}
		if size == 4 {
			t.Data = make([]float32, n)
		} else {
			t.Data = make([]float64, n)
		}
		if _, err := binary.Decode(raw, binary.LittleEndian, t.Data); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		list = append(list, t)
	}
	if at != len(data) {
		return nil, fmt.Errorf("%d bytes follow the last tensor", len(data)-at)
	}
	return list, nil
}

// elements returns the number of elements of a shape. It returns false if an entry of the shape is negative, or if the
// number is too large for this machine.
func elements(shape []int) (int, bool) {
	n := 1
	for _, extent := range shape {
		if extent < 0 || (extent > 0 && n > math.MaxInt/8/extent) {
			return 0, false
		}
		n *= extent
	}
	return n, true
}
