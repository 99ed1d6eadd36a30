package geopackage

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/land"
)

// features are the rows of a layer, with their names.
type features struct {
	rows     []map[string]any
	names    []string
	geometry string // the column
	from     lonLat
}

// lonLat turns coordinates of a file into longitude and latitude of WGS 84.
type lonLat interface {
	LonLat(x, y float64) (lon, lat float64)
}

// shape returns the geometry of a row, as the file has it.
func (f *features) shape(i int) ([]byte, error) {
	shape, ok := f.rows[i][f.geometry].([]byte)
	if !ok {
		return nil, fmt.Errorf("row %d, %q, has no geometry; leave it out of the file", i, f.names[i])
	}
	return shape, nil
}

// properties returns the other columns of a row.
func (f *features) properties(i int) map[string]any {
	properties := map[string]any{}
	for key, v := range f.rows[i] {
		if n, whole := v.(int64); whole {
			if v = float64(n); n > exact || n < -exact {
				v = json.Number(strconv.FormatInt(n, 10)) // as [land.GeoJSON] has it
			}
		}
		if v != nil && key != f.geometry {
			properties[key] = v
		}
	}
	return properties
}

func (f *features) places() ([]land.Place, error) {
	places := make([]land.Place, len(f.rows))
	for i, name := range f.names {
		shape, err := f.shape(i)
		if err != nil {
			return nil, err
		}
		at, err := point(shape)
		if err != nil {
			return nil, fmt.Errorf("row %d, %q: %w", i, name, err)
		}
		at.Lon, at.Lat = f.from.LonLat(at.Lon, at.Lat)
		if places[i], err = land.NewPlace(name, at, f.properties(i)); err != nil {
			return nil, fmt.Errorf("row %d: %s", i, strings.TrimPrefix(err.Error(), "land: "))
		}
	}
	return places, nil
}

func (f *features) regions(repair bool) ([]land.Region, error) {
	regions := make([]land.Region, len(f.rows))
	for i, name := range f.names {
		shape, err := f.shape(i)
		if err != nil {
			return nil, err
		}
		parts, err := polygons(shape)
		if err != nil {
			return nil, fmt.Errorf("row %d, %q: %w", i, name, err)
		}
		for _, part := range parts {
			for _, ring := range part {
				for k, p := range ring {
					ring[k].Lon, ring[k].Lat = f.from.LonLat(p.Lon, p.Lat)
				}
			}
		}
		region := land.NewRegion
		if repair {
			region = land.Repair
		}
		if regions[i], err = region(name, parts); err != nil {
			return nil, fmt.Errorf("row %d: %s", i, strings.TrimPrefix(err.Error(), "land: "))
		}
		if b := regions[i].Box(); !inDegrees(b) {
			return nil,
				fmt.Errorf("row %d, %q, reaches from (%g, %g) to (%g, %g), which are no degrees; name its coordinates "+
					"by From", i, name, b.West, b.South, b.East, b.North)
		}
		regions[i].Properties = f.properties(i)
	}
	return regions, nil
}

func inDegrees(b land.Box) bool {
	return b.West > -180.001 && b.West <= b.East && b.East < 540 && b.South > -90.001 && b.North < 90.001
}
