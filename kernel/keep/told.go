package keep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// told is an error of which only the text and the name of its type could be kept, the error that it wraps, and the
// errors of Go's library that it is.
type told struct {
	Text, Type string
	Inner      error
	Same       []error
	Late       bool
}

func (t *told) Error() string { return t.Text }

func (t *told) Unwrap() error { return t.Inner }

func (t *told) Is(err error) bool { return slices.Contains(t.Same, err) }

// Timeout reports whether the error said so of itself, as those of package net do.
func (t *told) Timeout() bool { return t.Late }

// toldByRuntime is such an error of Go's runtime.
type toldByRuntime struct{ told }

func (t *toldByRuntime) RuntimeError() {}

// tell returns what stands for an error that cannot be kept. The error's own methods are a cell's and may panic.
func tell(v reflect.Value) (is error) {
	defer func() {
		if why := recover(); why != nil {
			is = &told{Text: fmt.Sprintf("an error of the type %s whose methods panic: %v", v.Type(), why),
				Type: v.Type().String()}
		}
	}()
	err := v.Interface().(error)
	t := told{Text: err.Error(), Type: v.Type().String(), Inner: errors.Unwrap(err)}
	if of, is := err.(interface{ Timeout() bool }); is {
		t.Late = of.Timeout()
	}
	for _, x := range append(slices.Collect(maps.Values(sentinels)), any(context.DeadlineExceeded)) {
		if of, is := x.(error); is && errors.Is(err, of) {
			t.Same = append(t.Same, of)
		}
	}
	if _, is := err.(runtime.Error); is {
		return &toldByRuntime{t}
	}
	return &t
}

// errorAt is an error by the address that an interface has for it.
type errorAt struct {
	p  unsafe.Pointer
	of reflect.Type
}

// toldOf returns what stands for an error that cannot be kept; nil if it can.
func (w *walk) toldOf(p unsafe.Pointer, v reflect.Value) error {
	if v.Kind() == reflect.Pointer && known(v.UnsafePointer(), v.Type().Elem()) != "" {
		return nil
	}
	at := errorAt{p, v.Type()}
	is, seen := w.told[at]
	if seen {
		return is
	}
	w.told[at] = nil // an error that leads to itself
	inner, c := w.newWalk(), reflect.New(v.Type())
	inner.told, inner.texts = w.told, w.texts
	c.Elem().Set(v)
	named := w.canName(v.Type()) == nil
	if named {
		inner.from(region{c.UnsafePointer(), shapeOf(v.Type()), 1})
	}
	if !named || len(inner.reasons) > 0 {
		is = tell(v)
		if w.told[at] = is; named {
			w.texts[v.Type().String()] = true
		}
	}
	return is
}
