package geopackage

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// column is a column to write.
type column struct {
	name, kind string
	values     []any
}

// columns returns the names of the features and their properties in the order of the alphabet.
func (f Features) columns() (all []column, err error) {
	var names []string
	var rows []map[string]any
	for _, r := range f.Regions {
		names, rows = append(names, r.Name), append(rows, r.Properties)
	}
	for _, p := range f.Places {
		names, rows = append(names, p.Name), append(rows, p.Properties)
	}
	keys, folded := map[string]bool{}, map[string]string{}
	for _, row := range rows {
		for key := range row {
			if other, there := folded[strings.ToLower(key)]; there && other != key {
				return nil, fmt.Errorf("the properties %q and %q differ in capitals alone, which SQLite takes for "+
					"one; rename one", other, key)
			}
			keys[key], folded[strings.ToLower(key)] = true, key
		}
	}
	named := false // by a property
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c, same := column{name: key}, true
		for i, row := range rows {
			v := row[key]
			c.values, same = append(c.values, v), same && v == any(names[i])
		}
		c.fit()
		all, named = append(all, c), named || same
	}
	if named {
		return all, nil
	}
	own := column{name: free("name", all), kind: "TEXT"}
	for _, name := range names {
		own.values = append(own.values, name)
	}
	return slices.Insert(all, 0, own), nil
}

// fit chooses the type of a column, and turns its values into it. NaN is a missing number.
func (c *column) fit() {
	whole, number, flag := true, true, true
	for i, v := range c.values {
		switch n := v.(type) {
		case int:
			c.values[i], flag = int64(n), false
		case json.Number:
			id, err := n.Int64()
			if flag = false; err != nil {
				whole, number = false, false
				break
			}
			c.values[i] = id
		case int64:
			flag = false
		case float64:
			flag = false
			if math.IsNaN(n) {
				c.values[i] = nil
			} else if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
				whole = false
			}
		case bool:
			whole, number = false, false
		case nil:
		default:
			whole, number, flag = false, false, false
		}
	}
	switch {
	case flag:
		c.kind = "BOOLEAN"
	case whole:
		c.kind = "INTEGER"
	case number:
		c.kind = "REAL"
	default:
		c.kind = "TEXT"
	}
	for i, v := range c.values {
		switch n, ok := v.(float64); {
		case v == nil:
		case c.kind == "INTEGER" && ok:
			c.values[i] = int64(n)
		case c.kind == "TEXT":
			c.values[i] = text(v)
		}
	}
}

// text returns a value as text: what is no number and no text becomes JSON.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	if encoded, err := json.Marshal(v); err == nil {
		return string(encoded)
	}
	return fmt.Sprint(v)
}

// free returns a name that no column has, in capitals or not.
func free(name string, columns []column) string {
	for slices.ContainsFunc(columns, func(c column) bool { return strings.EqualFold(c.name, name) }) {
		name += "_"
	}
	return name
}
