package keep

import (
	"encoding"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"
)

// form is how a value is written.
type form uint8

const (
	scalar  form = iota // numbers, truth values: their bytes
	text                // a string: its length and bytes
	slice               // block, offset, length and capacity of its array
	pointer             // block and offset; also atomic.Pointer
	table               // a map: the number of its block
	dynamic             // an interface: its type and the value
	code                // a function: its name
	array
	structure
	never      // channels and addresses, which have to be nil
	clock      // time.Time
	marshalled // a type that knows how its values are written: addresses of netip, and formulas of the library
	shared     // sync.Map
)

// shape says how the values of a type are written.
type shape struct {
	form   form
	of     reflect.Type
	size   uintptr
	plain  bool // its bytes are the value: no gaps, no pointers
	inert  bool // leads nowhere
	depth  int  // how many types begin at its first byte
	n      int  // of an array
	elem   *shape
	key    *shape
	fields []member
	refuse string // why no value can be kept
	// rebuilt says that a value makes its unexported fields from the exported ones.
	rebuilt bool
}

// rebuilder is a type of the library whose values make their unexported fields from the exported ones.
type rebuilder interface{ Rebuild() error }

// member is a field of a struct.
type member struct {
	name   string
	offset uintptr
	*shape
}

// parts visits the elements of an array or the fields of a struct that are kept, by their offsets.
func (s *shape) parts(visit func(offset uintptr, of *shape) error) error {
	for i := range s.n {
		if err := visit(uintptr(i)*s.elem.size, s.elem); err != nil {
			return err
		}
	}
	for _, f := range s.fields {
		if err := visit(f.offset, f.shape); err != nil {
			return err
		}
	}
	return nil
}

var (
	shapes   = map[reflect.Type]*shape{}
	shapesMu sync.RWMutex
)

// shapeOf returns the shape of a type.
func shapeOf(t reflect.Type) *shape {
	shapesMu.RLock()
	s := shapes[t]
	shapesMu.RUnlock()
	if s != nil {
		return s
	}
	shapesMu.Lock()
	defer shapesMu.Unlock()
	return shapeWith(t)
}

func shapeWith(t reflect.Type) *shape {
	if s := shapes[t]; s != nil {
		return s
	}
	s := &shape{of: t, size: t.Size(), depth: 1}
	shapes[t] = s
	s.refuse = refusals[t.PkgPath()+"."+base(t)]
	switch {
	case t == reflect.TypeFor[time.Time]():
		s.form = clock
		return s
	case t == reflect.TypeFor[netip.Addr](), t == reflect.TypeFor[netip.AddrPort](),
		t == reflect.TypeFor[netip.Prefix]():
		s.form, s.inert = marshalled, true
		return s
	case t == reflect.TypeFor[sync.Map]():
		s.form = shared
		return s
	case t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["):
		s.form, s.elem = pointer, shapeWith(t.Field(0).Type.Elem().Elem())
		return s
	}
	if strings.HasPrefix(t.PkgPath(), model) && t.Kind() == reflect.Struct {
		s.rebuilt = reflect.PointerTo(t).Implements(reflect.TypeFor[rebuilder]())
		if implements(t) {
			s.form, s.inert = marshalled, true
			return s
		}
	}
	switch t.Kind() {
	case reflect.String:
		s.form, s.inert = text, true
	case reflect.Slice:
		s.form, s.elem = slice, shapeWith(t.Elem())
	case reflect.Pointer:
		s.form, s.elem = pointer, shapeWith(t.Elem())
	case reflect.Map:
		s.form, s.key, s.elem = table, shapeWith(t.Key()), shapeWith(t.Elem())
	case reflect.Interface:
		s.form = dynamic
	case reflect.Func:
		s.form = code
	case reflect.Chan, reflect.UnsafePointer:
		s.form = never
	case reflect.Array:
		s.form, s.n, s.elem = array, t.Len(), shapeWith(t.Elem())
		s.plain, s.inert, s.depth = s.elem.plain, s.elem.inert, s.elem.depth+1
	case reflect.Struct:
		s.structure(t)
	default:
		s.form, s.plain, s.inert = scalar, true, true
	}
	return s
}

func implements(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) &&
		p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]())
}

// structure finds the fields of a struct that are kept.
func (s *shape) structure(t reflect.Type) {
	s.form, s.plain, s.inert = structure, s.refuse == "" && !s.rebuilt, s.refuse == "" && !s.rebuilt
	end := uintptr(0)
	for i := range t.NumField() {
		f := t.Field(i)
		if s.rebuilt && !f.IsExported() || caches[t.PkgPath()+"."+base(t)+"."+f.Name] ||
			caches[f.Type.PkgPath()+"."+base(f.Type)] {
			s.plain = false
			continue
		}
		m := member{f.Name, f.Offset, shapeWith(f.Type)}
		s.plain = s.plain && m.plain && m.offset == end
		s.inert = s.inert && m.inert
		end = m.offset + m.size
		s.fields = append(s.fields, m)
		if f.Offset == 0 && f.Type.Size() > 0 {
			s.depth = max(s.depth, m.depth+1)
		}
	}
	s.plain = s.plain && end == t.Size()
}

// base returns the name of a type without its arguments.
func base(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// path returns the steps from some values of this shape to so many values of another one at an offset: numbers of
// elements and fields by turns. It is false if there are no such values. A cell may define a type anew and move its
// fields, so a pointer is kept as its path.
func (s *shape) path(values int, offset uintptr, n int, other *shape) (steps []uint64, is bool) {
	if s.size == 0 || offset/s.size >= uintptr(values) {
		return nil, false
	}
	i := offset / s.size
	offset %= s.size
	if other.form == array && s == other.elem { // of a slice, as (*[2]int)(s)
		n, other = n*other.n, s
	}
	if s == other {
		return []uint64{uint64(i)}, offset == 0 && i+uintptr(n) <= uintptr(values)
	}
	switch s.form {
	case array:
		steps, is = s.elem.path(s.n, offset, n, other)
	case structure:
		for k, f := range s.fields {
			if f.offset <= offset && offset < f.offset+f.size {
				steps, is = f.path(1, offset-f.offset, n, other)
				steps = append(steps, uint64(k))
			}
		}
	}
	return append(steps, uint64(i)), is
}
