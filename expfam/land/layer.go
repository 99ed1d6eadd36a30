package land

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/geodesy"
)

// Coordinates are those of a file, such as a system of package geodesy. LonLat returns the longitude and latitude of
// WGS 84 in degrees.
type Coordinates interface {
	LonLat(x, y float64) (lon, lat float64)
}

// layer has the features of a file.
type layer struct {
	naming
	names    []string
	rows     []map[string]any
	by       declared
	order    Order
	repair   bool
	says     *geodesy.Reference // what the file says of its coordinates, nil if nothing
	from     Coordinates        // of the caller, nil for what the file says
	polygons func(i int) ([][][]Position, error)
	point    func(i int) (Position, error)
}

// read reads a file.
func read[A any](path string, sameNames bool, open func(path string, sameNames bool) (layer, error),
	as func(layer) ([]A, error)) (all []A, err error) {
	l, err := open(path, sameNames)
	if err == nil {
		all, err = as(l)
	}
	if err != nil {
		return nil, fmt.Errorf("land: %s: %w", path, err)
	}
	return all, nil
}

// regions makes regions of the polygons of the features.
func (l layer) regions() ([]Region, error) {
	all := make([][][][]Position, len(l.names))
	for i, name := range l.names {
		var err error
		if all[i], err = l.polygons(i); err != nil {
			return nil, fmt.Errorf("%s %d, %q: %w", l.item, i, name, err)
		}
	}
	if err := l.arrange(all); err != nil {
		return nil, err
	}
	regions := make([]Region, len(all))
	for i, name := range l.names {
		var err error
		if regions[i], err = regionOf(name, all[i], l.repair); err == nil {
			err = regions[i].degrees()
		}
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", l.item, i, err)
		}
		regions[i].Properties, regions[i].Datum = l.rows[i], l.datum()
	}
	return regions, nil
}

// places makes places of the points of the features.
func (l layer) places() ([]Place, error) {
	at, places := make([]Position, len(l.names)), make([]Place, len(l.names))
	for i, name := range l.names {
		var err error
		if at[i], err = l.point(i); err != nil {
			return nil, fmt.Errorf("%s %d, %q: %w", l.item, i, name, err)
		}
	}
	if err := l.arrange([][][][]Position{{{at}}}); err != nil {
		return nil, err
	}
	for i, name := range l.names {
		var err error
		if places[i], err = newPlace(name, at[i], l.rows[i]); err != nil {
			return nil, fmt.Errorf("%s %d: %w", l.item, i, err)
		}
	}
	return places, nil
}

// datum returns the name of the datum that is read as WGS 84, "" if it is WGS 84.
func (l layer) datum() string {
	if l.says == nil || l.from != nil {
		return ""
	}
	return l.says.Datum()
}

// arrange turns all positions into longitude and latitude. It refuses a From that the file contradicts.
func (l layer) arrange(all [][][][]Position) error {
	from := l.from
	switch {
	case l.says == nil:
	case from != nil:
		var some [][2]float64 // the first position of each of up to a hundred features
		for i := 0; i < len(all); i += 1 + len(all)/100 {
			for _, ring := range all[i][:min(1, len(all[i]))] {
				for k := 0; len(ring) > 0 && k < len(ring[0]); k += 1 + len(ring[0])/4 {
					some = append(some, [2]float64{ring[0][k].Lon, ring[0][k].Lat})
				}
			}
		}
		if err := l.says.Agrees(from, some); err != nil {
			return err
		}
	default:
		system, err := l.says.Readable()
		if err != nil {
			return err
		}
		if !l.says.Degrees {
			from = system
			if most := largest(all); most <= 360 {
				return fmt.Errorf("its coordinates are %.60q, and its numbers, up to %.6g, look like degrees; correct "+
					"what the file says, as by ogr2ogr -a_srs EPSG:4326", l.says.Name, most)
			}
		}
	}
	if from != nil {
		each(all, func(p Position) (q Position) {
			q.Lon, q.Lat = from.LonLat(p.Lon, p.Lat)
			return q
		})
	}
	return arrange(all, l.by, l.order)
}

// largest returns the largest absolute number of all positions.
func largest(all [][][][]Position) (most float64) {
	each(all, func(p Position) Position {
		most = math.Max(most, math.Max(math.Abs(p.Lon), math.Abs(p.Lat)))
		return p
	})
	return most
}

// each replaces every position.
func each(all [][][][]Position, by func(Position) Position) {
	for _, polygons := range all {
		for _, polygon := range polygons {
			for _, ring := range polygon {
				for i, p := range ring {
					ring[i] = by(p)
				}
			}
		}
	}
}
