package survey

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/land"
)

// Places reads surveys from a layer of points, such as land.GeoJSON{}.ReadPlaces returns: a table whose columns are the
// properties, with the coordinates of the points. All that Table checks in a file it checks here. Its lines are those
// of such a table, so the first place is line 2.
func (t Table) Places(places []land.Place) (*Survey, error) {
	keys := map[string]bool{}
	for _, p := range places {
		for key := range p.Properties {
			keys[key] = true
		}
	}
	columns := slices.Sorted(maps.Keys(keys))
	t.Columns.Longitude, t.Columns.Latitude, t.Comma = free("longitude", columns), free("latitude", columns), ','
	header := append([]string{t.Columns.Longitude, t.Columns.Latitude}, columns...)
	if t.Columns.Name == "" {
		t.Columns.Name = free("name", columns)
		header = append(header, t.Columns.Name)
	}
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	out.Write(header)
	for _, p := range places {
		row := []string{decimal(p.At.Lon), decimal(p.At.Lat)}
		for _, key := range columns {
			row = append(row, cell(p.Properties[key]))
		}
		if len(row) < len(header) {
			row = append(row, p.Name)
		}
		out.Write(row)
	}
	out.Flush()
	s, err := t.read(bytes.NewReader(text.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("survey: %d places: %w", len(places), errors.Unwrap(err))
	}
	return s, nil
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// cell returns a property as a table has it.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(v), " ") // on one line
	case float64:
		return decimal(v)
	case json.Number:
		return v.String()
	}
	return fmt.Sprint(v)
}

// free returns a name that looks like none of the columns.
func free(name string, columns []string) string {
	for slices.ContainsFunc(columns, func(c string) bool { return fold(c) == fold(name) }) {
		name += " of the point"
	}
	return name
}
