package storetest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// Fields tests that every field of a struct, or of a pointer to a struct, counts in a key. It goes over the fields at
// every depth, exported or not. With another value of the field, the struct must have another key or be refused. The
// numbers in value must not be the defaults of other fields. With holds, by path, the other values of fields that are
// not numbers, in types that convert to the field's. Not holds the fields that change no result, each with the reason.
func Fields(t *testing.T, value any, key func(v any) (string, error), with map[string]any, not map[string]string) {
	t.Helper()
	before := must.Get(key(value))(t)
	again, err := key(value)
	must.Need(t, err == nil && again == before, "the same value has another key; error %v", err)
	listed := map[string]bool{}
	fields(reflect.TypeOf(value), "", func(path string, index [][]int) {
		changed, field := copied(value, index)
		if reason, none := not[path]; none {
			listed[path] = true
			must.Be(t, reason != "", "%s: no reason why it changes nothing", path)
			return
		}
		if value, given := with[path]; given {
			listed[path] = true
			field.Set(reflect.ValueOf(value).Convert(field.Type()))
		} else if !perturb(field) {
			t.Errorf("%s is a %s: say in this table what another value of it is, or why it changes no result", path,
				field.Type())
			return
		}
		// An error is right too: a value that is refused is not taken for another value.
		after, err := key(changed())
		must.Be(t, err != nil || after != before, "%s: another value has the same key", path)
	})
	for path := range with {
		must.Be(t, listed[path], "there is no field %s", path)
	}
	for path := range not {
		must.Be(t, listed[path], "there is no field %s", path)
	}
}

// fields calls visit for every field that is no struct, with its path and the indices of
// the structs on the way. Pointers to matrices are followed.
func fields(typ reflect.Type, path string, visit func(path string, index [][]int)) {
	var walk func(typ reflect.Type, path string, index [][]int)
	walk = func(typ reflect.Type, path string, index [][]int) {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			at, next := strings.TrimPrefix(path+"."+f.Name, "."), append(slices.Clone(index), []int{i})
			if f.Type.Kind() == reflect.Struct || f.Type == reflect.TypeFor[*mat.Dense]() {
				walk(f.Type, at, next)
				continue
			}
			visit(at, next)
		}
	}
	walk(typ, path, nil)
}

// copied returns a copy of v, and a field of the copy that can be set even if it is not exported.
func copied(v any, index [][]int) (changed func() any, field reflect.Value) {
	original := reflect.ValueOf(v)
	pointer := original.Kind() == reflect.Pointer
	if pointer {
		original = original.Elem()
	}
	whole := reflect.New(original.Type())
	whole.Elem().Set(original)
	field = whole.Elem()
	for _, i := range index {
		if field.Kind() == reflect.Pointer {
			own := reflect.New(field.Type().Elem())
			own.Elem().Set(field.Elem())
			field.Set(own)
			field = own.Elem()
		}
		field = field.FieldByIndex(i)
		field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	}
	if !pointer {
		return func() any { return whole.Elem().Interface() }, field
	}
	return whole.Interface, field
}

// perturb gives a field another value. It reports whether it can do so for a field of this kind.
func perturb(field reflect.Value) bool {
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(!field.Bool())
	case reflect.Int, reflect.Int64, reflect.Int32:
		field.SetInt(field.Int() + 1)
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		field.SetUint(field.Uint() + 1)
	case reflect.Float32, reflect.Float64:
		field.SetFloat(field.Float()*1.01 + 1e-4)
	case reflect.String:
		field.SetString(field.String() + "'")
	case reflect.Slice:
		if field.Len() == 0 {
			return false
		}
		own := reflect.MakeSlice(field.Type(), field.Len(), field.Len())
		reflect.Copy(own, field)
		field.Set(own)
		return perturb(own.Index(own.Len() / 2))
	default:
		return false
	}
	return true
}
