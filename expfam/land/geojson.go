package land

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// GeoJSON reads districts or other regions from a file of polygons (RFC 7946):
//
//	districts, err := land.GeoJSON{Name: "adm1_name"}.Read("districts.geojson")
//
// Coordinates must be longitude and latitude of WGS 84 in degrees, as the standard says; a file that names other
// coordinates ("crs"), or has numbers out of range, is refused. A file with a feature that is not a polygon is
// refused, so no feature is left out.
type GeoJSON struct {
	// Name is the property with the name of a region, in upper or lower case. Default: "name", or "shapeName"
	// as in geoBoundaries. Without these properties a region is named by its number in the file, from 0.
	Name string
}

// Read reads the regions in a file. It is an error if there are none.
func (o GeoJSON) Read(path string) ([]Region, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("land: %w", err)
	}
	regions, err := o.decode(text)
	if err != nil {
		return nil, fmt.Errorf("land: %s: %w", path, err)
	}
	return regions, nil
}

// feature is any GeoJSON object: a collection, a feature or a bare geometry.
type feature struct {
	Type        string
	Features    []feature
	Properties  map[string]any
	Geometry    *geometry
	Coordinates json.RawMessage
	Geometries  []geometry
	CRS         *struct{ Properties struct{ Name string } }
}

type geometry struct {
	Type        string
	Coordinates json.RawMessage
	Geometries  []geometry
}

func (o GeoJSON) decode(text []byte) ([]Region, error) {
	var file feature
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some programs begin a file with a byte order mark
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("no GeoJSON: %w", err)
	}
	if c := file.CRS; c != nil {
		flat := strings.ToUpper(c.Properties.Name)
		if !strings.Contains(flat, "CRS84") && !strings.Contains(flat, "EPSG") || strings.Contains(flat, "EPSG") && !strings.HasSuffix(flat, ":4326") {
			return nil, fmt.Errorf("its coordinates are %.60q; they must be longitude and latitude of WGS 84: convert the file, as by ogr2ogr -t_srs EPSG:4326 new.geojson old.geojson", c.Properties.Name)
		}
	}
	var features []feature
	switch file.Type {
	case "FeatureCollection":
		features = file.Features
	case "Feature":
		features = []feature{file}
	default:
		features = []feature{{Geometry: &geometry{file.Type, file.Coordinates, file.Geometries}}}
	}
	if len(features) == 0 {
		return nil, fmt.Errorf("there are no features; a file of districts has one for each")
	}
	regions := make([]Region, len(features))
	for i, f := range features {
		name, err := nameOf(f.Properties, o.Name, "GeoJSON", i)
		if err != nil {
			return nil, fmt.Errorf("feature %d: %w", i, err)
		}
		if f.Geometry == nil {
			return nil, fmt.Errorf("feature %d, %q, has no geometry; leave it out of the file", i, name)
		}
		polygons, err := f.Geometry.polygons()
		if err != nil {
			return nil, fmt.Errorf("feature %d, %q: %w", i, name, err)
		}
		if regions[i], err = newRegion(name, polygons); err != nil {
			return nil, fmt.Errorf("feature %d: %w", i, err)
		}
		if err := regions[i].degrees(); err != nil {
			return nil, fmt.Errorf("feature %d: %w", i, err)
		}
		regions[i].Properties = f.Properties
	}
	return regions, nil
}

// nameOf returns the name of region i, from its properties. want is the property that the caller asks for, "" for the
// default. field is the type with the field Name, for errors.
func nameOf(properties map[string]any, want, field string, i int) (string, error) {
	wanted := []string{want}
	if want == "" {
		wanted = []string{"name", "shapename"}
	}
	keys := slices.Sorted(maps.Keys(properties))
	for _, w := range wanted {
		for _, key := range keys {
			if strings.EqualFold(key, w) && properties[key] != nil {
				if v, ok := properties[key].(float64); ok && math.Abs(v) < 1<<53 { // a code such as 1000001, not 1.000001e+06
					return strconv.FormatFloat(v, 'f', -1, 64), nil
				}
				return fmt.Sprint(properties[key]), nil
			}
		}
	}
	if want != "" {
		for _, key := range keys {
			if strings.EqualFold(key, want) {
				return "", fmt.Errorf("its property %q is null; give it a name, or another property in %s", key, field)
			}
		}
		return "", fmt.Errorf("it has no property %q but %q; name one of these in %s", want, keys, field)
	}
	return fmt.Sprint(i), nil
}

// degrees refuses coordinates that cannot be longitude and latitude, and outlines that jump from one side of the date
// line to the other: their edges would go around the Earth.
func (r Region) degrees() error {
	b := r.box
	if b.West < -360 || b.East > 360 || b.South < -90-1e-6 || b.North > 90+1e-6 {
		return fmt.Errorf("region %q goes from %.6g to %.6g and from %.6g to %.6g: these are not longitudes and latitudes in degrees, but perhaps metres of a projection; convert the file, as by ogr2ogr -t_srs EPSG:4326", r.Name, b.West, b.East, b.South, b.North)
	}
	for _, ring := range r.Rings() {
		for n := 1; n < len(ring); n++ {
			// Edges from −180 to 180 are those of outlines that were cut at the date line, such as of Antarctica.
			if p, q := ring[n-1], ring[n]; math.Abs(p.Lon-q.Lon) > 180 && !(math.Abs(p.Lon) >= 180 && math.Abs(q.Lon) >= 180) {
				return fmt.Errorf("region %q has an edge from longitude %.6g to %.6g, across the date line; cut it there, as by ogr2ogr -wrapdateline, or add 360 to western longitudes", r.Name, p.Lon, q.Lon)
			}
		}
	}
	return nil
}

// polygons returns the polygons of a Polygon, a MultiPolygon or a GeometryCollection of these.
func (g geometry) polygons() ([][][]Position, error) {
	var all [][][][]float64
	switch g.Type {
	case "Polygon":
		all = make([][][][]float64, 1)
		if err := json.Unmarshal(g.Coordinates, &all[0]); err != nil {
			return nil, fmt.Errorf("its coordinates: %w", err)
		}
	case "MultiPolygon":
		if err := json.Unmarshal(g.Coordinates, &all); err != nil {
			return nil, fmt.Errorf("its coordinates: %w", err)
		}
	case "GeometryCollection":
		var joined [][][]Position
		for _, part := range g.Geometries {
			polygons, err := part.polygons()
			if err != nil {
				return nil, err
			}
			joined = append(joined, polygons...)
		}
		return joined, nil
	default:
		return nil, fmt.Errorf("it is a %q; regions are a Polygon or a MultiPolygon", g.Type)
	}
	polygons := make([][][]Position, len(all))
	for i, polygon := range all {
		for k, ring := range polygon {
			positions := make([]Position, len(ring))
			for n, p := range ring {
				if len(p) < 2 {
					return nil, fmt.Errorf("position %d of ring %d has %d numbers; it needs a longitude and a latitude", n, k, len(p))
				}
				positions[n] = Position{p[0], p[1]}
			}
			polygons[i] = append(polygons[i], positions)
		}
	}
	return polygons, nil
}

// NewRegion makes a region of polygons. A polygon has closed rings: the outer ring first, then the holes.
func NewRegion(name string, polygons [][][]Position) (Region, error) {
	r, err := newRegion(name, polygons)
	if err != nil {
		return Region{}, fmt.Errorf("land: %w", err)
	}
	return r, nil
}

func newRegion(name string, polygons [][][]Position) (Region, error) {
	r := Region{Name: name, Polygons: polygons, box: Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}}
	for i, polygon := range polygons {
		if len(polygon) == 0 {
			return Region{}, fmt.Errorf("region %q: polygon %d has no ring; it needs an outline", name, i)
		}
		for k, ring := range polygon {
			if len(ring) < 4 || ring[0] != ring[len(ring)-1] {
				return Region{}, fmt.Errorf("region %q: ring %d of polygon %d has %d positions and is not closed by them; a ring has at least 4, of which the last is the first", name, k, i, len(ring))
			}
			for n, p := range ring {
				if s := p.Lon + p.Lat; math.IsNaN(s) || math.IsInf(s, 0) {
					return Region{}, fmt.Errorf("region %q: position %d of ring %d of polygon %d is (%g, %g); both must be finite", name, n, k, i, p.Lon, p.Lat)
				}
				r.box.West, r.box.East = min(r.box.West, p.Lon), max(r.box.East, p.Lon)
				r.box.South, r.box.North = min(r.box.South, p.Lat), max(r.box.North, p.Lat)
			}
		}
	}
	if len(polygons) == 0 {
		return Region{}, fmt.Errorf("region %q has no polygons; give at least one", name)
	}
	return r, nil
}
