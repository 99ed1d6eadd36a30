package land

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Repair makes a region of rings that cross themselves or each other. It keeps what lies within an odd number of rings,
// as ST_MakeValid of PostGIS and make_valid of GeoPandas do by default: a bow tie becomes two triangles. Where two
// polygons overlap, the part that they share is a hole, so unite such polygons instead.
func Repair(name string, polygons [][][]Position) (Region, error) {
	r, err := repaired(name, polygons)
	if err != nil {
		return Region{}, fmt.Errorf("land: %w", err)
	}
	return r, nil
}

// regionOf makes a region of a file, repaired or as it is.
func regionOf(name string, polygons [][][]Position, repair bool) (Region, error) {
	if repair {
		return repaired(name, polygons)
	}
	return newRegion(name, polygons)
}

// mostCuts is the largest number of places at which the outlines of a region that is repaired may cross.
const mostCuts = 1 << 17

func repaired(name string, polygons [][][]Position) (Region, error) {
	r, err := ringsOf(name, polygons)
	if err != nil {
		return r, err
	}
	corners := 0
	for _, ring := range r.Rings() {
		corners += len(ring) - 1
	}
	all, err := r.arranged(mostCuts)
	if err != nil {
		return r, err
	}
	// Edges that lie here twice have the same on both sides.
	odd := slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.times%2 == 0 })
	if len(odd) == corners && r.checkWinding(all) == nil { // nothing meets but at corners
		return r, nil
	}
	outlines, closed := rings(odd)
	if !closed {
		return r, fmt.Errorf("region %q: the parts of its outlines do not close where they cross, up to rounding; "+
			"round its coordinates to fewer digits, or repair it by make_valid of GeoPandas", name)
	}
	if len(outlines) == 0 {
		return r, fmt.Errorf("region %q: no place lies within an odd number of its rings; leave it out, or unite "+
			"polygons that cover each other", name)
	}
	return newRegion(name, nest(outlines))
}

// rings joins edges to closed rings that touch and do not cross, with the inside by the even-odd rule to their left: it
// is to the west or the north of every second edge. At a corner the way goes on along the border of the same part of
// the inside.
func rings(of []edge) (all [][]Position, closed bool) {
	closed = true
	to := map[Position][]Position{} // where edges that leave a corner go
	sweep(of, func(i, place int, _ []int) {
		e := of[i]
		if place%2 == 0 {
			e.a, e.b = e.b, e.a
		}
		to[e.a] = append(to[e.a], e.b)
	})
	clockwise := func(at, from, to Position) float64 { // the angle from the way back
		back, on := math.Atan2(from.Lat-at.Lat, from.Lon-at.Lon), math.Atan2(to.Lat-at.Lat, to.Lon-at.Lon)
		angle := math.Mod(back-on+4*math.Pi, 2*math.Pi)
		if angle == 0 {
			angle = 2 * math.Pi
		}
		return angle
	}
	for _, e := range of {
		for _, from := range [2]Position{e.a, e.b} {
			for len(to[from]) > 0 {
				path, place := []Position{}, map[Position]int{}
				at, before := from, Position{math.NaN(), math.NaN()}
				for {
					if k, again := place[at]; again { // a loop that touches the way to it in a corner
						all = append(all, append(slices.Clone(path[k:]), at))
						for _, p := range path[k+1:] {
							delete(place, p)
						}
						path = path[:k]
					}
					place[at] = len(path)
					path = append(path, at)
					ways := to[at]
					if len(ways) == 0 {
						closed = closed && len(path) == 1
						break
					}
					next := slices.MinFunc(ways, func(a, b Position) int { // the first one at the begin
						return cmp.Compare(clockwise(at, before, a), clockwise(at, before, b))
					})
					n := slices.Index(ways, next)
					to[at] = slices.Delete(ways, n, n+1)
					at, before = next, at
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(ring []Position) bool { return len(ring) < 4 }), closed
}
