package land

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ReadPlaces reads the places in a file of points, such as clinics or cases. Several may have one name. A file with a
// feature that is not a point is refused, so no feature is left out.
func (o GeoJSON) ReadPlaces(path string) ([]Place, error) {
	return read(path, true, o.open, layer.places)
}

// point returns the position of a Point, or of a MultiPoint of one.
func (g geometry) point() (Position, error) {
	var all [][]float64
	var err error
	switch g.Type {
	case "Point":
		all = make([][]float64, 1)
		err = json.Unmarshal(g.Coordinates, &all[0])
	case "MultiPoint":
		err = json.Unmarshal(g.Coordinates, &all)
	default:
		return Position{}, fmt.Errorf("it is a %q; a place is a Point: read regions by Read", g.Type)
	}
	switch {
	case bytes.Contains(g.Coordinates, []byte("null")): // which encoding/json reads as 0
		return Position{}, errors.New("one of its coordinates is null; give it a number, or leave the feature out")
	case err == nil && len(all) != 1:
		return Position{}, fmt.Errorf("it has %d points; a place is one: part them, as by explode of GeoPandas",
			len(all))
	case err != nil || len(all[0]) < 2:
		return Position{}, fmt.Errorf("its coordinates are %.40q; a place has a longitude and a latitude",
			g.Coordinates)
	}
	return Position{all[0][0], all[0][1]}, nil
}
