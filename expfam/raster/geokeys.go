package raster

import (
	"fmt"

	"github.com/expfam/lab/expfam/geodesy"
)

// referenceOf returns what the GeoKeys say about the coordinates.
func (t *tiff) referenceOf(keys map[int]int) (*reference, error) {
	r := reference{}
	r.unit = map[int]string{9001: "m", 9002: "ft", 9003: "ft", 9036: "km"}[keys[keyLengths]]
	if keys[keyModel] != asGeographic {
		return &r, nil
	}
	if unit := keys[keyAngles]; unit != 0 && unit != 9102 {
		return nil, fmt.Errorf("angles in unit %d; only degrees (9102) are read: warp it with gdalwarp -t_srs "+
			"EPSG:4326", unit)
	}
	code, of := keys[keyGeographic], geodesy.Reference{}
	if code != 0 && code != ofUser {
		of = geodesy.EPSG(int64(code), "")
		of.Degrees = true
	} else {
		of = geodesy.OfDatum(int64(keys[keyDatum]), t.geoDouble(keyHalfAxis))
	}
	if meridian, at := keys[keyMeridian], t.geoDouble(keyMeridianAngle); meridian != 0 && meridian != 8901 &&
		meridian != ofUser || at != 0 {
		return nil, fmt.Errorf("its longitudes count from the meridian %d at %g; only those from Greenwich are read: "+
			"warp it with gdalwarp -t_srs EPSG:4326", meridian, at)
	}
	r.degrees = true
	return &r, of.Check()
}

// geoDouble returns the value of a key that is a number of double precision, 0 if there is none.
func (t *tiff) geoDouble(key int) float64 {
	const tagDoubles = 34736
	numbers := t.floats(tagDoubles)
	for v := t.ints(tagGeoKeys); len(v) >= 8; v = v[4:] {
		if id, where, at := v[4], v[5], v[7]; id == key && where == tagDoubles && at < len(numbers) {
			return numbers[at]
		}
	}
	return 0
}

// geoKeys returns the keys whose values are short numbers.
func (t *tiff) geoKeys() map[int]int {
	keys := map[int]int{}
	v := t.ints(tagGeoKeys)
	for ; len(v) >= 8; v = v[4:] {
		if id, where, value := v[4], v[5], v[7]; where == 0 {
			keys[id] = value
		}
	}
	return keys
}
