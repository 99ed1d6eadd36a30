package keep

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// reference returns a type as Go source, in which the path of a package in quotes stands for the package's name:
// "time".Duration. A type that other packages cannot name has a mark before it, and other programs know it only if it
// is a part of a type that they can name.
func reference(t reflect.Type) string {
	if t.Name() != "" {
		return referenceNamed(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + reference(t.Elem())
	case reflect.Slice:
		return "[]" + reference(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), reference(t.Elem()))
	case reflect.Chan:
		return t.ChanDir().String() + " " + reference(t.Elem())
	case reflect.Map:
		return "map[" + reference(t.Key()) + "]" + reference(t.Elem())
	case reflect.Func:
		return signature(t)
	case reflect.Struct:
		return referenceStruct(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "any"
		}
	}
	return hidden + t.String()
}

// signature returns the type behind a function type as Go source.
func signature(t reflect.Type) string {
	list := func(n int, of func(int) reflect.Type) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = reference(of(i))
		}
		return all
	}
	in := list(t.NumIn(), t.In)
	if t.IsVariadic() {
		in[len(in)-1] = "..." + strings.TrimPrefix(in[len(in)-1], "[]")
	}
	return fmt.Sprintf("func(%s) (%s)", strings.Join(in, ", "), strings.Join(list(t.NumOut(), t.Out), ", "))
}

// hidden marks types that other packages cannot name.
const hidden = "!"

// path matches a type with the path of its package, as reflect writes it between the brackets of a generic type.
var path = regexp.MustCompile(`[\w./~-]*\w\.[\pL\p{Nd}_]+`)

func referenceNamed(t reflect.Type) string {
	name := t.Name()
	if t.PkgPath() == "" {
		return name
	}
	if open := strings.IndexByte(name, '['); open >= 0 {
		name = name[:open] + path.ReplaceAllStringFunc(name[open:], func(of string) string {
			dot := strings.LastIndexByte(of, '.')
			return strconv.Quote(of[:dot]) + of[dot:]
		})
	}
	name = strconv.Quote(t.PkgPath()) + "." + name
	exported := t.Name()[0] >= 'A' && t.Name()[0] <= 'Z'
	if t.PkgPath() != "main" && (!exported ||
		strings.Contains("/"+t.PkgPath()+"/", "/internal/")) {
		return hidden + name
	}
	return name
}

func referenceStruct(t reflect.Type) string {
	var fields []string
	mark := ""
	for i := range t.NumField() {
		f := t.Field(i)
		of := reference(f.Type)
		if !f.IsExported() && f.PkgPath != "main" {
			mark = hidden
		}
		if !f.Anonymous {
			of = f.Name + " " + of
		}
		if f.Tag != "" {
			of += " " + strconv.Quote(string(f.Tag))
		}
		fields = append(fields, of)
	}
	return mark + "struct{" + strings.Join(fields, "; ") + "}"
}

// registry knows types by their references.
type registry map[string]reflect.Type

func newRegistry() registry {
	r := registry{"any": reflect.TypeFor[any](), "error": reflect.TypeFor[error]()}
	for _, x := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), 0.0, complex64(0), complex128(0), ""} {
		r.add(reflect.TypeOf(x), map[reflect.Type]bool{})
	}
	for _, t := range common() {
		r.add(reflect.PointerTo(t), map[reflect.Type]bool{})
	}
	return r
}

// add adds a type and all that it is made of.
func (r registry) add(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	r[reference(t)] = t
	switch t.Kind() {
	case reflect.Map:
		r.add(t.Key(), seen)
		r.add(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		r.add(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			r.add(t.Field(i).Type, seen)
		}
	}
}

// layout is what a type of a cell is made of. A type that a cell defines anew may have another one.
type layout struct {
	Is     string   `json:",omitempty"` // the type behind the name, if it is no struct
	Fields []string `json:",omitempty"` // names and types by turns
}

// layouts adds the layouts of the types of cells in a type.
func layouts(t reflect.Type, all map[string]layout, seen map[reflect.Type]bool) {
	if seen[t] || t.PkgPath() != "" && t.PkgPath() != "main" {
		return
	}
	seen[t] = true
	var l layout
	of := func(t reflect.Type) string {
		layouts(t, all, seen)
		return reference(t)
	}
	switch t.Kind() {
	case reflect.Map:
		l.Is = "map[" + of(t.Key()) + "]" + of(t.Elem())
	case reflect.Pointer:
		l.Is = "*" + of(t.Elem())
	case reflect.Slice:
		l.Is = "[]" + of(t.Elem())
	case reflect.Array:
		l.Is = fmt.Sprintf("[%d]%s", t.Len(), of(t.Elem()))
	case reflect.Func:
		l.Is = signature(t)
	case reflect.Struct:
		for i := range t.NumField() {
			l.Fields = append(l.Fields, t.Field(i).Name, of(t.Field(i).Type))
		}
	default:
		l.Is = t.Kind().String()
	}
	if t.PkgPath() == "main" {
		all[reference(t)] = l
	}
}
