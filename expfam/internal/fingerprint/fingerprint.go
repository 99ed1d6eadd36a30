// Package fingerprint has what keys of stored results say of code.
//
// A name does not tell code that was edited from what it was, and a notebook is edited
// and run again all day. Keys therefore have, beside types and texts, what the code
// does: the graph that it builds (package graphprint), or the values of its functions at
// fixed points.
package fingerprint

import (
	"fmt"
	"reflect"

	"github.com/expfam/lab/expfam/store"
)

// moved has the names under which results of types were first stored that have since
// moved to another package: those results are still found.
var moved = map[string]string{
	"github.com/expfam/lab/expfam/learn learn.Prior": "github.com/expfam/lab/expfam expfam.Learned",
}

// NameOf is the type of a value with its package and, if it has one, its text. A type
// that embeds another inherits the text and not the name.
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

// FieldsOf are the keys of the exported fields of a struct, or of what a pointer to one
// points to. What has no canonical form, such as a function, has no key: the values of
// the methods that use it are what tells it from others.
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

// Attempt is what f returns, or the message with which it fails at these arguments.
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
