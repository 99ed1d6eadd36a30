package land

import "fmt"

// Place is a point of a layer, such as a clinic, the home of a case or the site of a survey.
type Place struct {
	Name string
	At   Position
	// Properties are the properties in a file, such as the number of people examined.
	Properties map[string]any
}

// NewPlace makes a place of longitude and latitude in degrees. Numbers that are neither are refused.
func NewPlace(name string, at Position, properties map[string]any) (Place, error) {
	p, err := newPlace(name, at, properties)
	if err != nil {
		return Place{}, fmt.Errorf("land: %w", err)
	}
	return p, nil
}

func newPlace(name string, at Position, properties map[string]any) (Place, error) {
	if !(at.Lon >= -360 && at.Lon <= 360 && at.Lat >= -90 && at.Lat <= 90) {
		return Place{}, fmt.Errorf("place %q is at (%.6g, %.6g): these are not longitude and latitude in "+
			"degrees, but perhaps metres of a projection; name that by From, or convert the file, as by ogr2ogr "+
			"-t_srs EPSG:4326", name, at.Lon, at.Lat)
	}
	return Place{name, at, properties}, nil
}

func (p Place) String() string { return p.Name }
