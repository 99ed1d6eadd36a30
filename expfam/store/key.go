package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Key returns a hash, in hexadecimal, of everything that determines a result: the configuration, the data, the seed, a
// version of the algorithm. The parts are written as JSON in a canonical form and hashed by SHA-256:
//
//   - a [Fingerprinter] is written as its type and its fingerprint;
//   - another value with a String method is written as its type and its text, so its String
//     method must name everything that determines the result;
//   - a struct is written as its type and all its fields, exported or not. Another named
//     type is written as its name and its value;
//   - a map is sorted, and a pointer is written as the value that it points to;
//   - floating-point numbers are written so that they round-trip, NaN and infinities
//     included. A nil slice is the same as an empty slice.
//
// Key panics for a value without a canonical form: a function, a channel, or a structure that contains itself.
func Key(parts ...any) string {
	key, err := TryKey(parts...)
	if err != nil {
		panic(err.Error())
	}
	return key
}

// TryKey is [Key], but a part without a canonical form is an error.
func TryKey(parts ...any) (string, error) {
	hash := sha256.New()
	for i, part := range parts {
		var text bytes.Buffer
		if err := canonical(&text, reflect.ValueOf(part), 0); err != nil {
			return "", fmt.Errorf("store: key: part %d: %w; give its type a String method", i, err)
		}
		text.WriteByte('\n')
		hash.Write(text.Bytes())
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Fingerprinter is a value whose String leaves something out, such as the contents of
// files or digits of a number. Fingerprint covers everything that determines results.
type Fingerprinter interface{ Fingerprint() string }

// maxDepth is the deepest nesting that is written. It is far beyond any configuration, and makes a structure that
// contains itself an error.
const maxDepth = 100

// canonical writes a value in canonical form.
func canonical(w *bytes.Buffer, v reflect.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s is nested more than %d deep", v.Type(), maxDepth)
	}
	if !v.IsValid() {
		w.WriteString("null")
		return nil
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			w.WriteString("null")
			return nil
		}
	}
	if text, ok := ownText(v); ok {
		open(w, v.Type())
		quote(w, text)
		w.WriteByte('}')
		return nil
	}
	if v.Kind() != reflect.Struct && v.Type().PkgPath() != "" && v.Kind() != reflect.Interface {
		// A strategy can also be a named number, slice or map, so the name of its type counts.
		open(w, v.Type())
		defer w.WriteByte('}')
	}
	return canonicalKind(w, v, depth)
}

// ownText returns the fingerprint or the text of a value, if it has one.
func ownText(v reflect.Value) (string, bool) {
	if !v.CanInterface() {
		return "", false
	}
	switch v := v.Interface().(type) {
	case Fingerprinter:
		return v.Fingerprint(), true
	case fmt.Stringer:
		return v.String(), true
	}
	return "", false
}

// canonicalKind writes a value that has no text of its own, by its kind.
func canonicalKind(w *bytes.Buffer, v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return canonical(w, v.Elem(), depth+1)
	case reflect.Bool:
		fmt.Fprint(w, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(w, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(w, v.Uint())
	case reflect.Float32, reflect.Float64:
		number(w, v.Float())
	case reflect.String:
		quote(w, v.String())
	case reflect.Slice, reflect.Array:
		w.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				w.WriteByte(',')
			}
			if err := canonical(w, v.Index(i), depth+1); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		w.WriteByte(']')
	case reflect.Map:
		return canonicalMap(w, v, depth)
	case reflect.Struct:
		return canonicalStruct(w, v, depth)
	default:
		return fmt.Errorf("a %s has no canonical form", v.Kind())
	}
	return nil
}

// canonicalStruct writes the type and the fields of a struct. Zero fields with the tag `store:"omitzero"` are left out.
func canonicalStruct(w *bytes.Buffer, v reflect.Value, depth int) error {
	open(w, v.Type())
	w.WriteByte('{')
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("store") == "omitzero" && v.Field(i).IsZero() {
			continue
		}
		if i > 0 {
			w.WriteByte(',')
		}
		quote(w, v.Type().Field(i).Name)
		w.WriteByte(':')
		if err := canonical(w, v.Field(i), depth+1); err != nil {
			return fmt.Errorf("%s.%s: %w", v.Type(), v.Type().Field(i).Name, err)
		}
	}
	w.WriteString("}}")
	return nil
}

// canonicalMap writes a map, sorted by the canonical form of its keys.
func canonicalMap(w *bytes.Buffer, v reflect.Value, depth int) error {
	values := map[string][]byte{}
	for iter := v.MapRange(); iter.Next(); {
		var key, value bytes.Buffer
		if err := canonical(&key, iter.Key(), depth+1); err != nil {
			return err
		}
		if err := canonical(&value, iter.Value(), depth+1); err != nil {
			return fmt.Errorf("[%s]: %w", key.String(), err)
		}
		values[key.String()] = value.Bytes()
	}
	w.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			w.WriteByte(',')
		}
		quote(w, key)
		w.WriteByte(':')
		w.Write(values[key])
	}
	w.WriteByte('}')
	return nil
}

// moved holds the former names of types that have moved to another package, so that what was stored before is found.
var moved = map[string]string{
	"github.com/expfam/lab/expfam/level.Level":       "github.com/expfam/lab/expfam.Level",
	"github.com/expfam/lab/expfam/level.VP":          "github.com/expfam/lab/expfam.VP",
	"github.com/expfam/lab/expfam/scenes.Crop":       "github.com/expfam/lab/expfam/grid.Crop",
	"github.com/expfam/lab/expfam/scenes.Images":     "github.com/expfam/lab/expfam/grid.Images",
	"github.com/expfam/lab/expfam/scenes.Procedural": "github.com/expfam/lab/expfam/grid.Procedural",
}

// open writes {"package path.Type":. With it, two types with equal fields
// (Poisson{} and Exponential{}) have different keys.
func open(w *bytes.Buffer, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.String()
	if t.Name() != "" {
		name = t.PkgPath() + "." + t.Name()
	}
	if former, ok := moved[name]; ok {
		name = former
	}
	w.WriteByte('{')
	quote(w, name)
	w.WriteByte(':')
}

// number writes the shortest text that reads back as the same number. NaN and
// infinities are written as strings, because JSON has no such numbers.
func number(w *bytes.Buffer, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		quote(w, strconv.FormatFloat(x, 'g', -1, 64))
		return
	}
	w.Write(strconv.AppendFloat(w.AvailableBuffer(), x, 'g', -1, 64))
}

// quote writes s as a JSON string, or as a string of Go if s is not UTF-8, as names of files may be.
func quote(w io.Writer, s string) {
	if !utf8.ValidString(s) { // JSON would write all of its wrong bytes as the same character
		io.WriteString(w, strconv.Quote(s))
		return
	}
	// Marshalling a string cannot fail.
	text, _ := json.Marshal(s)
	w.Write(text)
}
