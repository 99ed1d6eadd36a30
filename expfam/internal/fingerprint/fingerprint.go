// Package fingerprint describes code for the keys of stored results.
//
// Edited code keeps its name, and a notebook is edited and run again all day. Besides types
// and texts, keys therefore contain what the code does: the graph that it builds (package
// graphcheck), or the values of its functions at fixed points.
package fingerprint

import (
	"fmt"
	"reflect"

	"github.com/expfam/lab/expfam/store"
)

// moved holds the former names of types that have moved to another package. With these names in
// the keys, results that were stored before the move are still found.
var moved = map[string]string{
	"github.com/expfam/lab/expfam/learn learn.Prior":        "github.com/expfam/lab/expfam expfam.Learned",
	"github.com/expfam/lab/expfam/scenes scenes.Crop":       "github.com/expfam/lab/expfam/grid grid.Crop",
	"github.com/expfam/lab/expfam/scenes scenes.Images":     "github.com/expfam/lab/expfam/grid grid.Images",
	"github.com/expfam/lab/expfam/scenes scenes.Procedural": "github.com/expfam/lab/expfam/grid grid.Procedural",
}

// NameOf returns the type of a value with its package and, if the value has a String method, its text. A type that
// embeds another inherits the text but not the name.
func NameOf(x any) []string {
	t := reflect.TypeOf(x)
	if t == nil {
		return nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := []string{t.PkgPath() + " " + t.String()}
	if former, ok := moved[name[0]]; ok {
		name[0] = former
	}
	if s, ok := x.(fmt.Stringer); ok {
		name = append(name, s.String())
	}
	return name
}

// FieldsOf returns the keys of the exported fields of a struct or of a pointer to a struct. A field without a canonical
// form, such as a function, has the empty key. The values of the methods that use it must tell it from others.
func FieldsOf(x any) []string {
	v := reflect.Indirect(reflect.ValueOf(x))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			key, _ := store.TryKey(field.Name, v.Field(i).Interface())
			keys = append(keys, key)
		}
	}
	return keys
}

// Attempt returns what f returns, or the text of its error or panic.
func Attempt(f func() (any, error)) (result any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = fmt.Sprint("panic: ", reason)
		}
	}()
	value, err := f()
	if err != nil {
		return err.Error()
	}
	return value
}
