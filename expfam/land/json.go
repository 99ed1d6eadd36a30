package land

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// parse reads a file of GeoJSON. Its errors name the line, and the programs that write other files under this name.
func parse(text []byte) (feature, error) {
	var file feature
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some programs begin a file with a byte order mark
	if !utf8.Valid(text) {                          // encoding/json would replace letters of names
		return file, errors.New("it is not UTF-8, as JSON is; save it as UTF-8, as by iconv -f WINDOWS-1252 -t UTF-8 " +
			"or, if every second byte is 0, -f UTF-16")
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return file, fmt.Errorf("no GeoJSON: %w", explain(text, err))
	}
	switch file.Type {
	case "Topology":
		return file, errors.New("it is TopoJSON; convert it, as by ogr2ogr new.geojson old.json")
	case "":
		return file, errors.New(`it has no "type", as GeoJSON has; convert it, as by ogr2ogr new.geojson old.json, ` +
			"or ask a server of ArcGIS for f=geojson")
	}
	return file, nil
}

// explain says where JSON cannot be read, and what to do.
func explain(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	line := func(offset int64) int { return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n")) }
	switch {
	case errors.As(err, &kind):
		where := cmp.Or(kind.Field, "the whole")
		return fmt.Errorf("line %d: %s is a %s, which it is not in GeoJSON (RFC 7946); write the file again, as by "+
			"ogr2ogr new.geojson old.geojson", line(kind.Offset), strings.ToLower(where), kind.Value)
	case !errors.As(err, &syntax):
		return err
	}
	at := max(0, min(int(syntax.Offset)-1, len(text)-1))
	advice := "correct it there"
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		advice = "the file is empty: copy it again"
	case strings.Contains(syntax.Error(), "unexpected end"):
		advice = "it was cut: copy it again"
	case text[0] == '<':
		advice = "this is a web page or XML, perhaps an error message of the server: open it to see"
	case text[0] == 0x1e, strings.Contains(syntax.Error(), "after top-level value"):
		advice = "it has one feature after the other: make one file of them, as by ogr2ogr new.geojson old.geojsonl"
	case text[at] == 'N' || text[at] == 'I' || text[at] == 'n':
		advice = "JSON has no NaN and no Infinity: write null"
	case text[at] == '/' || text[at] == '#':
		advice = "JSON has no comments: take them out"
	case text[at] == ']' || text[at] == '}':
		advice = "remove the comma before it"
	}
	return fmt.Errorf("line %d: %w; %s", line(syntax.Offset), err, advice)
}
