package land

import (
	"fmt"
	"math"
	"slices"
)

// Overlapping parts of a region are allowed up to this share of its area, as of slivers where outlines were digitised.
const sliver = 1e-6

// checkOverlap refuses a region that covers a part of itself twice, or less than never: with polygons that overlap,
// outlines that cross themselves, or holes outside of their outline. The even-odd rule would make holes of these parts
// and a sum of areas would count them twice. Polygons may touch and share edges. The winding number is 0 or 1
// everywhere in a region that is right.
func (r Region) checkOverlap() error {
	corners := 0
	for _, ring := range r.Rings() {
		corners += len(ring)
	}
	all, err := r.arranged(1000 + 4*corners) // slivers have fewer crossings than corners
	if err != nil {
		return err
	}
	return r.checkWinding(all)
}

// checkWinding checks a region by its arranged edges.
func (r Region) checkWinding(all []edge) error {
	sum := windings(all)
	switch {
	case sum.wrong > sliver*sum.once:
		return fmt.Errorf("region %q: its polygons overlap, its rings cross themselves, or holes are outside, as at "+
			"(%.6g, %.6g), in %.2g%% of its area; set Repair to keep what lies within an odd number of rings, or "+
			"unite its parts, as by make_valid(method=\"structure\") of GeoPandas", r.Name, sum.at.Lon, sum.at.Lat,
			100*sum.wrong/(sum.once+sum.wrong))
	case !(sum.once > 0):
		return fmt.Errorf("region %q: its polygons have no area; leave it out, or give an outline that encloses "+
			"something", r.Name)
	}
	return nil
}

// windings measures the parts that edges cover once, and those that they cover otherwise. The area with a winding
// number is the sum over its edges of the area between the edge and a meridian, with the sign of the side.
func windings(all []edge) (sum overlaps) {
	if len(all) == 0 {
		return sum
	}
	middle := all[len(all)/2].a.Lon
	wrong := func(winding int) float64 {
		if winding == 0 {
			return 0
		}
		return math.Abs(float64(winding - 1))
	}
	east := make([]int, len(all)) // the winding number to the east of an edge, which it has along its whole length
	seen := make([]bool, len(all))
	sweep(all, func(i, place int, passing []int) {
		e := all[i]
		if e.a.Lat == e.b.Lat {
			return
		}
		west, k := 0, place-1
		for k >= 0 && !seen[passing[k]] {
			west -= all[passing[k]].turn // which is the change from the east to the west
			k--
		}
		if k >= 0 {
			west += east[passing[k]]
		}
		east[i], seen[i] = west-e.turn, true
		east := east[i]
		height := e.b.Lat - e.a.Lat
		size := ((e.a.Lon+e.b.Lon)/2 - middle) * height
		sum.wrong += (wrong(west) - wrong(east)) * size
		if west == 1 {
			sum.once += size
		}
		if east == 1 {
			sum.once -= size
		}
		if wrong(east) > 0 && place+1 < len(passing) {
			lat := (e.a.Lat + e.b.Lat) / 2
			lon, next := e.at(lat), all[passing[place+1]].at(lat)
			if large := (next - lon) * height; large > sum.largest {
				sum.largest, sum.at = large, Position{(lon + next) / 2, lat}
			}
		}
	})
	return sum
}

// Overlap returns the share of the smaller of two regions that lies in the other one, in the coordinates of the
// regions. It is 1 for regions whose outlines cross more often than any that was meant.
func Overlap(a, b Region) float64 {
	if !a.Box().meets(b.Box()) {
		return 0
	}
	both, err := Region{Polygons: slices.Concat(a.Polygons, b.Polygons)}.arranged(mostCuts)
	if err != nil {
		return 1
	}
	share, smaller := windings(both).wrong, math.Inf(1)
	for _, r := range []Region{a, b} {
		if share == 0 {
			return 0
		}
		own, err := r.arranged(mostCuts)
		if err != nil {
			return 1
		}
		sum := windings(own)
		share, smaller = share-sum.wrong, min(smaller, sum.once)
	}
	if smaller <= 0 {
		return 0
	}
	return min(1, max(0, share)/smaller)
}

// area returns the area of a ring in its own coordinates, positive if the ring turns left.
func area(ring []Position) (sum float64) {
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		sum += (a.Lon-ring[0].Lon)*(b.Lat-ring[0].Lat) - (b.Lon-ring[0].Lon)*(a.Lat-ring[0].Lat)
	}
	return sum / 2
}

// overlaps are areas in the coordinates of a region: with the winding number 1, and with others than 0 and 1. A part
// that is covered n times counts |n − 1| times. at is in a large one of the wrong parts.
type overlaps struct {
	once, wrong, largest float64
	at                   Position
}
