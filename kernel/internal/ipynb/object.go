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

// object is a JSON object whose known fields are taken out one by one. The fields that are left are carried along.
type object map[string]any

func (o object) take(key string) any {
	v := o[key]
	delete(o, key)
	return v
}

// taken takes a field out; what says what it must be.
func taken[T any](o object, key, what string) (v T, err error) {
	got := o.take(key)
	v, ok := got.(T)
	if !ok && got != nil {
		return v, fmt.Errorf("%s: not %s", key, what)
	}
	return v, nil
}

func (o object) takeString(key string) (string, error) { return taken[string](o, key, "a string") }

// takeText accepts a string or a list of strings, which is how notebooks write text of several lines.
func (o object) takeText(key string) (string, error) {
	v := o.take(key)
	switch v := v.(type) {
	case nil, string:
		return text(v), nil
	case []any:
		if isText(v) {
			return text(v), nil
		}
	}
	return "", fmt.Errorf("%s: neither a string nor a list of strings", key)
}

func (o object) takeInt(key string) (*int, error) {
	v, err := taken[json.Number](o, key, "a number")
	if err != nil || v == "" {
		return nil, err
	}
	n, err := v.Int64()
	if err != nil {
		return nil, fmt.Errorf("%s: %s is not a whole number", key, v)
	}
	i := int(n)
	return &i, nil
}

func (o object) takeObject(key string) (map[string]any, error) {
	m, err := taken[map[string]any](o, key, "an object")
	return orEmpty(m), err
}

func (o object) takeList(key string) ([]any, error) { return taken[[]any](o, key, "a list") }

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
