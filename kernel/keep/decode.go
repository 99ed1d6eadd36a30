package keep

import (
	"cmp"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

var (
	errDamaged = errors.New("keep: the value of another cell is damaged")
	errGone    = errors.New("keep: the value of another cell was removed")
)

// decoder reads groups.
type decoder struct {
	*Memory
	in     []byte
	blocks map[uint64]*block
	former *former                   // of the group that is read
	fixed  map[uint64]unsafe.Pointer // memory that blocks have already
	// packages has the variables of packages whose memory blocks become; nil for a copy.
	packages map[string]reflect.Value
	// rebuild are the values that make some of their fields when everything is read.
	rebuild []rebuilder
}

func (m *Memory) newDecoder() *decoder {
	return &decoder{Memory: m, blocks: map[uint64]*block{}, former: &former{}, fixed: map[uint64]unsafe.Pointer{}}
}

// former is what types of cells were when a group was written. Groups may have been written before and after a cell
// defined a type anew.
type former struct {
	layouts map[string]layout
	shapes  map[*shape]*shape // as values were written
}

func newFormer(g *Group) *former { return &former{g.Layouts, map[*shape]*shape{}} }

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.in)
	if size <= 0 {
		panic(errDamaged)
	}
	d.in = d.in[size:]
	return n
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.in)) {
		panic(errDamaged)
	}
	data := d.in[:n]
	d.in = d.in[n:]
	return data
}

func (d *decoder) text() string { return string(d.bytes(d.uint())) }

// count reads how many things follow, each of at least a byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.in)) {
		panic(errDamaged)
	}
	return int(n)
}

// name reads the index of a type.
func (d *decoder) name() string {
	i := d.uint()
	if i >= uint64(len(d.manifest.Names)) {
		panic(errDamaged)
	}
	return d.manifest.Names[i]
}

func (d *decoder) typeNamed(name string) reflect.Type {
	t := d.types[name]
	if t == nil {
		panic(fmt.Errorf("keep: the value of another cell holds a %s, which this program does not have",
			strings.NewReplacer(`"main".`, "", `"`, "", hidden, "").Replace(name)))
	}
	return t
}

// content is a block whose values are still to be read.
type content struct {
	*block
	data   []byte
	former *former
}

// group makes the memory of all blocks of a group. Their contents are filled when all groups have their blocks.
func (d *decoder) group(data []byte) (all []content) {
	d.in = data
	for len(d.in) > 0 {
		size := d.uint()
		rest := d.in[min(size, uint64(len(d.in))):]
		d.in = d.bytes(size)
		b := &block{number: d.uint()}
		b.of = shapeOf(d.typeNamed(d.name()))
		b.n, b.name = int(d.uint()), d.text()
		d.allocate(b)
		d.blocks[b.number] = b
		all = append(all, content{b, d.in, d.former})
		d.in = rest
	}
	return all
}

// allocate makes the memory of a block, before its content is read.
func (d *decoder) allocate(b *block) {
	is := d.as(b.of)
	b.was = is
	switch at, fixed := d.fixed[b.number]; {
	case fixed:
		b.p = at
	case d.packages[b.name].IsValid() && b.n == 1 && d.packages[b.name].Type().Elem() == b.of.of:
		b.p = d.packages[b.name].UnsafePointer()
	case b.of.form == table && b.n == 0:
		n, _ := binary.Uvarint(d.in)
		b.p = reflect.MakeMapWithSize(b.of.of, int(min(n, uint64(len(d.in))))).UnsafePointer()
	case is.plain && b.size() >= largeSize:
		in := d.in
		b.large, b.p = d.file(b)
		d.in = in
	case b.n == 1:
		b.p = reflect.New(b.of.of).UnsafePointer()
	default:
		if b.n < 0 || uint64(b.n) > uint64(len(d.in)) && b.of.size > 0 && !(is.plain && b.of.plain) {
			panic(errDamaged)
		}
		b.p = reflect.MakeSlice(reflect.SliceOf(b.of.of), b.n, b.n).UnsafePointer()
	}
}

// file reads the name of a block's own file, and maps the file.
func (d *decoder) file(b *block) (name string, p unsafe.Pointer) {
	name = d.text()
	p, err := mapped(filepath.Join(d.folder, filepath.Base(name)), int(b.size()))
	if err != nil {
		panic(errGone)
	}
	return name, p
}

// fill reads the content of a block.
func (d *decoder) fill(c content) {
	d.in, d.former = c.data, c.former
	is := c.was
	switch {
	case c.of.form == table && c.n == 0:
		c.block.sum = d.entries(c.p, is)
		if c.block.data = c.data; is != c.of {
			c.block.data = nil
		}
		return
	case c.of.plain && c.size() >= largeSize && c.large == "": // its place was fixed, or its layout is another one now
		_, p := d.file(c.block)
		d.in = unsafe.Slice((*byte)(p), c.size())
	case c.large != "":
		return
	}
	if is.plain {
		copy(bytesOf(c.block), d.bytes(uint64(c.size())))
		return
	}
	for i := range c.n {
		d.value(unsafe.Add(c.p, uintptr(i)*c.of.size), is)
	}
}

// value reads a value.
func (d *decoder) value(p unsafe.Pointer, s *shape) {
	if s.plain || s.form == scalar {
		copy(unsafe.Slice((*byte)(p), s.size), d.bytes(uint64(s.size)))
		return
	}
	switch s.form {
	case text:
		*(*string)(p) = d.text()
	case slice:
		d.slice((*header)(p), s)
	case pointer:
		d.pointer((*unsafe.Pointer)(p), s)
	case table:
		if d.uint() == isNil {
			*(*unsafe.Pointer)(p) = nil
			return
		}
		*(*unsafe.Pointer)(p) = d.block(d.uint()).p
	case dynamic:
		d.dynamic(p, s)
	case code:
		d.code((*unsafe.Pointer)(p))
	case array, structure:
		s.parts(func(offset uintptr, of *shape) error {
			d.value(unsafe.Add(p, offset), of)
			return nil
		})
		if s.rebuilt {
			d.rebuild = append(d.rebuild, reflect.NewAt(s.of, p).Interface().(rebuilder))
		}
	case clock:
		d.clock((*time.Time)(p))
	case marshalled:
		x := reflect.NewAt(s.of, p).Interface().(encoding.BinaryUnmarshaler)
		if err := x.UnmarshalBinary([]byte(d.text())); err != nil {
			panic(err)
		}
	case shared:
		all := map[any]any{}
		d.entries(*(*unsafe.Pointer)(unsafe.Pointer(&all)), anyMap())
		for key, value := range all {
			(*sync.Map)(p).Store(key, value)
		}
	}
}

func (d *decoder) block(number uint64) *block {
	b := d.blocks[number]
	if b == nil {
		panic(errDamaged)
	}
	return b
}

// place reads the place of a value of some shape: a block, and the path in it.
func (d *decoder) place(of *shape) (*block, unsafe.Pointer) {
	b := d.block(d.uint())
	p, s, n := b.p, cmp.Or(b.was, b.of), b.n
	for {
		i := d.uint()
		if i >= uint64(n) {
			panic(errDamaged)
		}
		p = unsafe.Add(p, uintptr(i)*s.size)
		if s.of == of.of || of.form == array && s.of == of.elem.of && i+uint64(of.n) <= uint64(n) {
			return b, p
		}
		switch s.form {
		case array:
			s, n = s.elem, s.n
		case structure:
			k := d.uint()
			if k >= uint64(len(s.fields)) {
				panic(errDamaged)
			}
			p = unsafe.Add(p, s.fields[k].offset)
			s, n = s.fields[k].shape, 1
		default:
			panic(errDamaged)
		}
	}
}

func (d *decoder) slice(h *header, s *shape) {
	*h = header{}
	elem := shapeOf(s.elem.of)
	switch d.uint() {
	case isNil:
		return
	case isEmpty:
		h.p, h.len, h.cap = unsafe.Pointer(&nothing), int(d.uint()), int(d.uint())
	default:
		b, p := d.place(elem)
		h.p, h.len, h.cap = p, int(d.uint()), int(d.uint())
		if h.len < 0 || h.cap < h.len || uintptr(p)+uintptr(h.cap)*elem.size > b.end() {
			panic(errDamaged)
		}
	}
}

// nothing is where slices without memory begin.
var nothing struct{}

func (d *decoder) pointer(p *unsafe.Pointer, s *shape) {
	switch d.uint() {
	case isNil:
		*p = nil
	case isKnown:
		*p = wellKnown[d.text()]
	case isEmpty:
		*p = reflect.New(s.elem.of).UnsafePointer()
	default:
		_, *p = d.place(shapeOf(s.elem.of))
	}
}

func (d *decoder) dynamic(p unsafe.Pointer, s *shape) {
	to := reflect.NewAt(s.of, p).Elem()
	to.SetZero()
	switch d.uint() {
	case isNil:
	case isType:
		to.Set(reflect.ValueOf(d.typeNamed(d.name())))
	default:
		v := reflect.New(d.typeNamed(d.name()))
		d.value(v.UnsafePointer(), d.as(shapeOf(v.Type().Elem())))
		if !v.Type().Elem().AssignableTo(s.of) {
			panic(fmt.Errorf("keep: the type %v was defined anew, without the methods of %v", v.Type().Elem(), s.of))
		}
		to.Set(v.Elem())
	}
}

func (d *decoder) code(p *unsafe.Pointer) {
	*p = nil
	if d.uint() == isNil {
		return
	}
	name := d.text()
	if *p = d.codes[name]; *p == nil {
		panic(fmt.Errorf("keep: the value of another cell holds the function of %s, which this program does not have",
			name))
	}
}

func (d *decoder) clock(t *time.Time) {
	seconds, size := binary.Varint(d.in)
	if size <= 0 {
		panic(errDamaged)
	}
	d.in = d.in[size:]
	*t = time.Unix(seconds, int64(d.uint()))
	var zone *time.Location
	d.pointer((*unsafe.Pointer)(unsafe.Pointer(&zone)), shapeOf(reflect.TypeFor[*time.Location]()))
	*t = t.In(zone)
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

// as returns a shape as its values were written. It differs from the one of this program if a cell has defined a type
// anew since. Fields keep their values by their names, if they have the same types.
func (d *decoder) as(s *shape) *shape {
	inside := s.form == structure || s.form == array || s.form == table // others have blocks of their own
	if len(d.former.layouts) == 0 || !inside && s.of.PkgPath() != "main" {
		return s
	}
	if was, is := d.former.shapes[s]; is {
		return was
	}
	was := *s
	d.former.shapes[s] = &was
	changed := false
	inner := func(of *shape) *shape {
		if of == nil {
			return nil
		}
		as := d.as(of)
		changed = changed || as != of
		return as
	}
	if was.fields = slices.Clone(s.fields); inside {
		was.elem, was.key = inner(s.elem), inner(s.key)
	}
	fields := map[string]member{}
	for i, f := range s.fields {
		was.fields[i].shape = inner(f.shape)
		fields[f.name] = was.fields[i]
	}
	if name := reference(s.of); s.of.PkgPath() == "main" {
		all := map[string]layout{}
		layouts(s.of, all, map[reflect.Type]bool{})
		if l, is := d.former.layouts[name]; is && !reflect.DeepEqual(l, all[name]) {
			changed = true
			d.order(&was, l, all[name], fields)
		}
	}
	if !changed {
		d.former.shapes[s] = s
		return s
	}
	was.plain = false
	return &was
}

// order puts the fields of a struct into the order in which they were written. It refuses a type that has not all that
// was written.
func (d *decoder) order(s *shape, was, now layout, fields map[string]member) {
	words := func(name string) string { return cmp.Or(strings.ReplaceAll(name, `"main".`, ""), "a struct") }
	name := words(reference(s.of))
	if was.Is != now.Is {
		panic(fmt.Errorf("keep: the type %s was %s, and was defined anew as %s", name, words(was.Is), words(now.Is)))
	}
	types := map[string]string{}
	for i := 1; i < len(now.Fields); i += 2 {
		types[now.Fields[i-1]] = now.Fields[i]
	}
	s.fields = nil
	for i := 1; i < len(was.Fields); i += 2 {
		field := was.Fields[i-1]
		if types[field] != was.Fields[i] {
			panic(fmt.Errorf("keep: the type %s was defined anew, without its field %s %s", name, field,
				words(was.Fields[i])))
		}
		s.fields = append(s.fields, fields[field])
	}
}
