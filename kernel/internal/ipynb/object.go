package ipynb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"
)

// object is a JSON object.
type object map[string]any

// fields takes the known fields out of an object, one by one, and keeps the first error. The fields that are left are
// carried along.
type fields struct {
	left object
	err  error
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// take takes a field out; what says what it must be.
func take[T any](f *fields, key, what string) (v T) {
	got := f.left[key]
	delete(f.left, key)
	v, ok := got.(T)
	if !ok && got != nil {
		f.fail(fmt.Errorf("%s: not %s", key, what))
	}
	return v
}

func (f *fields) string(key string) string { return take[string](f, key, "a string") }

// text accepts a string or a list of strings, which is how notebooks write text of several lines.
func (f *fields) text(key string) string {
	v := take[any](f, key, "")
	if _, is := v.(string); is || v == nil {
		return text(v)
	}
	if list, is := v.([]any); is && isText(list) {
		return text(list)
	}
	f.fail(fmt.Errorf("%s: neither a string nor a list of strings", key))
	return ""
}

func (f *fields) number(key string) *int {
	v := take[json.Number](f, key, "a number")
	if v == "" {
		return nil
	}
	n, err := v.Int64()
	if err != nil {
		f.fail(fmt.Errorf("%s: %s is not a whole number", key, v))
	}
	i := int(n)
	return &i
}

func (f *fields) object(key string) map[string]any {
	return orEmpty(take[map[string]any](f, key, "an object"))
}

func (f *fields) list(key string) []any { return take[[]any](f, key, "a list") }

// objects parses the objects of a list, each of which is called by a name.
func objects[T any](f *fields, key, name string, parse func(o object) (T, error)) (all []T) {
	for i, v := range f.list(key) {
		o, ok := v.(map[string]any)
		if !ok {
			f.fail(fmt.Errorf("%s %d: not an object", name, i+1))
			return nil
		}
		x, err := parse(o)
		if err != nil {
			f.fail(fmt.Errorf("%s %d: %w", name, i+1, err))
			return nil
		}
		all = append(all, x)
	}
	return all
}

func isText(list []any) bool {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, _ := line.(string)
			b.WriteString(s)
		}
		return b.String()
	}
	return ""
}

// lines splits text as Jupyter does when it writes a notebook, after whatever ends a line for Python's splitlines.
func lines(s string) []any {
	list := []any{}
	start := 0
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		default:
			continue
		}
		end := i + utf8.RuneLen(r)
		list = append(list, s[start:end])
		start = end
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// joined returns the bundle with lists of lines joined. Media types that hold JSON keep their lists.
func joined(bundle map[string]any) map[string]any {
	out := maps.Clone(bundle)
	for mime, v := range bundle {
		if list, ok := v.([]any); ok && !isJSON(mime) && isText(list) {
			out[mime] = text(list)
		}
	}
	return out
}

// split is the inverse of joined: nbformat splits text, JavaScript and SVG, and nothing else.
func split(bundle map[string]any) map[string]any {
	out := make(map[string]any, len(bundle))
	for mime, v := range bundle {
		s, ok := v.(string)
		if ok && (strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml") {
			out[mime] = lines(s)
			continue
		}
		out[mime] = v
	}
	return out
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func orNull(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// escapes matches the escapes of JSON, whole, so that \\u2028 stays what it is.
var escapes = regexp.MustCompile(`\\(u2028|u2029|.)`)

// rawSeparators writes U+2028 and U+2029 as themselves, as Jupyter does; encoding/json escapes them.
func rawSeparators(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u202`)) {
		return data
	}
	return escapes.ReplaceAllFunc(data, func(escape []byte) []byte {
		switch string(escape[1:]) {
		case "u2028":
			return []byte("\u2028")
		case "u2029":
			return []byte("\u2029")
		}
		return escape
	})
}
