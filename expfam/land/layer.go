package land

import "fmt"

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
	from     Coordinates // nil for degrees of WGS 84
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
		regions[i].Properties = l.rows[i]
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

// arrange turns all positions into longitude and latitude.
func (l layer) arrange(all [][][][]Position) error {
	if l.from != nil {
		each(all, func(p Position) (q Position) {
			q.Lon, q.Lat = l.from.LonLat(p.Lon, p.Lat)
			return q
		})
	}
	return arrange(all, l.by, l.order)
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
