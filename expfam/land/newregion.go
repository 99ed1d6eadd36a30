package land

import (
	"fmt"
	"math"
)

// NewRegion makes a region of polygons. A polygon has closed rings: the outer ring first, then the holes. Polygons that
// overlap, rings that cross themselves and holes outside of their outline are refused.
func NewRegion(name string, polygons [][][]Position) (Region, error) {
	r, err := newRegion(name, polygons)
	if err != nil {
		return Region{}, fmt.Errorf("land: %w", err)
	}
	return r, nil
}

func newRegion(name string, polygons [][][]Position) (Region, error) {
	r, err := ringsOf(name, polygons)
	if err == nil {
		err = r.checkOverlap()
	}
	return r, err
}

// ringsOf makes a region of closed rings, which may overlap.
func ringsOf(name string, polygons [][][]Position) (Region, error) {
	r := Region{Name: name, Polygons: polygons, box: boxOf(polygons)}
	for i, polygon := range polygons {
		if len(polygon) == 0 {
			return Region{}, fmt.Errorf("region %q: polygon %d has no ring; it needs an outline", name, i)
		}
		for k, ring := range polygon {
			if len(ring) < 4 || ring[0] != ring[len(ring)-1] {
				return Region{}, fmt.Errorf("region %q: ring %d of polygon %d has %d positions and is not closed "+
					"by them; a ring has at least 4, of which the last is the first", name, k, i, len(ring))
			}
			for n, p := range ring {
				if s := p.Lon + p.Lat; math.IsNaN(s) || math.IsInf(s, 0) {
					return Region{}, fmt.Errorf("region %q: position %d of ring %d of polygon %d is (%g, %g); "+
						"both must be finite", name, n, k, i, p.Lon, p.Lat)
				}
			}
		}
	}
	if len(polygons) == 0 {
		return Region{}, fmt.Errorf("region %q has no polygons; give at least one", name)
	}
	return r, nil
}
