package land

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// exact is 2⁵³. Float64 holds all whole numbers up to it.
const exact = 1 << 53

// propertyOf returns the number that a text is: a float64, or a json.Number, which is the text itself, for a whole
// number beyond 2⁵³ written in digits. Such numbers are identifiers, of which float64 would change the last digits.
func propertyOf(text string) (any, bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	whole, fraction, _ := strings.Cut(text, ".") // some programs write .0 or .000 behind a whole number
	if math.Abs(v) >= exact && strings.Trim(fraction, "0") == "" && strings.Trim(strings.TrimLeft(whole, "+-"),
		"0123456789") == "" {
		return json.Number(whole), true
	}
	return v, true
}

// Number returns a whole number as a property: a float64, or a json.Number beyond 2⁵³.
func Number(n int64) any {
	v, _ := propertyOf(strconv.FormatInt(n, 10))
	return v
}

// properties are the properties of a feature of GeoJSON.
type properties map[string]any

// UnmarshalJSON reads an object, with numbers as [propertyOf] says. It refuses a name that occurs twice.
func (p *properties) UnmarshalJSON(text []byte) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	open, err := in.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("its properties are %.40q; they must be an object", text)
	}
	*p = properties{}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		key := name.(string) // names of objects are texts
		if _, twice := (*p)[key]; twice {
			return fmt.Errorf("there are two properties %q; rename one of them", key)
		}
		var v any
		if err := in.Decode(&v); err != nil {
			return err
		}
		(*p)[key] = numbers(v)
	}
	return nil
}

// numbers replaces each json.Number within a value by its property.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, ok := propertyOf(string(v)); ok {
			return n
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// textOf returns a property as a name, and "" for one that is missing or blank. Its letters are composed (NFC), so that
// é is one character, whatever program has written it. It refuses a number beyond 2⁵³ that is
// not written in digits, because an identifier has lost its last digits there, and lists and objects.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return norm.NFC.String(strings.TrimSpace(v)), nil
	case json.Number:
		return string(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		if math.Abs(v) >= exact || math.IsNaN(v) {
			return "", fmt.Errorf("is %g, which is no name: the last digits of an identifier are lost there; "+
				"write identifiers as text", v)
		}
		return strconv.FormatFloat(v, 'f', -1, 64), nil // a code such as 1000001, not 1.000001e+06
	}
	return "", fmt.Errorf("is %.40v; a name is a text or a number", v)
}
