package keep

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// What stands before a pointer, a slice, a map, an interface or a function.
const (
	isNil   = iota
	isEmpty // a slice without memory, or a pointer to a type without size
	isPlace // number of a block, and the path to one of its values
	isKnown // name of a sentinel
	isType  // a reflect.Type: its reference
	isValue // index of a type, and the value
	isName  // name of a function
)

// encoder writes blocks.
type encoder struct {
	*graph
	out   []byte
	at    int              // the block that is written, by its place
	edges [][]int          // places of the blocks to which each block leads
	needs [][]int          // types that each block needs, by their indices
	names map[int][]string // names of functions that blocks need
}

func (e *encoder) uint(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

func (e *encoder) text(s string) {
	e.uint(uint64(len(s)))
	e.out = append(e.out, s...)
}

func add[T comparable](all []T, x T) []T {
	if n := len(all); n > 0 && all[n-1] == x || n < 64 && slices.Contains(all, x) {
		return all
	}
	return append(all, x)
}

// typeIndex returns the index of a type, which the block then needs.
func (e *encoder) typeIndex(t reflect.Type) uint64 {
	e.types.add(t, map[reflect.Type]bool{})
	i := e.nameIndex(reference(t))
	e.needs[e.at] = add(e.needs[e.at], i)
	return uint64(i)
}

// largeSize is the size from which on a block of numbers has a file of its own.
const largeSize = 1 << 20

// block writes a block: its number, its type, how many values it has, its name, the file of its own if it has one, and
// else the values.
func (e *encoder) block(b *block) error {
	e.at = e.places[b]
	e.uint(b.number)
	e.uint(e.typeIndex(b.of.of))
	e.uint(uint64(b.n))
	e.text(b.name)
	if b.bad != "" {
		return errors.New(b.bad)
	}
	if b.of.plain && b.size() >= largeSize {
		err := e.largeFile(b)
		e.text(b.large)
		return err
	}
	b.large = ""
	e.text("")
	if b.of.form == table && b.n == 0 {
		return e.entries(b)
	}
	if b.of.plain {
		e.out = append(e.out, bytesOf(b)...)
		return nil
	}
	for i := range b.n {
		if err := e.value(unsafe.Add(b.p, uintptr(i)*b.of.size), b.of); err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(b *block) []byte { return unsafe.Slice((*byte)(b.p), b.size()) }

// to writes where a pointer to a value of some shape leads.
func (e *encoder) to(p unsafe.Pointer, of *shape) error {
	b := within(e.blocks, p)
	if b == nil {
		return errors.New("it changed while it was saved; wait for the goroutines that use it")
	}
	e.edges[e.at] = add(e.edges[e.at], e.places[b])
	e.uint(isPlace)
	e.uint(b.number)
	offset := uintptr(p) - uintptr(b.p)
	if b.of == of {
		e.uint(uint64(offset / of.size))
		return nil
	}
	steps, is := b.of.path(b.n, offset, 1, of)
	if !is {
		return errors.New(errViews)
	}
	for _, step := range slices.Backward(steps) {
		e.uint(step)
	}
	return nil
}

// value writes a value.
func (e *encoder) value(p unsafe.Pointer, s *shape) error {
	if s.plain || s.form == scalar {
		e.out = append(e.out, unsafe.Slice((*byte)(p), s.size)...)
		return nil
	}
	switch s.form {
	case text:
		text := *(*string)(p)
		e.text(text)
		if e.unsafe && e.shares(text) {
			return errors.New("it holds a text that shares its memory with another value, by package unsafe")
		}
	case slice:
		return e.slice((*header)(p), s)
	case pointer:
		return e.pointer(*(*unsafe.Pointer)(p), s)
	case table:
		return e.table(*(*unsafe.Pointer)(p))
	case dynamic:
		return e.dynamic(p, s)
	case code:
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			e.uint(isNil)
			return nil
		}
		name, err := codeName(to)
		e.uint(isName)
		e.text(name)
		e.names[e.at] = add(e.names[e.at], name)
		e.codes[name] = function{to, s.of}
		return err
	case array, structure:
		return s.parts(func(offset uintptr, of *shape) error { return e.value(unsafe.Add(p, offset), of) })
	case clock:
		t := (*time.Time)(p)
		e.out = binary.AppendVarint(e.out, t.Unix())
		e.uint(uint64(t.Nanosecond()))
		return e.pointer(unsafe.Pointer(t.Location()), shapeOf(reflect.TypeFor[*time.Location]()))
	case marshalled:
		data, err := reflect.NewAt(s.of, p).Interface().(encoding.BinaryMarshaler).MarshalBinary()
		e.text(string(data))
		return err
	case shared:
		all := maps.Collect((*sync.Map)(p).Range)
		return e.entries(&block{p: *(*unsafe.Pointer)(unsafe.Pointer(&all)), of: anyMap()})
	}
	return nil
}

func (e *encoder) slice(h *header, s *shape) error {
	switch {
	case h.p == nil:
		e.uint(isNil)
		return nil
	case h.cap == 0 || s.elem.size == 0:
		e.uint(isEmpty)
	default:
		if err := e.to(h.p, s.elem); err != nil {
			return err
		}
	}
	e.uint(uint64(h.len))
	e.uint(uint64(h.cap))
	return nil
}

func (e *encoder) pointer(to unsafe.Pointer, s *shape) error {
	switch {
	case to == nil:
		e.uint(isNil)
	case known(to, s.elem.of) != "":
		e.uint(isKnown)
		e.text(addresses[to])
	case s.elem.size == 0:
		e.uint(isEmpty)
	default:
		return e.to(to, s.elem)
	}
	return nil
}

func (e *encoder) table(to unsafe.Pointer) error {
	if to == nil {
		e.uint(isNil)
		return nil
	}
	b := e.maps[to]
	if b == nil {
		return errors.New("it changed while it was saved; wait for the goroutines that use it")
	}
	e.edges[e.at] = add(e.edges[e.at], e.places[b])
	e.uint(isPlace)
	e.uint(b.number)
	return nil
}

func (e *encoder) dynamic(p unsafe.Pointer, s *shape) error {
	to, of := e.behind(p, s)
	if to == nil {
		e.uint(isNil)
		return nil
	}
	if of.of.String() == "*reflect.rtype" {
		t := reflect.NewAt(s.of, p).Elem().Interface().(reflect.Type)
		e.uint(isType)
		e.uint(e.typeIndex(t))
		return e.canName(t)
	}
	e.uint(isValue)
	e.uint(e.typeIndex(of.of))
	return e.value(to, of)
}

// largeFile writes a block of many numbers into a file of its own, unless it has the file that it was read from and is
// as the file is.
func (e *encoder) largeFile(b *block) error {
	if b.large != "" && unchanged(e.folder, b) {
		return nil
	}
	if free := freeBytes(e.folder); free >= 0 && int64(b.size()) > free-(256<<20) {
		return fmt.Errorf("it has %.1f GB, and the disk of the folder for temporary files has %.1f GB left",
			float64(b.size())/1e9, float64(free)/1e9)
	}
	b.large = fmt.Sprintf("%d-%d", b.number, e.program)
	return put(e.folder, b.large, bytesOf(b))
}
