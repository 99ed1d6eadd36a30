package keep

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// region is memory that something leads to.
type region struct {
	p  unsafe.Pointer
	of *shape
	n  int
}

func (r region) end() uintptr { return uintptr(r.p) + uintptr(r.n)*r.of.size }

// walk finds all memory that variables lead to.
type walk struct {
	*Memory
	seen    map[region]bool
	queue   []region
	regions []region
	reasons map[region]string // why regions cannot be kept
	maps    map[unsafe.Pointer]*block
	told    map[errorAt]*told // errors of which only the text is kept; nil for the others
}

func (m *Memory) newWalk() *walk {
	return &walk{Memory: m, seen: map[region]bool{}, reasons: map[region]string{}, maps: map[unsafe.Pointer]*block{},
		told: map[errorAt]*told{}}
}

// from walks from some memory on, until nothing new is reached.
func (w *walk) from(r region) {
	w.reach(r)
	w.drain()
}

// pin walks from a block that was loaded.
func (w *walk) pin(b *block) {
	if b.n == 0 {
		w.value(unsafe.Pointer(&b.p), b.of)
	} else {
		w.reach(region{b.p, b.of, b.n})
	}
	w.drain()
}

func (w *walk) drain() {
	for len(w.queue) > 0 {
		r := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.look(r)
	}
}

// look finds what a region leads to.
func (w *walk) look(r region) {
	var err error
	if r.of.form == table && r.n == 0 {
		err = w.entries(r)
	} else if !r.of.inert {
		for i := range r.n {
			if err = w.value(unsafe.Add(r.p, uintptr(i)*r.of.size), r.of); err != nil {
				break
			}
		}
	} else if r.of.refuse != "" {
		err = refused(r.of)
	}
	if err != nil {
		w.reasons[r] = err.Error()
	}
}

func refused(s *shape) error { return errors.New("it holds " + s.refuse) }

// reach notes a region. Of a block that was loaded the complete block is reached.
func (w *walk) reach(r region) {
	if r.of.size == 0 || w.seen[r] {
		return
	}
	w.seen[r] = true
	w.regions, w.queue = append(w.regions, r), append(w.queue, r)
	if b := w.inside(r.p); b != nil && b.n > 0 {
		w.reach(region{b.p, b.of, b.n})
	}
}

// value finds what a value leads to.
func (w *walk) value(p unsafe.Pointer, s *shape) error {
	switch {
	case s.refuse != "":
		return refused(s)
	case s.inert:
		return nil
	}
	switch s.form {
	case slice:
		h := (*header)(p)
		if h.cap > 0 {
			w.reach(region{h.p, s.elem, h.cap})
		}
	case pointer:
		if to := *(*unsafe.Pointer)(p); to != nil && known[to] == "" {
			w.reach(region{to, s.elem, 1})
		}
	case table:
		if to := *(*unsafe.Pointer)(p); to != nil && w.maps[to] == nil {
			w.maps[to] = &block{p: to, of: s}
			w.queue = append(w.queue, region{to, s, 0})
		}
	case dynamic:
		return w.dynamic(p, s)
	case code:
		if to := *(*unsafe.Pointer)(p); to != nil {
			_, err := codeName(to)
			return err
		}
	case never:
		if *(*unsafe.Pointer)(p) != nil {
			return fmt.Errorf("it holds %s", map[reflect.Kind]string{reflect.Chan: "a channel",
				reflect.UnsafePointer: "an address"}[s.of.Kind()])
		}
	case array, structure:
		return s.parts(func(offset uintptr, of *shape) error { return w.value(unsafe.Add(p, offset), of) })
	case clock:
		zone := (*time.Time)(p).Location()
		return w.value(unsafe.Pointer(&zone), shapeOf(reflect.TypeFor[*time.Location]()))
	case shared:
		all := maps.Collect((*sync.Map)(p).Range)
		return w.entries(region{*(*unsafe.Pointer)(unsafe.Pointer(&all)), anyMap(), 0})
	}
	return nil
}

// header is a slice as Go has it in memory.
type header struct {
	p        unsafe.Pointer
	len, cap int
}

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

// behind returns the value behind an interface, copied to memory of its own, with its shape; nil for a nil interface.
// An error that cannot be kept is one with its text.
func (w *walk) behind(p unsafe.Pointer, s *shape) (unsafe.Pointer, *shape) {
	v := reflect.NewAt(s.of, p).Elem()
	if v.IsNil() {
		return nil, nil
	}
	if v = v.Elem(); v.Type().Implements(reflect.TypeFor[error]()) {
		if told := w.toldOf((*[2]unsafe.Pointer)(p)[1], v); told != nil {
			v = reflect.ValueOf(told)
		}
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.UnsafePointer(), shapeOf(v.Type())
}

// errorAt is an error by the address that an interface has for it.
type errorAt struct {
	p  unsafe.Pointer
	of reflect.Type
}

// toldOf returns what stands for an error that cannot be kept; nil if it can.
func (w *walk) toldOf(p unsafe.Pointer, v reflect.Value) *told {
	at := errorAt{p, v.Type()}
	is, known := w.told[at]
	if known {
		return is
	}
	w.told[at] = nil // an error that leads to itself
	inner, c := w.newWalk(), reflect.New(v.Type())
	inner.told = w.told
	c.Elem().Set(v)
	able := w.canName(v.Type()) == nil
	if able {
		inner.from(region{c.UnsafePointer(), shapeOf(v.Type()), 1})
	}
	if !able || len(inner.reasons) > 0 {
		is = &told{Text: v.Interface().(error).Error(), Type: v.Type().String()}
		w.told[at] = is
	}
	return is
}

func (w *walk) dynamic(p unsafe.Pointer, s *shape) error {
	to, of := w.behind(p, s)
	if to == nil || of.of.String() == "*reflect.rtype" {
		return nil
	}
	if of.form == pointer && known[*(*unsafe.Pointer)(to)] != "" {
		return nil // such as os.Stdout, though files are not kept
	}
	if err := w.canName(of.of); err != nil {
		return err
	}
	return w.value(to, of)
}

// canName refuses a type behind an interface that no other program can name.
func (m *Memory) canName(t reflect.Type) error {
	if t.Name() != "" {
		switch why := refusals[t.PkgPath()+"."+base(t)]; {
		case why != "":
			return errors.New("it holds " + why)
		case t.PkgPath() == "main" && base(t) == t.Name() && !m.declared[t]:
			return fmt.Errorf("it holds %s, a type that is declared inside of a function", t.Name())
		case strings.HasPrefix(reference(t), hidden) && !m.declared[t] && !slices.Contains(common(), t):
			return fmt.Errorf("it holds %s, which only its package can name", article(t.String()))
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Map:
		return errors.Join(m.canName(t.Key()), m.canName(t.Elem()))
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return m.canName(t.Elem())
	}
	if strings.Contains(reference(t), hidden) {
		return fmt.Errorf("it holds a %v, which other programs cannot name", t)
	}
	return nil
}

// known are the sentinels by their addresses.
var known, wellKnown = func() (map[unsafe.Pointer]string, map[string]unsafe.Pointer) {
	names, places := map[unsafe.Pointer]string{}, map[string]unsafe.Pointer{}
	for name, x := range sentinels {
		p := reflect.ValueOf(x).UnsafePointer()
		names[p], places[name] = name, p
	}
	return names, places
}()
