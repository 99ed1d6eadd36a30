package raster

import (
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam/grid"
)

// Layers are maps on one grid, each with a name. They are written into one file for a geographic information system:
//
//	maps := raster.Layers{Grid: g, Layers: []raster.Layer{{"median", post.Median()}, {"sd", post.SD()}}}
//	err := maps.GeoTIFF("prevalence.tif")
//
// A file is replaced completely or not at all. Cells outside are left out or marked as
// missing. A value that is NaN is missing in its layer.
type Layers struct {
	Grid   grid.Grid
	Layers []Layer
	// LonLat gives longitude and latitude in degrees of a point of the axes. It must map rectangles to rectangles, as
	// cylindrical projections do. For a land.Map use Projection.Lon and Projection.Lat. Default: the axes are longitude
	// and latitude, if the grid has a Radius.
	LonLat func(x, y float64) (lon, lat float64)
}

// Layer is a map: a name, and a value for every cell of the grid.
type Layer struct {
	Name   string
	Values []float64
}

// check refuses layers that no file can hold. The names in taken are used by the format.
func (l Layers) check(taken ...string) error {
	if err := l.Grid.Check(); err != nil {
		return err
	}
	if len(l.Layers) == 0 {
		return fmt.Errorf("raster: there are no layers to write; give at least one")
	}
	seen := map[string]bool{}
	for _, name := range taken {
		seen[name] = true
	}
	for i, layer := range l.Layers {
		name := strings.ToLower(layer.Name)
		if strings.TrimSpace(name) == "" || seen[name] {
			return fmt.Errorf("raster: layer %d has the name %q, which is empty or used already; give every layer "+
				"its own name, other than %q", i, layer.Name, taken)
		}
		seen[name] = true
		if len(layer.Values) != l.Grid.Len() {
			return fmt.Errorf("raster: layer %q has %d values, the grid %d cells", layer.Name, len(layer.Values),
				l.Grid.Len())
		}
		for j, v := range layer.Values {
			if l.Grid.Inside(j) && math.IsInf(v, 0) {
				return fmt.Errorf("raster: layer %q, cell %d is %g; values must be finite, or NaN where they are "+
					"missing", layer.Name, j, v)
			}
		}
	}
	return nil
}

// lonLat returns LonLat or its default. It is nil if the axes are not longitude and latitude and LonLat is not set.
func (l Layers) lonLat() func(x, y float64) (lon, lat float64) {
	if l.LonLat == nil && l.Grid.Radius != 0 {
		return func(x, y float64) (lon, lat float64) { return x, min(90, max(-90, y)) }
	}
	return l.LonLat
}
