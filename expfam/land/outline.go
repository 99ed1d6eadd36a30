package land

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Outline returns the rings of the region as positions, longitude before latitude, for figures such as viz.Choropleth.
func (r Region) Outline() [][][2]float64 {
	var rings [][][2]float64
	for _, ring := range r.Rings() {
		out := make([][2]float64, len(ring))
		for k, p := range ring {
			out[k] = [2]float64{p.Lon, p.Lat}
		}
		rings = append(rings, out)
	}
	return rings
}

// Facts returns the properties of the region in a line, in the order of the alphabet.
func (r Region) Facts() string { return facts(r.Properties) }

// Position returns the longitude and the latitude of the place.
func (p Place) Position() (lon, lat float64) { return p.At.Lon, p.At.Lat }

// Facts returns the properties of the place in a line, in the order of the alphabet.
func (p Place) Facts() string { return facts(p.Properties) }

func facts(of map[string]any) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if v := of[key]; v != nil {
			all = append(all, fmt.Sprintf("%s %v", key, v))
		}
	}
	return strings.Join(all, ", ")
}
