package land

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
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

// authority parts names of EPSG's coordinates, such as "EPSG:4326", "urn:ogc:def:crs:EPSG::4326",
// "urn:x-ogc:def:crs:EPSG:6.9:4326", "http://www.opengis.net/def/crs/EPSG/0/4326" and ".../gml/srs/epsg.xml#4326".
var authority = regexp.MustCompile(`EPSG(?:\.XML)?[:/#].*?(\d+)$`)

// orderOf returns the order that a member "crs" declares, and refuses other coordinates than those of WGS 84. By OGC's
// names, CRS84 and the short forms of EPSG:4326 have longitude first, and its forms urn:… and …/def/crs/… have latitude
// first (OGC 09-048r5, OGC 07-092r3; GeoServer's manual, "Axis ordering").
func orderOf(crs json.RawMessage) (declared, error) {
	if text := strings.TrimSpace(string(crs)); text == "" || text == "null" {
		return longitudeDeclared, nil
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
			return 0, fmt.Errorf("its crs is %.60q, which is none of GeoJSON; leave it out if coordinates are "+
				"longitude and latitude of WGS 84", crs)
		}
		latitude = len(object.Properties.Order) > 1 && object.Properties.Order[0] == 1
		if name = object.Properties.Name; name == "" && object.Properties.Code != nil { // as in GeoJSON of 2007
			name = fmt.Sprint(object.Type, ":", object.Properties.Code)
		}
	}
	flat := strings.ToUpper(strings.TrimSpace(name))
	switch found := authority.FindStringSubmatch(flat); {
	case latitude && found != nil && found[1] == "4326":
		return latitudeDeclared, nil
	case strings.HasSuffix(flat, "CRS84"), strings.HasSuffix(flat, "CRS:84"), strings.HasSuffix(flat, "OGC:2:84"),
		flat == "WGS84", flat == "WGS 84", found != nil && found[1] == "4326" && !strings.Contains(flat, "DEF"):
		return longitudeDeclared, nil
	case found != nil && found[1] == "4326":
		return latitudeDeclared, nil
	}
	return 0, fmt.Errorf("its coordinates are %.60q; they must be longitude and latitude of WGS 84: convert the "+
		"file, as by ogr2ogr -t_srs EPSG:4326 new.geojson old.geojson", name)
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
