package keep

import (
	"bytes"
	"cmp"
	"encoding"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

const errDiffers = "it reads back as something else; please report the cell that makes it"

// has reports whether a file of the image is there.
func (m *Memory) has(name string) bool {
	_, err := os.Stat(filepath.Join(m.folder, name))
	return err == nil
}

// verify reads groups that are new into fresh memory, and walks that and the program's memory in step: the same blocks
// at the same offsets, the same numbers. It marks the blocks that differ, and reports whether there are none. Packing
// the fresh memory again and comparing bytes would be no test, because two passes can make the same mistake.
func (m *Memory) verify(e *encoder, groups []*grouped) (same bool) {
	d := m.newDecoder()
	c := &comparison{encoder: e, fresh: d, maps: map[unsafe.Pointer]uint64{}}
	for _, b := range e.all {
		d.fixed[b.number] = b.p // unless the group is new
	}
	var all []content
	for _, g := range groups {
		if !m.has(g.name) {
			for _, b := range g.blocks {
				delete(d.fixed, b.number)
			}
		}
	}
	bad := func(number uint64) {
		for _, b := range e.all {
			if b.number == number && b.bad == "" {
				b.bad, same = errDiffers, false
			}
		}
	}
	same = true
	var now uint64
	defer func() {
		if r := recover(); r != nil {
			for _, of := range all {
				if now == 0 {
					bad(of.number)
				}
			}
			bad(now)
			same = false
		}
	}()
	for _, b := range e.all {
		if d.fixed[b.number] != nil {
			d.blocks[b.number] = b
		}
	}
	for _, g := range groups {
		if !m.has(g.name) {
			all = append(all, d.group(g.data)...)
		}
	}
	for _, of := range all {
		now = of.number
		d.fill(of)
	}
	now = 0
	c.index()
	for _, of := range all {
		if b := c.numbered[of.number]; of.large == "" && !c.block(b, of.block) {
			bad(of.number)
		}
	}
	return same
}

// comparison walks two graphs in step.
type comparison struct {
	*encoder
	fresh    *decoder
	numbered map[uint64]*block // the program's blocks
	blocks   []*block          // the fresh ones, by address
	maps     map[unsafe.Pointer]uint64
}

// index orders the fresh blocks by address.
func (c *comparison) index() {
	c.numbered = map[uint64]*block{}
	for _, b := range c.all {
		c.numbered[b.number] = b
	}
	for _, b := range c.fresh.blocks {
		if b.n == 0 {
			c.maps[b.p] = b.number
		} else {
			c.blocks = append(c.blocks, b)
		}
	}
	slices.SortFunc(c.blocks, func(a, b *block) int { return cmp.Compare(uintptr(a.p), uintptr(b.p)) })
}

func (c *comparison) block(a, b *block) bool {
	if a == nil || a.of != b.of || a.n != b.n {
		return false
	}
	if a.n == 0 {
		return c.entries(a, b)
	}
	for i := range a.n {
		off := uintptr(i) * a.of.size
		if !c.value(unsafe.Add(a.p, off), unsafe.Add(b.p, off), a.of) {
			return false
		}
	}
	return true
}

// place reports whether two addresses are the same place of the same block.
func (c *comparison) place(a, b unsafe.Pointer) bool {
	if a == nil || b == nil {
		return a == b
	}
	if addresses[a] != "" {
		return a == b
	}
	x, y := within(c.graph.blocks, a), within(c.blocks, b)
	return x != nil && y != nil && x.number == y.number && uintptr(a)-uintptr(x.p) == uintptr(b)-uintptr(y.p)
}

func (c *comparison) value(a, b unsafe.Pointer, s *shape) bool {
	if s.plain || s.form == scalar {
		return bytes.Equal(unsafe.Slice((*byte)(a), s.size), unsafe.Slice((*byte)(b), s.size))
	}
	switch s.form {
	case text:
		return *(*string)(a) == *(*string)(b)
	case slice:
		x, y := (*header)(a), (*header)(b)
		return x.len == y.len && x.cap == y.cap && (x.p == nil) == (y.p == nil) &&
			(x.cap == 0 || s.elem.size == 0 || c.place(x.p, y.p))
	case pointer:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		return s.elem.size == 0 && (x == nil) == (y == nil) || c.place(x, y)
	case table:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		return x == nil && y == nil || x != nil && c.graph.maps[x] != nil && c.graph.maps[x].number == c.maps[y]
	case dynamic:
		x, of := c.behind(a, s)
		y, fresh := c.behind(b, s)
		return of == fresh && (of == nil || of.of.String() == "*reflect.rtype" || c.value(x, y, of))
	case code:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		return (x == nil) == (y == nil) && (x == nil || *(*uintptr)(x) == *(*uintptr)(y))
	case array, structure:
		return s.parts(func(offset uintptr, of *shape) error {
			if !c.value(unsafe.Add(a, offset), unsafe.Add(b, offset), of) {
				return errDamaged
			}
			return nil
		}) == nil
	case clock:
		return (*time.Time)(a).Equal(*(*time.Time)(b)) && (*time.Time)(a).Location().String() ==
			(*time.Time)(b).Location().String()
	case marshalled:
		x, err := reflect.NewAt(s.of, a).Interface().(encoding.BinaryMarshaler).MarshalBinary()
		y, wrong := reflect.NewAt(s.of, b).Interface().(encoding.BinaryMarshaler).MarshalBinary()
		return err == nil && wrong == nil && bytes.Equal(x, y)
	}
	return true
}

// entries compares two maps. Keys that lead somewhere are found by how they are written.
func (c *comparison) entries(a, b *block) bool {
	x, y := reflect.NewAt(a.of.of, unsafe.Pointer(&a.p)).Elem(), reflect.NewAt(b.of.of, unsafe.Pointer(&b.p)).Elem()
	if x.Len() != y.Len() {
		return false
	}
	places := map[string]reflect.Value{}
	written := func(e *encoder, key unsafe.Pointer) string {
		e.out = e.out[:0]
		e.value(key, a.of.key)
		return string(e.out)
	}
	if !a.of.key.inert {
		fresh := &encoder{graph: &graph{walk: c.walk, blocks: c.blocks, maps: map[unsafe.Pointer]*block{}},
			edges: make([][]int, 1), needs: make([][]int, 1), names: map[int][]string{}}
		for _, of := range c.fresh.blocks {
			fresh.maps[of.p] = of
		}
		each(b.p, b.of, func(key, _ unsafe.Pointer) error {
			k := reflect.New(b.of.key.of)
			k.Elem().Set(reflect.NewAt(b.of.key.of, key).Elem())
			places[written(fresh, key)] = k
			return nil
		})
	}
	return each(a.p, a.of, func(key, value unsafe.Pointer) error {
		k := reflect.NewAt(a.of.key.of, key).Elem()
		v := y.MapIndex(k)
		if !a.of.key.inert {
			at, is := places[written(c.encoder, key)]
			if !is || !c.value(key, at.UnsafePointer(), a.of.key) {
				return errDamaged
			}
			v = y.MapIndex(at.Elem())
		}
		if !v.IsValid() {
			if k.Equal(k) { // no NaN
				return errDamaged
			}
			return nil
		}
		fresh := reflect.New(a.of.elem.of)
		fresh.Elem().Set(v)
		if !c.value(value, fresh.UnsafePointer(), a.of.elem) {
			return errDamaged
		}
		return nil
	}) == nil
}
