package ipynb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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

func (o object) takeString(key string) (string, error) {
	switch v := o.take(key).(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	default:
		return "", fmt.Errorf("%s: not a string", key)
	}
}

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
	switch v := o.take(key).(type) {
	case nil:
		return nil, nil
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return nil, fmt.Errorf("%s: %s is not a whole number", key, v)
		}
		i := int(n)
		return &i, nil
	default:
		return nil, fmt.Errorf("%s: not a number", key)
	}
}

func (o object) takeObject(key string) (map[string]any, error) {
	switch v := o.take(key).(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, nil
	default:
		return nil, fmt.Errorf("%s: not an object", key)
	}
}

func (o object) takeList(key string) ([]any, error) {
	switch v := o.take(key).(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	default:
		return nil, fmt.Errorf("%s: not a list", key)
	}
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

// rawSeparators writes U+2028 and U+2029 as themselves, as Jupyter does; encoding/json escapes them.
func rawSeparators(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u202`)) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		switch rest := data[i:]; {
		case bytes.HasPrefix(rest, []byte(`\u2028`)):
			out = append(out, "\u2028"...)
			i += 5
		case bytes.HasPrefix(rest, []byte(`\u2029`)):
			out = append(out, "\u2029"...)
			i += 5
		default: // keep an escape whole, so that \\u2028 stays what it is
			out = append(out, data[i], data[i+1])
			i++
		}
	}
	return out
}
