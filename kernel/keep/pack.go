package keep

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// What stands before a pointer, a map, a slice or an interface.
const (
	none  = iota // nil
	fresh        // the thing itself follows
	again        // the number of a thing that came before follows
	known        // the name of a sentinel follows
)

// place is something that a pointer may lead to.
type place struct {
	at unsafe.Pointer
	of reflect.Type
	n  int
}

// packer writes values.
type packer struct {
	out    []byte
	places map[place]int
	names  []string // named types behind interfaces
	copies []any    // what is copied for places stays, so that nothing else gets its address
	depth  int
}

// pack returns what a pointer leads to as bytes, and the named types behind interfaces in it.
func pack(pointer any) (body []byte, names []string, err error) {
	p := &packer{places: map[place]int{}}
	defer func() {
		if r := recover(); r != nil { // a failure, or another goroutine changes the value
			body, names, err = nil, nil, fmt.Errorf("%v", r)
		}
	}()
	v := reflect.ValueOf(pointer).Elem()
	p.text(shape(v.Type()))
	p.places[place{v.Addr().UnsafePointer(), v.Type(), 0}] = 0
	p.value(v)
	slices.Sort(p.names)
	return p.out, slices.Compact(p.names), nil
}

func (p *packer) fail(err error) {
	if err != nil {
		panic(err)
	}
}

func (p *packer) uint(n uint64) { p.out = binary.AppendUvarint(p.out, n) }

func (p *packer) text(s string) {
	p.uint(uint64(len(s)))
	p.out = append(p.out, s...)
}

// value writes a value that can be addressed.
func (p *packer) value(v reflect.Value) {
	if p.depth++; p.depth > 1_000_000 {
		p.fail(errors.New("it leads from one thing to the next more than a million times"))
	}
	defer func() { p.depth-- }()
	if len(p.out) > most {
		p.fail(fmt.Errorf("it has more than %d MB", most>>20))
	}
	switch v.Kind() {
	case reflect.Bool:
		p.uint(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.out = binary.AppendVarint(p.out, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(real(v.Complex())))
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(imag(v.Complex())))
	case reflect.String:
		p.text(v.String())
	case reflect.Array:
		for i := range v.Len() {
			p.value(v.Index(i))
		}
	case reflect.Slice:
		p.slice(v)
	case reflect.Map:
		p.table(v)
	case reflect.Pointer:
		p.pointer(v)
	case reflect.Interface:
		p.dynamic(v)
	case reflect.Struct:
		p.structure(v)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if !v.IsNil() {
			p.fail(errors.New(never[v.Kind()]))
		}
	}
}

// never are the kinds of values that cannot be kept.
var never = map[reflect.Kind]string{reflect.Func: "it holds a function", reflect.Chan: "it holds a channel",
	reflect.UnsafePointer: "it holds an address"}

// seen writes a number in the place of a thing that came before.
func (p *packer) seen(at place) bool {
	n, is := p.places[at]
	if is {
		p.uint(again)
		p.uint(uint64(n))
		return true
	}
	p.uint(fresh)
	p.places[at] = len(p.places)
	return false
}

func (p *packer) slice(v reflect.Value) {
	if v.IsNil() {
		p.uint(none)
		return
	}
	if v.Len() > 0 && p.seen(place{v.UnsafePointer(), v.Type(), v.Len()}) {
		return
	} else if v.Len() == 0 {
		p.uint(fresh)
	}
	p.uint(uint64(v.Len()))
	if plain(v.Type().Elem()) {
		if v.Len() > 0 {
			data := memory(v)
			if len(p.out)+len(data) > most {
				p.fail(fmt.Errorf("it has more than %d MB", most>>20))
			}
			p.out = append(p.out, data...)
		}
		return
	}
	for i := range v.Len() {
		p.value(v.Index(i))
	}
}

// table writes a map in the order of its keys, so that equal maps are equal bytes.
func (p *packer) table(v reflect.Value) {
	if v.IsNil() {
		p.uint(none)
		return
	}
	if p.seen(place{v.UnsafePointer(), v.Type(), 0}) {
		return
	}
	type entry struct {
		key   []byte
		value reflect.Value
	}
	var all []entry
	for iter := v.MapRange(); iter.Next(); {
		k := &packer{places: map[place]int{}}
		k.value(k.copied(iter.Key()))
		if len(k.places) > 0 {
			p.fail(errors.New("it is a map whose keys are pointers"))
		}
		p.names = append(p.names, k.names...)
		all = append(all, entry{k.out, iter.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	p.uint(uint64(len(all)))
	for _, e := range all {
		p.out = append(p.out, e.key...)
		p.value(p.copied(e.value))
	}
}

// copied returns a copy of a value that can be addressed.
func (p *packer) copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	p.copies = append(p.copies, c.Interface())
	return c.Elem()
}

func (p *packer) pointer(v reflect.Value) {
	if v.IsNil() {
		p.uint(none)
		return
	}
	for name, err := range sentinels {
		if v.Pointer() == reflect.ValueOf(err).Pointer() {
			p.uint(known)
			p.text(name)
			return
		}
	}
	if !p.seen(place{v.UnsafePointer(), v.Type().Elem(), 0}) {
		p.value(v.Elem())
	}
}

// dynamic writes the value of an interface behind its type.
func (p *packer) dynamic(v reflect.Value) {
	if v.IsNil() {
		p.uint(none)
		return
	}
	text, is := v.Interface().(error)
	if !is {
		p.fail(p.tryDynamic(v.Elem()))
		return
	}
	before, places := *p, maps.Clone(p.places)
	if err := p.tryDynamic(v.Elem()); err != nil {
		*p, p.places = before, places
		t := &told{Text: text.Error(), Type: v.Elem().Type().String()}
		p.fail(p.tryDynamic(reflect.ValueOf(t)))
	}
}

func (p *packer) tryDynamic(v reflect.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p.uint(fresh)
	p.of(v.Type())
	p.value(p.copied(v))
	return nil
}

// of writes a type.
func (p *packer) of(t reflect.Type) {
	p.uint(uint64(t.Kind()))
	if t == reflect.TypeFor[error]() {
		p.text("error")
		return
	}
	if t.Name() != "" {
		if t.PkgPath() == "" {
			p.text("")
			return
		}
		name := nameOf(t)
		if strings.Contains(t.Name(), "[") {
			p.fail(fmt.Errorf("it holds %s behind an interface", article(t.String())))
		}
		usually := slices.ContainsFunc(usual, func(u reflect.Type) bool { return u == t })
		if !usually {
			full := t.PkgPath() + "." + t.Name()
			if first := t.Name()[0]; t.PkgPath() != "main" && !(first >= 'A' && first <= 'Z') && Unnamed[full] == "" ||
				strings.Contains("/"+t.PkgPath()+"/", "/internal/") {
				p.fail(fmt.Errorf("it holds %s", article(t.String())))
			}
			p.names = append(p.names, full)
		}
		p.text(name)
		return
	}
	p.text("")
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		p.of(t.Elem())
	case reflect.Array:
		p.uint(uint64(t.Len()))
		p.of(t.Elem())
	case reflect.Map:
		p.of(t.Key())
		p.of(t.Elem())
	case reflect.Interface:
		if t.NumMethod() > 0 {
			p.fail(errors.New("it holds an interface with methods behind another"))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		p.fail(errors.New(never[t.Kind()]))
	case reflect.Struct:
		p.fail(fmt.Errorf("it holds %s behind an interface", article(t.String())))
	}
}

func (p *packer) structure(v reflect.Value) {
	if m := marshalerOf(v); m != nil {
		data, err := m.MarshalBinary()
		p.fail(err)
		p.text(string(data))
		return
	}
	p.fail(opaque(v.Type()))
	switch x := v.Addr().Interface().(type) {
	case *strings.Builder:
		p.text(x.String())
		return
	case *time.Time:
		p.time(*x)
		return
	}
	if at := (place{v.Addr().UnsafePointer(), v.Type(), 0}); deep(v.Type()) {
		if _, is := p.places[at]; !is {
			p.places[at] = len(p.places)
		}
	}
	fields(v, p.value)
}

// deep reports whether pointers may lead into structs of a type from inside of them, as in a ring.
func deep(t reflect.Type) bool {
	for i := range t.NumField() {
		if k := t.Field(i).Type.Kind(); k == reflect.Pointer {
			return true
		}
	}
	return false
}

// time writes a time without the reading of the monotonic clock, which another program cannot use.
func (p *packer) time(t time.Time) {
	p.out = binary.AppendVarint(p.out, t.Unix())
	p.uint(uint64(t.Nanosecond()))
	switch t.Location() {
	case time.UTC:
		p.uint(none)
	case time.Local:
		p.uint(again)
	default:
		p.uint(fresh)
		p.value(p.copied(reflect.ValueOf(t.Location())))
	}
}
