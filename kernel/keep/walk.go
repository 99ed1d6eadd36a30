package keep

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
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
	texts   map[string]bool   // types of cells and packages of which only the text is kept
	told    map[errorAt]error // errors of which only the text is kept; nil for the others
}

func (m *Memory) newWalk() *walk {
	return &walk{Memory: m, seen: map[region]bool{}, reasons: map[region]string{}, maps: map[unsafe.Pointer]*block{},
		texts: map[string]bool{}, told: map[errorAt]error{}}
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
		if to := *(*unsafe.Pointer)(p); to != nil && known(to, s.elem.of) == "" {
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

func (w *walk) dynamic(p unsafe.Pointer, s *shape) error {
	to, of := w.behind(p, s)
	if to == nil || of.of.String() == "*reflect.rtype" {
		return nil
	}
	if at := unsafe.Pointer(os.Stdin); of.form == pointer && *(*unsafe.Pointer)(to) != at &&
		known(*(*unsafe.Pointer)(to), of.elem.of) != "" {
		return nil // such as os.Stdout, though files are not kept
	}
	if err := w.canName(of.of); err != nil {
		return err
	}
	return w.value(to, of)
}
