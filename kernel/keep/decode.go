package keep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
		b.n, b.name, b.large = int(d.uint()), d.text(), d.text()
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
	case b.large != "" && is == b.of:
		var err error
		if b.p, err = mapped(d.path(b), int(b.size())); err != nil {
			panic(errGone)
		}
		return
	case b.n == 1:
		b.p = reflect.New(b.of.of).UnsafePointer()
	default:
		if b.n < 0 || uint64(b.n) > uint64(len(d.in)) && b.of.size > 0 && !is.plain && b.large == "" {
			panic(errDamaged)
		}
		b.p = reflect.MakeSlice(reflect.SliceOf(b.of.of), b.n, b.n).UnsafePointer()
	}
	if b.large != "" { // its place was there already, or its layout is another one now
		var err error
		if d.in, err = os.ReadFile(d.path(b)); err != nil {
			panic(errGone)
		}
	}
}

// path returns the path of a block's own file.
func (d *decoder) path(b *block) string { return filepath.Join(d.folder, filepath.Base(b.large)) }

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
	case c.large != "" && len(c.data) == 0: // its memory is the file
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

func (d *decoder) block(number uint64) *block {
	b := d.blocks[number]
	if b == nil {
		panic(errDamaged)
	}
	return b
}
