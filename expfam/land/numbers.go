package land

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/internal/nodata"
)

// Numbers returns a property of all regions as numbers, in their order. A region without it has NaN. It refuses a name
// that no region has, texts that are no numbers, true and false, identifiers beyond 2⁵³, infinite numbers, and numbers
// by which files mark missing values.
//
//	cases, err := land.Numbers(counties, "SID74")
func Numbers(of []Region, name string) ([]float64, error) {
	out := make([]float64, len(of))
	found := false
	for i, r := range of {
		v, has := r.Properties[name]
		found = found || has
		var err error
		if out[i], err = numberOf(v); err != nil {
			return nil, fmt.Errorf("land: %q of region %d, %q, is %w", name, i, r.Name, err)
		}
	}
	if !found {
		keys := map[string]bool{}
		for _, r := range of {
			for key := range r.Properties {
				keys[key] = true
				if key != name && norm.NFC.String(key) == norm.NFC.String(name) {
					return Numbers(of, key)
				}
			}
		}
		return nil, fmt.Errorf("land: none of %d regions has the property %q; the nearest names are %s", len(of), name,
			nearest.List(name, slices.Sorted(maps.Keys(keys)), 3))
	}
	if marks := nodata.Marks(out); len(marks) > 0 {
		at := slices.Index(out, marks[0])
		return nil, fmt.Errorf("land: %q of region %d, %q, is %g, by which files mark missing values; make it NaN, or "+
			"take the numbers from Properties", name, at, of[at].Name, marks[0])
	}
	return out, nil
}

// numberOf returns a property as a number.
func numberOf(v any) (float64, error) {
	switch n := v.(type) {
	case nil:
		return math.NaN(), nil
	case float64:
		if math.IsInf(n, 0) {
			return 0, fmt.Errorf("%g; numbers are finite", n)
		}
		return n, nil
	case int:
		return float64(n), nil
	case int64:
		return float64(n), nil
	case json.Number:
		return 0, fmt.Errorf("%s, an identifier: float64 would change its last digits", n)
	case string:
		text := strings.TrimSpace(n)
		if text == "" || strings.EqualFold(text, "NA") || strings.EqualFold(text, "NaN") {
			return math.NaN(), nil
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) && !strings.ContainsAny(text,
			"xX_pPiI") {
			return x, nil
		}
		return 0, fmt.Errorf("the text %.30q, which is no number", n)
	}
	return 0, fmt.Errorf("%.30v, which is no number", v)
}
