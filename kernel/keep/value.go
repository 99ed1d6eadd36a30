package keep

import (
	"cmp"
	"encoding"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
	"unsafe"
)

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
		d.code((*unsafe.Pointer)(p), s.of)
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
		if of, is := v.Elem().Interface().(*told); is && d.packages != nil {
			if err := reflect.ValueOf(d.errors[of.Type+" "+of.Text]); err.IsValid() && err.Type().AssignableTo(s.of) {
				v = reflect.New(err.Type())
				v.Elem().Set(err)
			}
		}
		to.Set(v.Elem())
	}
}

func (d *decoder) code(p *unsafe.Pointer, of reflect.Type) {
	*p = nil
	if d.uint() == isNil {
		return
	}
	name := d.text()
	f, words := d.codes[name], strings.ReplaceAll(name, `"main".`, "")
	if f.at == nil {
		panic(fmt.Errorf("keep: the value of another cell holds the function of %s, which this program does not have",
			words))
	}
	if !f.of.ConvertibleTo(of) {
		panic(fmt.Errorf("keep: the function %s was %v, and was defined anew as %v", words, of, f.of))
	}
	*p = f.at
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
