package raster

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestGeoKeys: longitude and latitude are those of WGS 84 or of a datum within 2 m of it, from Greenwich and of the
// Earth, as in every other reader. Coordinates of a map are any.
func TestGeoKeys(t *testing.T) {
	const projected, geographic, inDoubles = 1, 2, 34736
	degrees := [3]int{keyModel, 0, geographic}
	for name, c := range map[string]struct {
		keys    [][3]int // the key, where its value is, and the value
		doubles []float64
		says    string // "" for degrees that are read
	}{
		"nothing said":      {[][3]int{degrees}, nil, ""},
		"WGS 84":            {[][3]int{degrees, {keyGeographic, 0, 4326}}, nil, ""},
		"NAD83":             {[][3]int{degrees, {keyGeographic, 0, 4269}}, nil, ""},
		"SIRGAS 2000":       {[][3]int{degrees, {keyGeographic, 0, 4674}}, nil, ""},
		"a datum":           {[][3]int{degrees, {keyGeographic, 0, ofUser}, {keyDatum, 0, 6258}}, nil, ""},
		"Jakarta":           {[][3]int{degrees, {keyGeographic, 0, 4813}}, nil, "from Greenwich"},
		"Oslo":              {[][3]int{degrees, {keyGeographic, 0, 4817}}, nil, "from Greenwich"},
		"Ferro":             {[][3]int{degrees, {keyGeographic, 0, 4805}}, nil, "from Greenwich"},
		"Tokyo":             {[][3]int{degrees, {keyGeographic, 0, 4301}}, nil, "within 2 m of WGS 84"},
		"Arc 1960":          {[][3]int{degrees, {keyGeographic, 0, 4210}}, nil, "within 2 m of WGS 84"},
		"NAD27":             {[][3]int{degrees, {keyGeographic, 0, 4267}}, nil, "within 2 m of WGS 84"},
		"Tokyo by its code": {[][3]int{degrees, {keyDatum, 0, 6301}}, nil, "within 2 m of WGS 84"},
		"a meridian": {[][3]int{degrees, {keyGeographic, 0, 4326}, {keyMeridian, 0, 8909}}, nil,
			"count from the meridian 8909"},
		"one of the user": {[][3]int{degrees, {keyMeridianAngle, inDoubles, 1}}, []float64{7, 106.8},
			"at 106.8"},
		"Greenwich": {[][3]int{degrees, {keyMeridian, 0, 8901}, {keyMeridianAngle, inDoubles, 0}},
			[]float64{0}, ""},
		"the Moon": {[][3]int{degrees, {keyHalfAxis, inDoubles, 0}}, []float64{1737400},
			"a radius of 1737 km, which is not the Earth"},
		"a sphere": {[][3]int{degrees, {keyDatum, 0, 6035}, {keyHalfAxis, inDoubles, 0}},
			[]float64{6371000}, ""},
		"a map on Tokyo": {[][3]int{{keyModel, 0, projected}, {keyGeographic, 0, 4301}, {keyLengths, 0, 9001}}, nil,
			"m"},
	} {
		short, double := tiffTag{kind: 3}, tiffTag{kind: 12}
		put := func(v int) { short.data = binary.LittleEndian.AppendUint16(short.data, uint16(v)) }
		for _, v := range []int{1, 1, 0, len(c.keys)} {
			put(v)
		}
		for _, k := range c.keys {
			for _, v := range []int{k[0], k[1], 1, k[2]} {
				put(v)
			}
		}
		for _, v := range c.doubles {
			double.data = binary.LittleEndian.AppendUint64(double.data, math.Float64bits(v))
		}
		file := &tiff{order: binary.LittleEndian, tags: map[uint16]tiffTag{tagGeoKeys: short, inDoubles: double}}
		r, err := file.referenceOf(file.geoKeys())
		switch {
		case err != nil:
			must.Be(t, c.says != "" && strings.Contains(err.Error(), c.says), "%s: %v; want %q", name, err, c.says)
		case c.says == "m":
			must.Be(t, !r.degrees && r.unit == "m", "%s: %+v", name, *r)
		default:
			must.Be(t, c.says == "" && r.degrees, "%s: %+v, want %q", name, *r, c.says)
		}
	}
}
