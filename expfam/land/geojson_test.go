package land_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

const square = `[[0,0],[2,0],[2,2],[0,2],[0,0]]`

func read(t *testing.T, o land.GeoJSON, text string) ([]land.Region, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "districts.geojson")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return o.Read(path)
}

// Everything that RFC 7946 has for a polygon is read, with holes, heights and properties.
func TestGeoJSON(t *testing.T) {
	hole := `[[0.5,0.5],[0.5,1],[1,1],[1,0.5],[0.5,0.5]]`
	far := `[[10,0],[12,0],[12,2],[10,0]]`
	beyond := []land.Position{{Lon: 10, Lat: 0}, {Lon: 12, Lat: 0}, {Lon: 12, Lat: 2}, {Lon: 10, Lat: 0}}
	ring := []land.Position{{Lon: 0, Lat: 0}, {Lon: 2, Lat: 0}, {Lon: 2, Lat: 2}, {Lon: 0, Lat: 2}, {Lon: 0, Lat: 0}}
	inner := []land.Position{{Lon: 0.5, Lat: 0.5}, {Lon: 0.5, Lat: 1}, {Lon: 1, Lat: 1}, {Lon: 1, Lat: 0.5},
		{Lon: 0.5, Lat: 0.5}}
	polygon := `{"type":"Polygon","coordinates":[` + square + `,` + hole + `]}`
	for name, c := range map[string]struct {
		text  string
		read  land.GeoJSON
		names []string
		want  [][][]land.Position // of the last region
	}{
		"collection": {`{"type":"FeatureCollection","features":[
			{"type":"Feature","properties":{"Name":"a","people":12},"geometry":` + polygon + `},
			{"type":"Feature","properties":null,"geometry":{"type":"MultiPolygon","coordinates":[[` + far + `],[` + square + `,` + hole + `]]}}]}`,
			land.GeoJSON{}, []string{"a", "1"}, [][][]land.Position{{beyond}, {ring, inner}}},
		"crs": {`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":[{"type":"Feature","properties":{"shapeName":"b"},"geometry":` + polygon + `}]}`,
			land.GeoJSON{}, []string{"b"}, [][][]land.Position{{ring, inner}}},
		"feature": {`{"type":"Feature","properties":{"ADM1":7},"geometry":` + polygon + `}`,
			land.GeoJSON{Name: "adm1"}, []string{"7"}, [][][]land.Position{{ring, inner}}},
		"a code": {`{"type":"Feature","properties":{"pcode":1000001},"geometry":` + polygon + `}`,
			land.GeoJSON{Name: "pcode"}, []string{"1000001"}, [][][]land.Position{{ring, inner}}},
		"half": {`{"type":"Feature","properties":{"pcode":-0.5},"geometry":` + polygon + `}`,
			land.GeoJSON{Name: "pcode"}, []string{"-0.5"}, [][][]land.Position{{ring, inner}}},
		"marked":   {"\ufeff" + polygon, land.GeoJSON{}, []string{"0"}, [][][]land.Position{{ring, inner}}},
		"geometry": {polygon, land.GeoJSON{}, []string{"0"}, [][][]land.Position{{ring, inner}}},
		"geometries": {`{"type":"GeometryCollection","geometries":[` + polygon + `,{"type":"Polygon","coordinates":[` +
			far + `]}]}`,
			land.GeoJSON{}, []string{"0"}, [][][]land.Position{{ring, inner}, {beyond}}},
		"heights": {`{"type":"Polygon","coordinates":[[[0,0,9],[2,0,9],[2,2,9],[0,2,9],[0,0,9]]]}`, land.GeoJSON{},
			[]string{"0"}, [][][]land.Position{{ring}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(read(t, c.read, c.text))(t)
			var names []string
			for _, r := range got {
				names = append(names, r.Name)
			}
			must.Equal(t, names, c.names, "names")
			last := got[len(got)-1]
			must.Equal(t, last.Polygons, c.want, "polygons")
			want := land.Box{West: 0, South: 0, East: 2, North: 2}
			if len(last.Polygons) > 1 {
				want.East = 12
			}
			must.Be(t, last.Box() == want, "box %v, want %v", last.Box(), want)
			must.Be(t, last.Contains(land.Position{Lon: 1.5, Lat: 1.5}), "the region does not contain what it does")
		})
	}
	got, err := read(t, land.GeoJSON{}, `{"type":"Feature","properties":{"people":12},"geometry":`+polygon+`}`)
	must.Be(t, err == nil && got[0].Properties["people"] == 12.0, "properties %v, error %v", got, err)
}

// An outline that jumps over the date line would be everywhere but there.
func TestDateLine(t *testing.T) {
	read := func(ring string) error {
		path := filepath.Join(t.TempDir(), "a.geojson")
		must.Do(t, os.WriteFile(path, []byte(`{"type":"Polygon","coordinates":[[`+ring+`]]}`), 0o600))
		_, err := land.GeoJSON{}.Read(path)
		return err
	}
	must.Err(t, read("[179,-18],[-179,-18],[-179,-17],[179,-17],[179,-18]"),
		"an edge from longitude 179 to -179, across the date line; cut it there")
	for name, ring := range map[string]string{
		"east of 180":    "[179,-18],[181,-18],[181,-17],[179,-17],[179,-18]",
		"around a pole":  "[-180,-90],[180,-90],[180,-80],[0,-70],[-180,-80],[-180,-90]",
		"half the Earth": "[-90,-10],[90,-10],[90,10],[-90,10],[-90,-10]",
	} {
		must.Do(t, read(ring), name)
	}
}

// Fiji's outlines are cut at the date line, as RFC 7946 asks. On a map across the date line both parts are land, have
// outlines, and hold surveys of any convention.
func TestMapAcrossTheDateLine(t *testing.T) {
	fiji, err := read(t, land.GeoJSON{}, `{"type":"Feature","properties":{"name":"Fiji"},"geometry":{"type":"MultiPolygon","coordinates":[
		[[[177,-18],[180,-18],[180,-16],[177,-16],[177,-18]]],[[[-180,-18],[-178,-18],[-178,-16],[-180,-16],[-180,-18]]]]}}`)
	must.Do(t, err)
	_, err = land.Frame{Regions: fiji}.Map()
	if want := `from -180 to -178, such as "Fiji", and from 177 to 180, on both sides of the date line; give the frame a window across it, as Box: land.Box{West: 177, South: -18, East: 182, North: -16}`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without a window: error %v, want %s", err, want)
	}
	for name, box := range map[string]land.Box{
		"east": {West: 176, South: -19, East: 184, North: -15},
		"west": {West: -184, South: -19, East: -176, North: -15},
	} {
		for _, p := range []land.Projection{land.LonLat{}, land.EqualArea{}} {
			m := must.Get(land.Frame{Regions: fiji, Box: box, Rows: 4, Cols: 8, Projection: p}.Map())(t)
			if got := m.Land(); got != 5*2 { // squares of one degree, between 177 and 182
				t.Errorf("%s, %v: %d cells of land, want 10", name, p, got)
			}
			for _, lon := range []float64{-178.5, 181.5} {
				j, ok := m.Locate(land.Position{Lon: lon, Lat: -17})
				must.Be(t, ok && m.Country[j] == 0, "%s, %v: the place at %g is not in Fiji", name, p, lon)
			}
			lines := m.Lines(fiji...)
			for k := range lines.Len() {
				x, _ := lines.Path(k)
				for _, v := range x {
					if lon := p.Lon(v); lon < box.West || lon > box.East {
						t.Errorf("%s, %v: an outline at %g, beyond the map", name, p, lon)
					}
				}
			}
		}
	}
	// The same islands with 360 added are on the western side of a map of the world.
	moved := must.Get(land.NewRegion("Fiji", [][][]land.Position{{{{Lon: 177, Lat: -18}, {Lon: 182, Lat: -18},
		{Lon: 182, Lat: -16}, {Lon: 177, Lat: -16}, {Lon: 177, Lat: -18}}}}))(t)
	// both are in it
	for p, want := range map[land.Position]bool{{Lon: 178, Lat: -17}: true, {Lon: -179, Lat: -17}: true,
		{Lon: 180, Lat: -17}: true, {Lon: -180, Lat: -17}: true, {Lon: -177, Lat: -17}: false,
		{Lon: 176, Lat: -17}:  false,
		{Lon: -179, Lat: -15}: false} {
		must.Be(t, moved.Contains(p) == want && moved.Near(p) == want,
			"%v: in %v, near %v; want %v", p, moved.Contains(p), moved.Near(p), want)
	}
	m, err := land.Frame{Regions: []land.Region{moved}, Box: land.World, Rows: 180, Cols: 360}.Map()
	must.Be(t, err == nil && m.Land() == 5*2,
		"%d cells of land on the map of the world, want 10; error %v", m.Land(), err)
}

func TestGeoJSONRefuses(t *testing.T) {
	feature := func(geometry string) string {
		return `{"type":"Feature","properties":{"name":"Here"},"geometry":` + geometry + `}`
	}
	for want, c := range map[string]struct {
		read land.GeoJSON
		text string
	}{
		"line 2: invalid character 'N' looking for beginning of value; JSON has no NaN": {land.GeoJSON{},
			"{\n\"pop\": NaN}"},
		"JSON has no comments: take them out":  {land.GeoJSON{}, "// districts\n{}"},
		"remove the comma before it":           {land.GeoJSON{}, `{"features":[1,]}`},
		"make one file of them, as by ogr2ogr": {land.GeoJSON{}, "{}\n{}"},
		"one feature after the other":          {land.GeoJSON{}, "\x1e{}\n"},
		"this is a web page or XML":            {land.GeoJSON{}, "<html>"},
		"the file is empty: copy it again":     {land.GeoJSON{}, " \n"},
		"line 1: features.geometry is a string, which it is not in GeoJSON": {land.GeoJSON{},
			`{"features":[{"geometry":"POLYGON ((1 2"}]}`},
		"it is TopoJSON; convert it": {land.GeoJSON{}, `{"type":"Topology","arcs":[]}`},
		"ask a server of ArcGIS for f=geojson": {land.GeoJSON{},
			`{"geometryType":"esriGeometryPolygon","features":[{"attributes":{}}]}`},
		`its coordinates are "[[[\"1\",2]]]"; a Polygon has a list of rings`: {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[["1",2]]]}`)},
		"it is not UTF-8, as JSON is; save it as UTF-8": {land.GeoJSON{}, "{\"type\":\"Hu\xedla\"}"},
		"if every second byte is 0, -f UTF-16": {land.GeoJSON{},
			"\xff\xfe{\x00}\x00"},
		"no GeoJSON: line 1: unexpected end of JSON input; it was cut: copy it again": {land.GeoJSON{}, `{"type":`},
		`its coordinates are "urn:ogc:def:crs:EPSG::2193"; they must be`: {land.GeoJSON{},
			`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::2193"}},"features":[]}`},
		"these are not longitudes and latitudes in degrees": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[5e5,0],[6e5,0],[6e5,1e5],[5e5,0]]]}`)},
		"there are no features":              {land.GeoJSON{}, `{"type":"FeatureCollection","features":[]}`},
		`feature 0, "Here", has no geometry`: {land.GeoJSON{}, feature("null")},
		`feature 0, "Here": it is a "Point"`: {land.GeoJSON{}, feature(`{"type":"Point","coordinates":[1,2]}`)},
		`it has no "type"`:                   {land.GeoJSON{}, `{}`},
		`it has no property "adm" but ["name"]`: {land.GeoJSON{Name: "adm"},
			feature(`{"type":"Polygon","coordinates":[` + square + `]}`)},
		`feature 0: its property "Name" is null or blank; give it a name`: {land.GeoJSON{Name: "name"},
			`{"type":"Feature","properties":{"Name":null,"id":3},"geometry":{"type":"Polygon",` +
				`"coordinates":[` + square + `]}}`},
		"which are lists of positions of two numbers": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[1,2]}`)},
		"one of its coordinates is null; give it a number": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[0,null],[1,0],[1,1],[0,null]]]}`)},
		"one of its coordinates is null": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[` + square + `,null]}`)},
		"longitudes from 355 to 365; they must be within ±360: add or subtract 360": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[355,0],[365,0],[365,1],[355,0]]]}`)},
		"position 1 of ring 0 has 1 numbers": {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[0,0],[1]]]}`)},
		`region "Here": ring 0 of polygon 0 has 3 positions`: {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}`)},
		`region "Here": ring 0 of polygon 0 has 4 positions and is not c`: {land.GeoJSON{},
			feature(`{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}`)},
		`region "Here": polygon 1 has no ring`: {land.GeoJSON{},
			feature(`{"type":"MultiPolygon","coordinates":[[` + square + `],[]]}`)},
		`region "Here" has no polygons`: {land.GeoJSON{}, feature(`{"type":"MultiPolygon","coordinates":[]}`)},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := read(t, c.read, c.text)
			must.Be(t, err != nil && strings.Contains(err.Error(), want) &&
				strings.HasPrefix(err.Error(), "land: ") && strings.Count(err.Error(), "land: ") <= 1,
				"error %v, want %q in it", err, want)
		})
	}
	must.Refuse((land.GeoJSON{}).Read(filepath.Join(t.TempDir(), "none")))(t, "no such file")
	must.Refuse(land.NewRegion("r", [][][]land.Position{{{{Lon: 0, Lat: 0}, {Lon: 1, Lat: 0},
		{Lon: math.NaN(), Lat: 1}, {Lon: 0, Lat: 0}}}}))(t,
		`land: region "r": position 2 of ring 0 of polygon 0 is (NaN, 1)`)
}

// TestCodes: what an object, a feature, its geometry or a part of it says of coordinates counts, in the forms of
// GeoJSON of 2007 and of other formats that programs leave in GeoJSON.
func TestCodes(t *testing.T) {
	const square = `"coordinates":[[[30,1],[31,1],[31,2],[30,2],[30,1]]]`
	file := func(top, feature, part string) string {
		return `{"type":"FeatureCollection",` + top + `"features":[{"type":"Feature",` + feature + `"properties":` +
			`{"name":"a"},"geometry":{"type":"GeometryCollection","geometries":[{"type":"Polygon",` + part + square +
			`}]}}]}`
	}
	const crs = `"crs":{"type":"name","properties":{"name":"%s"}},`
	for says, text := range map[string]string{
		`"ESRI:102022"; they must be`:             file("", fmt.Sprintf(crs, "ESRI:102022"), ""),
		`"IGNF:LAMB93"; they must be`:             file(fmt.Sprintf(crs, "IGNF:LAMB93"), "", ""),
		`"EPSG:2193"; they must be`:               file("", "", fmt.Sprintf(crs, "EPSG:2193")),
		`"EPSG:2194"; they must be`:               file("", `"crs":{"type":"EPSG","properties":{"code":2194}},`, ""),
		`its crs is "2195", which is none`:        file("", `"crs":2195,`, ""),
		`"EPSG:2196"; they must be`:               file(`"spatialReference":{"wkid":2196},`, "", ""),
		`"EPSG:3857", and its numbers, up to 31,`: file("", `"spatialReference":{"wkid":102100,"latestWkid":3857},`, ""),
		`"EPSG:2197"; they must be`:               file("", "", `"srid":"2197",`),
		`"EPSG:2198"; they must be`:               file(`"srid":2198,`, "", ""),
		`of "EPSG:32736", and others of "EPSG:4326"`: file(fmt.Sprintf(crs, "EPSG:4326"), "",
			fmt.Sprintf(crs, "EPSG:32736")),
		"": file(`"spatialReference":{"wkid":4326},"srid":0,`, `"crs":null,"srid":"EPSG:4326",`, `"SRID":null,`),
	} {
		path := filepath.Join(t.TempDir(), "codes.geojson")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		regions, err := land.GeoJSON{}.Read(path)
		must.Be(t, says == "" && err == nil && len(regions) == 1 || says != "" && err != nil &&
			strings.Contains(err.Error(), says), "%v, want %q", err, says)
	}
}
