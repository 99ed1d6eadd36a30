package raster

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/store"
)

// GeoJSON writes a collection of polygons in longitude and latitude (RFC 7946), one polygon for each cell inside. A
// polygon has the properties cell (the index of the cell in a vector, from 0), area and the layers. Missing values are
// null. Cells whose centre is east of 180° are written 360° further west.
func (l Layers) GeoJSON(path string) error {
	if err := l.check("cell", "area"); err != nil {
		return err
	}
	place := l.lonLat()
	if place == nil {
		return fmt.Errorf("raster: GeoJSON is in longitude and latitude, the axes are %q and %q; give Layers.LonLat",
			l.Grid.X, l.Grid.Y)
	}
	names := make([]string, len(l.Layers))
	for i, layer := range l.Layers {
		text, err := json.Marshal(layer.Name)
		if err != nil {
			return fmt.Errorf("raster: layer %q: %w", layer.Name, err)
		}
		names[i] = string(text)
	}
	return store.WriteFile(path, func(w io.Writer) error {
		before := `{"type":"FeatureCollection","features":[` + "\n"
		for j, area := range l.Grid.Areas() {
			if !l.Grid.Inside(j) {
				continue
			}
			var properties strings.Builder
			for i, layer := range l.Layers {
				value := "null"
				if !math.IsNaN(layer.Values[j]) {
					value = digits(layer.Values[j])
				}
				fmt.Fprintf(&properties, ",%s:%s", names[i], value)
			}
			ring, err := ring(l.Grid, j, place)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, `%s{"type":"Feature","geometry":{"type":"Polygon","coordinates":[%s]},"properties":{"cell":%d,"area":%s%s}}`,
				before, ring, j, digits(area), properties.String()); err != nil {
				return err
			}
			before = ",\n"
		}
		if before != ",\n" {
			return fmt.Errorf("raster: no cell is inside; there is nothing to write")
		}
		_, err := io.WriteString(w, "\n]}\n")
		return err
	})
}

// ring returns the outline of cell j as JSON, counter-clockwise and closed.
func ring(g grid.Grid, j int, place func(x, y float64) (lon, lat float64)) (string, error) {
	ax, ay := g.Axes()
	x, y := g.Centre(j)
	west, south := place(x-math.Abs(ax.Step)/2, y-math.Abs(ay.Step)/2)
	east, north := place(x+math.Abs(ax.Step)/2, y+math.Abs(ay.Step)/2)
	if !(west < east && south < north && south >= -90 && north <= 90) {
		return "", fmt.Errorf("raster: cell %d reaches from %g to %g° east and from %g to %g° north; check "+
			"Layers.LonLat", j, west, east, south, north)
	}
	if west+east > 360 {
		west, east = west-360, east-360
	}
	w, e, s, n := digits(west), digits(east), digits(south), digits(north)
	return fmt.Sprintf("[[%s,%s],[%s,%s],[%s,%s],[%s,%s],[%s,%s]]", w, s, e, s, e, n, w, n, w, s), nil
}
