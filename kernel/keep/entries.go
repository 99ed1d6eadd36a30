package keep

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"reflect"
	"slices"
	"unsafe"
)

// anyMap is the shape in which the entries of a sync.Map are written.
func anyMap() *shape { return shapeOf(reflect.TypeFor[map[any]any]()) }

// entries finds what the entries of a map lead to.
func (w *walk) entries(r region) error {
	if r.of.key.inert && r.of.elem.inert {
		return nil
	}
	return each(r.p, r.of, func(key, value unsafe.Pointer) error {
		if err := w.value(key, r.of.key); err != nil {
			return err
		}
		return w.value(value, r.of.elem)
	})
}

// each visits the entries of a map. The pointers are to copies, which are the same memory each time.
func each(p unsafe.Pointer, s *shape, visit func(key, value unsafe.Pointer) error) error {
	m := reflect.NewAt(s.of, unsafe.Pointer(&p)).Elem()
	key, value := reflect.New(s.key.of), reflect.New(s.elem.of)
	for iter := m.MapRange(); iter.Next(); {
		key.Elem().SetIterKey(iter)
		value.Elem().SetIterValue(iter)
		if err := visit(key.UnsafePointer(), value.UnsafePointer()); err != nil {
			return err
		}
	}
	return nil
}

// entry is where an entry of a map was written, where its value begins, and where it ends.
type entry struct{ from, value, end int }

// entries writes a map.
func (e *encoder) entries(b *block) error {
	n := reflect.NewAt(b.of.of, unsafe.Pointer(&b.p)).Elem().Len()
	all, start, sum := make([]entry, 0, n), len(e.out), uint64(0)
	err := each(b.p, b.of, func(key, value unsafe.Pointer) error {
		of := entry{from: len(e.out)}
		if err := e.value(key, b.of.key); err != nil {
			return err
		}
		of.value = len(e.out)
		err := e.value(value, b.of.elem)
		of.end = len(e.out)
		all = append(all, of)
		sum += maphash.Bytes(seed, e.out[of.from:of.end])
		return err
	})
	if n, size := binary.Uvarint(b.data); size > 0 && n == uint64(len(all)) && sum == b.sum &&
		len(e.out)-start == len(b.data)-size {
		e.out = append(e.out[:start], b.data...) // it has not changed
		return err
	}
	e.ordered(start, all)
	return err
}

// ordered puts entries that were written from a place on into the order of their keys as they are written, with their
// number before them, so that equal maps are equal bytes.
func (e *encoder) ordered(start int, all []entry) {
	written := bytes.Clone(e.out[start:])
	part := func(from, to int) []byte { return written[from-start : to-start] }
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(bytes.Compare(part(a.from, a.value), part(b.from, b.value)),
			bytes.Compare(part(a.value, a.end), part(b.value, b.end))) // several NaN
	})
	e.out = e.out[:start]
	e.uint(uint64(len(all)))
	for _, of := range all {
		e.out = append(e.out, part(of.from, of.end)...)
	}
}

// entries fills a map, and returns the sum of the hashes of its entries as they are written.
func (d *decoder) entries(p unsafe.Pointer, s *shape) (sum uint64) {
	m := reflect.NewAt(s.of, unsafe.Pointer(&p)).Elem()
	key, value := reflect.New(s.key.of), reflect.New(s.elem.of)
	for range d.count() {
		key.Elem().SetZero()
		value.Elem().SetZero()
		start := d.in
		d.value(key.UnsafePointer(), s.key)
		d.value(value.UnsafePointer(), s.elem)
		sum += maphash.Bytes(seed, start[:len(start)-len(d.in)])
		m.SetMapIndex(key.Elem(), value.Elem())
	}
	return sum
}

// seed is that of the hashes by which a program finds that a map has not changed.
var seed = maphash.MakeSeed()
