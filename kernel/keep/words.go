package keep

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// mostWords is how many letters of a value a person sees in a list.
const mostWords = 80

// words returns the beginning of a value as a person reads it. It calls no method of the value: that might act.
func words(v reflect.Value) string {
	w := &writer{}
	w.value(v, 0)
	text := []rune(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, w.String()))
	if len(text) > mostWords {
		return string(text[:mostWords-1]) + "…"
	}
	return string(text)
}

type writer struct{ strings.Builder }

func (w *writer) value(v reflect.Value, depth int) {
	if w.Len() > 4*mostWords || depth > 8 {
		return
	}
	some := func(open string, n int, write func(i int), end string) {
		w.WriteString(open)
		for i := 0; i < n && w.Len() <= 4*mostWords; i++ {
			if i > 0 {
				w.WriteString(" ")
			}
			write(i)
		}
		w.WriteString(end)
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		some("[", v.Len(), func(i int) { w.value(v.Index(i), depth+1) }, "]")
	case reflect.Map:
		keys := v.MapKeys()
		if len(keys) < 1000 {
			slices.SortFunc(keys, func(a, b reflect.Value) int {
				if a.CanInt() {
					return cmp.Compare(a.Int(), b.Int())
				}
				return cmp.Compare(a.String(), b.String())
			})
		}
		some("map[", len(keys), func(i int) {
			w.value(keys[i], depth+1)
			w.WriteString(":")
			w.value(v.MapIndex(keys[i]), depth+1)
		}, "]")
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() && v.CanInterface() {
			w.WriteString(v.Interface().(time.Time).Format(time.RFC3339))
			return
		}
		some("{", v.NumField(), func(i int) {
			w.WriteString(v.Type().Field(i).Name + ":")
			w.value(v.Field(i), depth+1)
		}, "}")
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			w.WriteString("<nil>")
			return
		}
		if v.Kind() == reflect.Pointer {
			w.WriteString("&")
		}
		w.value(v.Elem(), depth+1)
	case reflect.String:
		text := v.String()
		w.WriteString(text[:min(len(text), 4*mostWords)])
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(w, "%.6g", v.Float())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.WriteString(v.Type().String())
	default:
		fmt.Fprint(w, v)
	}
}
