package nn

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// known holds the zero value of each network of this package.
var known = []Network{Experts{}, MLP{}, Modes{}, UNet{}}

// description is a network as JSON: its type, with the path of its package, and its
// exported fields. A field that is a Network is a description itself.
type description struct {
	Type   string                     `json:"type"`
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// Describe returns a text with the type and the exported fields of a network, from which [Described] makes the
// network again. Defaults of this package's networks are written out, so the text stays valid if defaults change.
// The error names a field that JSON cannot hold.
func Describe(n Network) (string, error) {
	if d, ok := n.(interface{ withDefaults() Network }); ok {
		// A type that embeds a network of this package inherits withDefaults, which returns the embedded type.
		if full := d.withDefaults(); reflect.TypeOf(full) == reflect.TypeOf(n) {
			n = full
		}
	}
	v := reflect.Indirect(reflect.ValueOf(n))
	if !v.IsValid() {
		return "", fmt.Errorf("nn: there is no network to describe")
	}
	d := description{Type: typeName(v.Type()), Fields: map[string]json.RawMessage{}}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			field, value := v.Type().Field(i), v.Field(i)
			if !field.IsExported() || value.IsZero() {
				continue
			}
			text, err := describeField(value)
			if err != nil {
				return "", fmt.Errorf("nn: field %s of %v: %w", field.Name, n, err)
			}
			d.Fields[field.Name] = text
		}
	}
	text, err := json.Marshal(d)
	return string(text), err
}

// describeField returns the value of a field as JSON. A network in an interface becomes a description.
func describeField(v reflect.Value) (json.RawMessage, error) {
	if n, ok := v.Interface().(Network); ok && v.Kind() == reflect.Interface {
		text, err := Describe(n)
		return json.RawMessage(text), err
	}
	return json.Marshal(v.Interface())
}

// Described makes a network from a text of [Describe]. It knows the types of this package. For another type give
// any value of that type in own, such as its zero value. The network is a pointer if that value is.
func Described(text string, own ...Network) (Network, error) {
	var d description
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("nn: %q describes no network: %w", text, err)
	}
	for _, n := range append(own[:len(own):len(own)], known...) {
		if n == nil {
			continue
		}
		typ := reflect.TypeOf(n)
		pointer := typ.Kind() == reflect.Pointer
		if pointer {
			typ = typ.Elem()
		}
		if typeName(typ) != d.Type {
			continue
		}
		made := reflect.New(typ)
		if err := d.fill(made.Elem(), own); err != nil {
			return nil, err
		}
		if !pointer {
			made = made.Elem()
		}
		return made.Interface().(Network), nil
	}
	return nil, fmt.Errorf("nn: no network of type %s is known here; give one", d.Type)
}

// fill sets the fields of the network v to those of the description.
func (d description) fill(v reflect.Value, own []Network) error {
	for name, text := range d.Fields {
		var field reflect.Value
		if v.Kind() == reflect.Struct {
			field = v.FieldByName(name)
		}
		if !field.IsValid() || !field.CanSet() {
			return fmt.Errorf("nn: %s has no field %s", d.Type, name)
		}
		if field.Type() == reflect.TypeFor[Network]() {
			inner, err := Described(string(text), own...)
			if err != nil {
				return err
			}
			field.Set(reflect.ValueOf(inner))
			continue
		}
		if err := json.Unmarshal(text, field.Addr().Interface()); err != nil {
			return fmt.Errorf("nn: field %s of %s: %w", name, d.Type, err)
		}
	}
	return nil
}

// typeName returns the name of a type with the path of its package.
func typeName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }
