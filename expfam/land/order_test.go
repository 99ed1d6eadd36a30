package land_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// Positions are read in the order that the file declares, or that its numbers show; the rest is refused.
func TestOrder(t *testing.T) {
	belgium, kenya, japan, sydney := "[51.1,2.5],[51.4,3.4],[51.9,2.2],[51.1,2.5]",
		"[37,-1],[38,-1],[38,0],[37,-1]", "[35,139],[36,139],[36,140],[35,139]",
		"[-34,151],[-33,151],[-33,152],[-34,151]"
	turned := func(ring string) string {
		var parts []string
		for _, p := range strings.Split(strings.Trim(ring, "[]"), "],[") {
			lon, lat, _ := strings.Cut(p, ",")
			parts = append(parts, "["+lat+","+lon+"]")
		}
		return strings.Join(parts, ",")
	}
	const urn, ask, seem = "urn:ogc:def:crs:EPSG::4326", "it declares latitude before longitude, which not all " +
		"programs that declare it write", "they seem to have latitude first; set Order: land.LatitudeFirst"
	for _, c := range []struct {
		name, crs, ring string
		order           land.Order
		lon, lat        float64 // of the first position
		says            string  // "" if it is read
	}{
		{"WFS 2.0", urn, belgium, 0, 0, 0, ask},
		{"WFS 2.0, answered", urn, belgium, land.LatitudeFirst, 2.5, 51.1, ""},
		{"WFS 2.0 that does not", urn, turned(belgium), land.LongitudeFirst, 2.5, 51.1, ""},
		{"WFS 2.0, Japan", urn, japan, 0, 139, 35, ""},
		{"WFS 2.0, Japan, that does not", urn, turned(japan), 0, 139, 35, ""},
		{"WFS 2.0, Sydney", "urn:x-ogc:def:crs:EPSG:6.9:4326", sydney, 0, 151, -34, ""},
		{"a version", "urn:ogc:def:crs:EPSG:9.9:4326", kenya, 0, 0, 0, ask},
		{"http", "http://www.opengis.net/def/crs/EPSG/0/4326", belgium, 0, 0, 0, ask},
		{"http, Japan", "http://www.opengis.net/def/crs/EPSG/0/4326", japan, 0, 139, 35, ""},
		{"short", "EPSG:4326", kenya, 0, 37, -1, ""},
		{"short, in small letters", "epsg:4326", kenya, 0, 37, -1, ""},
		{"WFS 1.0", "http://www.opengis.net/gml/srs/epsg.xml#4326", kenya, 0, 37, -1, ""},
		{"CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84", kenya, 0, 37, -1, ""},
		{"CRS84, http", "http://www.opengis.net/def/crs/OGC/1.3/CRS84", kenya, 0, 37, -1, ""},
		{"OGC:CRS84", "OGC:CRS84", kenya, 0, 37, -1, ""},
		{"CRS84, but Japan turned", "OGC:CRS84", japan, 0, 0, 0, seem},
		{"none", "", kenya, 0, 37, -1, ""},
		{"none, but Japan turned", "", japan, 0, 0, 0, seem},
		{"none, answered", "", japan, land.LatitudeFirst, 139, 35, ""},
		{"an answer that cannot be", "", turned(japan), land.LatitudeFirst, 0, 0,
			"these are not longitudes and latitudes in degrees"},
		{"UTM", "urn:ogc:def:crs:EPSG::32737", kenya, 0, 0, 0,
			`its coordinates are "EPSG:32737", and its numbers, up to 38, look like degrees`},
		{"Web Mercator", "EPSG:3857", kenya, 0, 0, 0, `its coordinates are "EPSG:3857", and its numbers`},
		{"Web Mercator, http", "http://www.opengis.net/def/crs/EPSG/0/3857", kenya, 0, 0, 0, "look like degrees"},
		{"another code that ends so", "EPSG:14326", kenya, 0, 0, 0, `its coordinates are "EPSG:14326"`},
		{"NAD 83", "urn:ogc:def:crs:OGC:1.3:CRS83", kenya, 0, 37, -1, ""},
		{"NAD 27", "urn:ogc:def:crs:OGC:1.3:CRS27", kenya, 0, 0, 0, "must be longitude and latitude of WGS 84"},
		{"ETRS89", "urn:ogc:def:crs:EPSG::4258", kenya, 0, 0, 0, ask},
		{"ETRS89, short", "EPSG:4258", kenya, 0, 37, -1, ""},
		{"Tokyo", "EPSG:4301", kenya, 0, 0, 0, "within 2 m of WGS 84"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crs := "null"
			if c.crs != "" {
				crs = fmt.Sprintf(`{"type":"name","properties":{"name":%q}}`, c.crs)
			}
			for _, text := range []string{
				fmt.Sprintf(`{"type":"FeatureCollection","crs":%s,"features":[{"type":"Feature","properties":{},`+
					`"geometry":{"type":"Polygon","coordinates":[[%s]]}}]}`, crs, c.ring),
				fmt.Sprintf(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},`+
					`"geometry":{"type":"MultiPolygon","crs":%s,"coordinates":[[[%s]]]}}]}`, crs, c.ring),
			} {
				got, err := read(t, land.GeoJSON{Order: c.order}, text)
				if c.says != "" {
					must.Err(t, err, c.says)
				} else if err != nil || got[0].Polygons[0][0][0] != (land.Position{Lon: c.lon, Lat: c.lat}) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	for name, crs := range map[string]string{"GeoServer of 2007": `{"type":"EPSG","properties":{"code":4326}}`,
		"a text": `"EPSG:4326"`} {
		if got, err := read(t, land.GeoJSON{},
			`{"type":"Polygon","crs":`+crs+`,"coordinates":[[`+kenya+`]]}`); err != nil || got[0].Box().West != 37 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for order, want := range map[string]string{"1,0": "it declares latitude before longitude", "0,1": ""} {
		_, err := read(t, land.GeoJSON{}, `{"type":"Polygon","crs":{"type":"EPSG","properties":{"code":4326,`+
			`"coordinate_order":[`+order+`]}},"coordinates":[[`+kenya+`]]}`)
		must.Be(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)),
			"GeoJSON of 2007, order %s: %v; want %q", order, err, want)
	}
	must.Refuse(read(t, land.GeoJSON{},
		`{"type":"Polygon","crs":[1],"coordinates":[[`+kenya+`]]}`))(t, `its crs is "[1]", which is none of GeoJSON`)
}

// Where neither the file nor its numbers tell, the map remarks on regions that would be in Africa if they were
// exchanged.
func TestExchangedRegions(t *testing.T) {
	for ring, want := range map[string]bool{
		"[-1,37],[0,37],[0,38],[-1,37]": true, "[37,-1],[38,-1],[38,0],[37,-1]": false, // Kenya, in both orders
		"[51,2],[52,2],[52,3],[51,2]": false, "[2,51],[3,51],[3,52],[2,51]": false, // Belgium
	} {
		r := must.Get(read(t, land.GeoJSON{}, `{"type":"Polygon","coordinates":[[`+ring+`]]}`))(t)
		m, err := land.Frame{Regions: r, Rows: 4}.Map()
		must.Be(t, err == nil && strings.Contains(m.String(), "with longitude and latitude exchanged") == want,
			"%s: %v, %v", ring, m, err)
	}
}

const wkt2 = `GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],` +
	`PRIMEM["Greenwich",0],CS[ellipsoidal,2],RESTANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]`

// The order of axes in a .prj file changes nothing, as in GDAL: a position of a shapefile is x, y.
func TestOrderOfShapefiles(t *testing.T) {
	axes := func(first, second string) []byte {
		return []byte(strings.TrimSuffix(wgs84, "]") + `,AXIS["` + first + `",NORTH],AXIS["` + second + `",EAST]]`)
	}
	for _, c := range []struct {
		name  string
		prj   []byte
		x, y  float64
		order land.Order
		west  float64
		says  string
	}{
		{"none", []byte(wgs84), 37, -1, 0, 37, ""},
		{"longitude first", axes("Geodetic longitude", "Geodetic latitude"), 37, -1, 0, 37, ""},
		{"latitude first, as GeoPandas writes it", axes("Latitude", "Longitude"), 37, -1, 0, 37, ""},
		{"latitude first, of version 2", []byte(strings.Replace(wkt2, "REST", `AXIS["geodetic latitude (Lat)",north],`+
			`AXIS["geodetic longitude (Lon)",east],`, 1)), 37, -1, 0, 37, ""},
		{"latitude first, answered", axes("Latitude", "Longitude"), 37, -1, land.LongitudeFirst, 37, ""},
		{"latitude first, turned", axes("Lat", "Lon"), -1, 37, land.LatitudeFirst, 37, ""},
		{"latitude first, the numbers say no", axes("Lat", "Lon"), 139, 35, 0, 139, ""},
		{"latitude first, and numbers that are so", axes("geodetic latitude (Lat)", "geodetic longitude (Lon)"), 35,
			139, 0, 0, "they seem to have latitude first"},
		{"a code", []byte("EPSG:4326"), 37, -1, 0, 37, ""},
		{"PROJ's text", []byte("+proj=longlat +datum=WGS84"), 37, -1, 0, 37, ""},
		{"JSON", []byte(`{"type": "GeographicCRS", "bbox": [1]}`), 37, -1, 0, 0, "is no well-known text"},
		{"an empty .prj", []byte("\n"), 37, -1, 0, 0, "its .prj: nothing names its coordinates; if coordinates are " +
			"longitude and latitude of WGS 84, remove that file and set WGS84"},
		{"none, turned", []byte(wgs84), 35, 139, 0, 0, "they seem to have latitude first; set Order: " +
			"land.LatitudeFirst"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string][]byte{".shp": shp(5, []ring{box(c.x, c.y, c.x+1, c.y+1, true)}),
				".dbf": dbf([]string{"A"}, []string{"1"}), ".prj": c.prj}
			got, err := land.Shapefile{Order: c.order}.Read(write(t, files))
			if c.says != "" {
				must.Err(t, err, c.says)
			} else if err != nil || got[0].Box().West != c.west {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
