package land

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
)

// Order is the order of the two numbers of a position in a file.
type Order int

// The orders. The zero value is the order that the file declares.
const (
	DeclaredOrder  Order = iota
	LongitudeFirst       // x before y, as RFC 7946 and shapefiles have it
	LatitudeFirst        // as ISO 6709 and the definition of EPSG:4326 have it
)

// declared is the order of positions that a file declares. The larger one is less certain.
type declared int

const (
	longitudeDeclared declared = iota // or nothing is declared
	latitudeDeclared
)

// references are the members of a GeoJSON object that say what its coordinates are: "crs", until RFC 7946, and those of
// Esri's and of PostGIS' JSON, which some programs leave in GeoJSON.
type references struct {
	CRS, SpatialReference, SRID json.RawMessage
}

// all returns what the members say, each in the form of "crs".
func (r references) all() []json.RawMessage {
	all := []json.RawMessage{r.CRS}
	var of struct{ WKID, LatestWKID int }
	if json.Unmarshal(r.SpatialReference, &of) == nil && cmp.Or(of.LatestWKID, of.WKID) != 0 {
		all = append(all, fmt.Appendf(nil, `"EPSG:%d"`, cmp.Or(of.LatestWKID, of.WKID)))
	}
	if code := bytes.Trim(r.SRID, `" `); len(code) > 0 && string(code) != "null" && string(code) != "0" {
		all = append(all, fmt.Appendf(nil, "%q", "EPSG:"+strings.TrimPrefix(string(code), "EPSG:")))
	}
	return all
}

// all returns what a geometry and its parts say.
func (g *geometry) all() []json.RawMessage {
	all := g.references.all()
	for i := range g.Geometries {
		all = append(all, g.Geometries[i].all()...)
	}
	return all
}

// orderOf returns the order that a member "crs" declares, and what it says of the coordinates, nil if nothing. By OGC's
// names, CRS84 and the short forms of EPSG's codes have longitude first, and the forms urn:… and …/def/crs/… of codes
// of longitude and latitude have latitude first (OGC 09-048r5, OGC 07-092r3; GeoServer's manual, "Axis ordering").
func orderOf(crs json.RawMessage) (declared, *geodesy.Reference, error) {
	if text := strings.TrimSpace(string(crs)); text == "" || text == "null" {
		return longitudeDeclared, nil, nil
	}
	var name string
	latitude := false // declared to be first
	if json.Unmarshal(crs, &name) != nil {
		var object struct {
			Type       string
			Properties struct {
				Name  string
				Code  any
				Order []int `json:"coordinate_order"` // of x and y, as in GeoJSON of 2007
			}
		}
		if err := json.Unmarshal(crs, &object); err != nil {
			return 0, nil, fmt.Errorf("its crs is %.60q, which is none of GeoJSON; leave it out if coordinates are "+
				"longitude and latitude of WGS 84", crs)
		}
		latitude = len(object.Properties.Order) > 1 && object.Properties.Order[0] == 1
		if name = object.Properties.Name; name == "" && object.Properties.Code != nil { // as in GeoJSON of 2007
			name = fmt.Sprint(object.Type, ":", object.Properties.Code)
		}
	}
	r, err := geodesy.ParseReference(name)
	if err != nil || r.System == nil {
		return 0, nil, fmt.Errorf("its coordinates are %.60q; they must be longitude and latitude of WGS 84, UTM or "+
			"Web Mercator: convert the file, as by ogr2ogr -t_srs EPSG:4326 new.geojson old.geojson", name)
	}
	flat := strings.ToUpper(name)
	if r.Degrees && (latitude || strings.Contains(flat, "EPSG") && strings.Contains(flat, "DEF")) {
		return latitudeDeclared, &r, nil
	}
	return longitudeDeclared, &r, nil
}

// arrange puts longitude first in all positions of a file. Without a wanted order, numbers beyond ±90 decide where the
// file declares latitude first. If there are none, it asks.
func arrange(all [][][][]Position, by declared, wanted Order) error {
	first, second := 0.0, 0.0 // the largest absolute values
	each(all, func(p Position) Position {
		first, second = math.Max(first, math.Abs(p.Lon)), math.Max(second, math.Abs(p.Lat))
		return p
	})
	swapped := second > 90+1e-6 && second <= 360 && first <= 90+1e-6
	switch {
	case wanted == LongitudeFirst:
		return nil
	case wanted == DeclaredOrder && by == longitudeDeclared && swapped:
		return fmt.Errorf("its positions have second numbers up to %.6g, which are no latitudes, and first numbers "+
			"within ±90: they seem to have latitude first; set Order: land.LatitudeFirst if they do", second)
	case wanted == DeclaredOrder && (by == longitudeDeclared || first > 90+1e-6):
		return nil
	case wanted == DeclaredOrder && !swapped:
		return fmt.Errorf("it declares latitude before longitude, which not all programs that declare it write, "+
			"and its numbers, up to %.6g and %.6g, do not tell; set Order: land.LatitudeFirst, or "+
			"land.LongitudeFirst if the first numbers are longitudes", first, second)
	}
	each(all, func(p Position) Position { return Position{p.Lat, p.Lon} })
	return nil
}
