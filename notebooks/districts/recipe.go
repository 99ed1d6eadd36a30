//go:build ignore

// Recipe makes counties.geojson from sids.gpkg, for pages of lessons: a browser reads no SQLite. It has one feature a
// line, with the name, the deaths and the births of 1974 to 1978, in degrees of WGS 84. Coordinates are rounded to
// 0.0001°, which is 11 m. Shared borders consist of the same points before and after rounding.
package main

import (
	"encoding/json"
	"log"
	"math"
	"os"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/geopackage"
)

type object = map[string]any

func main() {
	counties, err := geopackage.Layer{From: geodesy.NAD27}.Read("sids.gpkg")
	if err != nil {
		log.Fatal(err)
	}
	var lines []string
	for _, c := range counties {
		var shape [][][][2]float64
		for _, polygon := range c.Polygons {
			var rings [][][2]float64
			for _, ring := range polygon {
				var points [][2]float64
				for _, p := range ring {
					points = append(points, [2]float64{math.Round(p.Lon*1e4) / 1e4, math.Round(p.Lat*1e4) / 1e4})
				}
				rings = append(rings, points)
			}
			shape = append(shape, rings)
		}
		line, err := json.Marshal(object{"type": "Feature",
			"properties": object{"name": c.Name, "SID74": c.Properties["SID74"], "BIR74": c.Properties["BIR74"]},
			"geometry":   object{"type": "MultiPolygon", "coordinates": shape}})
		if err != nil {
			log.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	text := "{\"type\":\"FeatureCollection\",\"features\":[\n" + strings.Join(lines, ",\n") + "\n]}\n"
	if err := os.WriteFile("counties.geojson", []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}
