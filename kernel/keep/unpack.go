package keep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// unpacker reads what a packer wrote.
type unpacker struct {
	*Folder
	in     []byte
	places []reflect.Value // pointers, maps and slices by number
	have   map[place]bool  // structs among the places
}

var (
	errDamaged = errors.New("keep: the value of another cell is damaged")
	errGone    = errors.New("keep: the value of another cell was removed")
	errType    = errors.New("keep: the value of another cell has a type that was defined anew since")
)

// unpack reads a value into what a pointer leads to.
func (f *Folder) unpack(body []byte, pointer any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("keep: %v", r)
		}
	}()
	u := &unpacker{Folder: f, in: body, have: map[place]bool{}}
	v := reflect.ValueOf(pointer).Elem()
	if u.text() != shape(v.Type()) {
		return errType
	}
	u.add(v.Addr())
	u.value(v)
	if len(u.in) > 0 {
		return errDamaged
	}
	return nil
}

// add gives the next number to what a pointer leads to.
func (u *unpacker) add(p reflect.Value) {
	u.places = append(u.places, p)
	u.have[place{p.UnsafePointer(), p.Type().Elem(), 0}] = true
}

func (u *unpacker) uint() uint64 {
	n, size := binary.Uvarint(u.in)
	if size <= 0 {
		panic(errDamaged)
	}
	u.in = u.in[size:]
	return n
}

func (u *unpacker) int() int64 {
	n, size := binary.Varint(u.in)
	if size <= 0 {
		panic(errDamaged)
	}
	u.in = u.in[size:]
	return n
}

func (u *unpacker) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(u.bytes(8)))
}

func (u *unpacker) bytes(n int) []byte {
	if n < 0 || n > len(u.in) {
		panic(errDamaged)
	}
	data := u.in[:n]
	u.in = u.in[n:]
	return data
}

func (u *unpacker) text() string { return string(u.bytes(int(u.uint()))) }

// count reads a number of elements, each of which takes at least some bytes of what is left.
func (u *unpacker) count(each int) int {
	n := u.uint()
	if each > 0 && n > uint64(len(u.in)/each) || n > most {
		panic(errDamaged)
	}
	return int(n)
}

// value reads a value that can be set.
func (u *unpacker) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(u.uint() == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(u.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(u.uint())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(u.float())
	case reflect.Complex64, reflect.Complex128:
		re := u.float()
		v.SetComplex(complex(re, u.float()))
	case reflect.String:
		v.SetString(u.text())
	case reflect.Array:
		for i := range v.Len() {
			u.value(v.Index(i))
		}
	case reflect.Slice:
		u.slice(v)
	case reflect.Map:
		u.table(v)
	case reflect.Pointer:
		u.pointer(v)
	case reflect.Interface:
		if u.uint() != none {
			x := reflect.New(u.of()).Elem()
			u.value(x)
			v.Set(x)
		}
	case reflect.Struct:
		u.structure(v)
	}
}

// former sets a value to the thing of a number that came before.
func (u *unpacker) former(v reflect.Value) {
	n := u.uint()
	if n >= uint64(len(u.places)) || !u.places[n].IsValid() {
		panic(errDamaged)
	}
	v.Set(u.places[n])
}

func (u *unpacker) slice(v reflect.Value) {
	switch u.uint() {
	case none:
		return
	case again:
		u.former(v)
		return
	}
	t := v.Type()
	at := len(u.places)
	u.places = append(u.places, reflect.Value{})
	if plain(t.Elem()) {
		n := u.count(int(t.Elem().Size()))
		v.Set(reflect.MakeSlice(t, n, n))
		if n > 0 {
			copy(memory(v), u.bytes(n*int(t.Elem().Size())))
		}
	} else {
		n := u.count(min(int(t.Elem().Size()), 1))
		v.Set(reflect.MakeSlice(t, n, n))
	}
	if v.Len() == 0 {
		u.places = u.places[:at] // an empty one has no number
		return
	}
	u.places[at] = reflect.ValueOf(v.Interface())
	if !plain(t.Elem()) {
		for i := range v.Len() {
			u.value(v.Index(i))
		}
	}
}

func (u *unpacker) table(v reflect.Value) {
	switch u.uint() {
	case none:
		return
	case again:
		u.former(v)
		return
	}
	t := v.Type()
	v.Set(reflect.MakeMap(t))
	u.places = append(u.places, reflect.ValueOf(v.Interface()))
	for range u.count(1) {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		outer := u.places
		u.places = nil // keys are written by themselves
		u.value(key)
		u.places = outer
		u.value(value)
		v.SetMapIndex(key, value)
	}
}

func (u *unpacker) pointer(v reflect.Value) {
	switch u.uint() {
	case none:
		return
	case again:
		u.former(v)
		return
	case known:
		v.Set(reflect.ValueOf(sentinels[u.text()]))
		return
	}
	p := reflect.New(v.Type().Elem())
	u.add(p)
	v.Set(p)
	u.value(p.Elem())
	if v.Type().Elem() == usual[0] { // errors.New: programs compare with such errors
		text := v.Interface().(error).Error()
		u.mu.Lock()
		defer u.mu.Unlock()
		if first, is := u.errors[text]; is {
			v.Set(first)
		} else {
			u.errors[text] = p
		}
	}
}

// of reads a type.
func (u *unpacker) of() reflect.Type {
	kind, name := reflect.Kind(u.uint()), u.text()
	if name == "error" {
		return reflect.TypeFor[error]()
	}
	if name != "" {
		t, is := u.types[name]
		if !is {
			panic("the type " + name + " is not known")
		}
		return t
	}
	switch kind {
	case reflect.Pointer:
		return reflect.PointerTo(u.of())
	case reflect.Slice:
		return reflect.SliceOf(u.of())
	case reflect.Array:
		n := u.count(1)
		return reflect.ArrayOf(n, u.of())
	case reflect.Map:
		key := u.of()
		return reflect.MapOf(key, u.of())
	case reflect.Interface:
		return reflect.TypeFor[any]()
	}
	if t, is := basic[kind]; is {
		return t
	}
	panic(errDamaged)
}

var basic = func() map[reflect.Kind]reflect.Type {
	all := map[reflect.Kind]reflect.Type{}
	for _, x := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), 0.0, complex64(0), complex128(0), ""} {
		all[reflect.TypeOf(x).Kind()] = reflect.TypeOf(x)
	}
	return all
}()

func (u *unpacker) structure(v reflect.Value) {
	if m := marshalerOf(v); m != nil {
		if err := m.UnmarshalBinary([]byte(u.text())); err != nil {
			panic(err)
		}
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *strings.Builder: // not by its methods: it may be copied then
		buf, _ := v.Type().FieldByName("buf")
		field(v, buf.Index[0]).SetBytes([]byte(u.text()))
		return
	case *time.Time:
		seconds := u.int()
		*x = time.Unix(seconds, int64(u.uint()))
		switch u.uint() {
		case none:
			*x = x.UTC()
		case fresh:
			var zone *time.Location
			u.value(reflect.ValueOf(&zone).Elem())
			*x = x.In(zone)
		}
		return
	}
	if deep(v.Type()) && !u.have[place{v.Addr().UnsafePointer(), v.Type(), 0}] {
		u.add(v.Addr())
	}
	fields(v, u.value)
}
