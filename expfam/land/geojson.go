package land

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// GeoJSON reads districts or other regions from a file of polygons (RFC 7946):
//
//	districts, err := land.GeoJSON{Name: "adm1_name"}.Read("districts.geojson")
//
// Coordinates are longitude and latitude of WGS 84 in degrees, as the standard says, or what the file names ("crs"):
// a datum within 2 m of WGS 84, UTM or Web Mercator. Other coordinates, and numbers out of range, are refused. A file
// with a feature that is not a polygon is refused, so no feature is left out.
type GeoJSON struct {
	// Name is the property with the name of a region, in upper or lower case, or "id" for the id of a feature. Default:
	// the property that usually has it, such as "name", "shapeName" of geoBoundaries, GADM's NAME_2 at the deepest
	// level, OCHA's ADM2_EN, NUTS_NAME, LAD23NM or GEOID. A region without it is named by the id of its feature, or
	// else by its number in the file, from 0.
	Name string
	// SameNames allows several regions of one name. Default: they are refused, because results by name would be of one
	// of them.
	SameNames bool
	// Order is the order of the two numbers of a position. Default: the order that the file declares, which is
	// longitude first without "crs". Some programs write longitude first where EPSG:4326 in its long forms, such as
	// "urn:ogc:def:crs:EPSG::4326", declares latitude first. In such a file the numbers decide, if one is beyond ±90;
	// otherwise it is refused, and Order decides.
	Order Order
	// Repair keeps of regions whose outlines cross themselves what [Repair] does. Default: they are refused.
	Repair bool
}

// Read reads the regions in a file. It is an error if there are none.
func (o GeoJSON) Read(path string) ([]Region, error) {
	return read(path, o.SameNames, o.open, layer.regions)
}

// feature is any GeoJSON object: a collection, a feature or a bare geometry.
type feature struct {
	Type        string
	ID          json.RawMessage
	Features    []feature
	Properties  properties
	Geometry    *geometry
	Coordinates json.RawMessage
	Geometries  []geometry
	references
}

type geometry struct {
	Type        string
	Coordinates json.RawMessage
	Geometries  []geometry
	references
}

// id returns the id of a feature as a text, "" without one. It becomes the property "id" of a feature that has none.
func (f *feature) id() (string, error) {
	if len(f.ID) == 0 {
		return "", nil
	}
	var one properties // which keeps all digits of a number
	if err := json.Unmarshal(fmt.Appendf(nil, `{"id":%s}`, f.ID), &one); err != nil {
		return "", err
	}
	text, err := textOf(one["id"])
	if err != nil {
		return "", fmt.Errorf("its id %w", err)
	}
	for key := range f.Properties {
		if strings.EqualFold(key, "id") {
			return text, nil
		}
	}
	if text != "" {
		if f.Properties == nil {
			f.Properties = properties{}
		}
		f.Properties["id"] = one["id"]
	}
	return text, nil
}

// open reads the features of a file. Those of places may share names.
func (o GeoJSON) open(path string, sameNames bool) (l layer, err error) {
	l = layer{naming: naming{o.Name, sameNames, "feature"}, order: o.Order, repair: o.Repair}
	text, err := safefile.Read(path, math.MaxInt64)
	if err != nil {
		return l, err
	}
	file, err := parse(text)
	if err != nil {
		return l, err
	}
	var features []feature
	switch file.Type {
	case "FeatureCollection":
		features = file.Features
	case "Feature":
		features = []feature{file}
	default:
		features = []feature{{Geometry: &geometry{file.Type, file.Coordinates, file.Geometries, file.references}}}
	}
	if len(features) == 0 {
		if _, _, err := orderOf(file.CRS); err != nil {
			return l, err
		}
		return l, fmt.Errorf("there are no features; a file of districts or places has one for each")
	}
	ids := make([]string, len(features))
	l.rows = make([]map[string]any, len(features))
	for i := range features {
		if ids[i], err = features[i].id(); err != nil {
			return l, fmt.Errorf("feature %d: %w", i, err)
		}
		l.rows[i] = features[i].Properties
	}
	if l.names, err = l.naming.names(l.rows, ids); err != nil {
		return l, err
	}
	for i, f := range features {
		if f.Geometry == nil {
			return l, fmt.Errorf("feature %d, %q, has no geometry; leave it out of the file", i, l.names[i])
		}
		for _, crs := range slices.Concat(file.all(), f.all(), f.Geometry.all()) {
			d, says, err := orderOf(crs)
			if err != nil {
				return l, err
			}
			if says != nil && l.says != nil && (says.Degrees != l.says.Degrees || says.Name != l.says.Name &&
				!says.Degrees) {
				return l, fmt.Errorf("feature %d, %q, has coordinates of %q, and others of %q; write all in one system",
					i, l.names[i], says.Name, l.says.Name)
			}
			if l.by = max(l.by, d); says != nil {
				l.says = says
			}
		}
	}
	l.polygons = func(i int) ([][][]Position, error) { return features[i].Geometry.polygons() }
	l.point = func(i int) (Position, error) { return features[i].Geometry.point() }
	return l, nil
}

// degrees refuses coordinates that cannot be longitude and latitude, and outlines that jump from one side of the date
// line to the other: their edges would go around the Earth.
func (r Region) degrees() error {
	b := r.box
	if b.South >= -90 && b.North <= 90 && b.West >= -720 && b.East <= 720 && (b.West < -360 || b.East > 360) {
		return fmt.Errorf("region %q has longitudes from %.6g to %.6g; they must be within ±360: add or subtract 360",
			r.Name, b.West, b.East)
	}
	if b.West < -360 || b.East > 360 || b.South < -90-1e-6 || b.North > 90+1e-6 {
		return fmt.Errorf("region %q goes from %.6g to %.6g and from %.6g to %.6g: these are not longitudes and "+
			"latitudes in degrees, but perhaps metres of a projection; convert the file, as by ogr2ogr -t_srs "+
			"EPSG:4326", r.Name, b.West, b.East, b.South, b.North)
	}
	for _, ring := range r.Rings() {
		for n := 1; n < len(ring); n++ {
			// Edges from −180 to 180 are those of outlines that were cut at the date line, such as of Antarctica.
			if p, q := ring[n-1], ring[n]; math.Abs(p.Lon-q.Lon) > 180 &&
				!(math.Abs(p.Lon) >= 180 && math.Abs(q.Lon) >= 180) {
				return fmt.Errorf("region %q has an edge from longitude %.6g to %.6g, across the date line; cut it "+
					"there, as by ogr2ogr -wrapdateline, or add 360 to western longitudes", r.Name, p.Lon, q.Lon)
			}
		}
	}
	return nil
}

// polygons returns the polygons of a Polygon, a MultiPolygon or a GeometryCollection of these.
func (g geometry) polygons() ([][][]Position, error) {
	var all [][][][]float64
	if bytes.Contains(g.Coordinates, []byte("null")) { // which encoding/json reads as 0
		return nil, errors.New("one of its coordinates is null; give it a number, or leave the position out")
	}
	switch g.Type {
	case "Polygon":
		all = make([][][][]float64, 1)
		if err := json.Unmarshal(g.Coordinates, &all[0]); err != nil {
			return nil, fmt.Errorf("its coordinates are %.40q; a Polygon has a list of rings, which are lists of "+
				"positions of two numbers", g.Coordinates)
		}
	case "MultiPolygon":
		if err := json.Unmarshal(g.Coordinates, &all); err != nil {
			return nil, fmt.Errorf("its coordinates are %.40q; a MultiPolygon has a list of polygons, which are "+
				"lists of rings", g.Coordinates)
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
		return nil, fmt.Errorf("it is a %q; regions are a Polygon or a MultiPolygon: read points by ReadPlaces", g.Type)
	}
	polygons := make([][][]Position, len(all))
	for i, polygon := range all {
		for k, ring := range polygon {
			positions := make([]Position, len(ring))
			for n, p := range ring {
				if len(p) < 2 {
					return nil, fmt.Errorf("position %d of ring %d has %d numbers; it needs a longitude and a latitude",
						n, k, len(p))
				}
				positions[n] = Position{p[0], p[1]}
			}
			polygons[i] = append(polygons[i], positions)
		}
	}
	return polygons, nil
}
