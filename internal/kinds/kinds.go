// Package kinds lists types that are behind interfaces in values of the library and that other packages cannot name, so
// that a notebook can carry such values from one cell's program to the next (package kernel/keep).
package kinds

import "reflect"

var all []reflect.Type

// Register adds the types of values, or those that pointers lead to. Packages call it when the program begins.
func Register(values ...any) {
	for _, v := range values {
		t := reflect.TypeOf(v)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		all = append(all, t)
	}
}

// All returns the types that the packages of this program have registered.
func All() []reflect.Type { return all }
