package land

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// side is an edge of a region, from its southern end (x0, y0) to its northern end (x1, y1).
type side struct {
	x0, y0, x1, y1 float64
	// turn is what the winding number changes by from west to east of the edge, if outlines turn one way and holes the
	// other.
	turn int
}

func (s side) at(y float64) float64 {
	if y == s.y1 {
		return s.x1
	}
	return s.x0 + (y-s.y0)/(s.y1-s.y0)*(s.x1-s.x0)
}

// Overlapping parts of a region are allowed up to this share of its area, as of slivers where outlines were digitised.
const sliver = 1e-6

// rounding is an error of the longitudes at which edges cross a parallel.
const rounding = 1e-12

// checkOverlap refuses a region that covers a part of itself twice, or less than no time: with polygons that overlap,
// outlines that cross themselves, or holes outside of their outline. The even-odd rule would make holes of these parts
// and a sum of areas would count them twice. Polygons may touch and share edges.
//
// The winding number is 0 or 1 everywhere in a region that is right. It is constant between neighbouring edges in a
// strip between the latitudes of two corners, unless edges cross within the strip, which is then cut.
func (r Region) checkOverlap() error {
	const few = 128 // corners of a region of which the whole is measured
	box, limit, corners := r.Box(), math.Inf(1), 0
	for _, ring := range r.Rings() {
		if corners += len(ring); corners > few {
			limit = sliver * (box.East - box.West) * (box.North - box.South)
		}
	}
	sum := r.overlaps(limit)
	switch {
	case sum.wrong > sliver*sum.once || sum.once == 0 && sum.wrong > 0:
		least := ""
		if sum.ended {
			least = "at least "
		}
		return fmt.Errorf("region %q: its polygons overlap, its rings cross themselves, or holes are outside, as "+
			"at (%.6g, %.6g), in "+least+"%.2g%% of its area; set Repair to keep what lies within an odd number of "+
			"rings, or "+
			"unite its parts, as by make_valid(method=\"structure\") of GeoPandas", r.Name, sum.at.Lon, sum.at.Lat,
			100*sum.wrong/max(sum.once+sum.wrong, sum.whole))
	case sum.once == 0:
		return fmt.Errorf("region %q: its polygons have no area; leave it out, or give an outline that encloses "+
			"something", r.Name)
	}
	return nil
}

// overlaps measures the parts of a region that it covers once, and those that it covers otherwise. It ends early where
// the latter are more than a limit.
func (r Region) overlaps(limit float64) (sum overlaps) {
	sides := r.sides()
	slices.SortFunc(sides, func(a, b side) int { return cmp.Compare(a.y0, b.y0) })
	lats := make([]float64, 0, 2*len(sides))
	for _, s := range sides {
		lats = append(lats, s.y0, s.y1)
	}
	slices.Sort(lats)
	lats = slices.Compact(lats)
	// Of regions with very many corners, strips are skipped at equal steps.
	const strips = 1 << 12
	var active []side
	next, step := 0, 1+len(lats)/strips
	for k := 0; k+1 < len(lats); k += step {
		y0, y1 := lats[k], lats[k+1]
		for ; next < len(sides) && sides[next].y0 <= y0; next++ {
			active = append(active, sides[next])
		}
		active = slices.DeleteFunc(active, func(s side) bool { return s.y1 <= y0 })
		if sum.strip(active, y0, y1, 8, limit); sum.wrong > limit {
			sum.ended, sum.whole = true, math.Abs(r.signed())
			break
		}
	}
	return sum
}

// signed returns the sum of the areas of the rings, outlines positive and holes negative.
func (r Region) signed() (sum float64) {
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			if a := math.Abs(area(ring)); k == 0 {
				sum += a
			} else {
				sum -= a
			}
		}
	}
	return sum
}

// Overlap returns the share of the smaller of two regions that lies in the other one, in the coordinates of the
// regions.
func Overlap(a, b Region) float64 {
	both := Region{Polygons: slices.Concat(a.Polygons, b.Polygons)}
	all := math.Inf(1)
	one, two := a.overlaps(all), b.overlaps(all)
	smaller := min(one.once, two.once)
	if smaller == 0 {
		return 0
	}
	return min(1, max(0, both.overlaps(all).wrong-one.wrong-two.wrong)/smaller)
}

// sides returns the edges of a region that are not along a parallel.
func (r Region) sides() (sides []side) {
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			outward := 1
			if (area(ring) < 0) != (k > 0) {
				outward = -1
			}
			for i := 1; i < len(ring); i++ {
				switch a, b := ring[i-1], ring[i]; {
				case a.Lat > b.Lat: // southward, with a ring that turns left to the east of it
					sides = append(sides, side{b.Lon, b.Lat, a.Lon, a.Lat, outward})
				case a.Lat < b.Lat:
					sides = append(sides, side{a.Lon, a.Lat, b.Lon, b.Lat, -outward})
				}
			}
		}
	}
	return sides
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
// that is covered n times counts |n − 1| times. at is in the largest of the wrong parts.
type overlaps struct {
	once, wrong, largest float64
	at                   Position
	ended                bool    // early
	whole                float64 // the area by the rings, if it ended early
}

// strip adds the areas between y0 and y1, which all of the sides cross from one end to the other. It leaves the sides
// in their order from west to east, which is nearly that of the next strip.
func (o *overlaps) strip(sides []side, y0, y1 float64, cuts int, limit float64) {
	type crossing struct {
		low, high float64
		of        side
	}
	at := make([]crossing, len(sides))
	for i, s := range sides {
		at[i] = crossing{s.at(y0), s.at(y1), s}
	}
	slices.SortFunc(at, func(a, b crossing) int {
		return cmp.Or(cmp.Compare(a.low+a.high, b.low+b.high), cmp.Compare(a.low, b.low))
	})
	for i := range at {
		sides[i] = at[i].of
	}
	for i := 1; i < len(at) && cuts > 0; i++ {
		if a, b := at[i-1], at[i]; a.low-b.low > rounding || a.high-b.high > rounding {
			if middle := (y0 + y1) / 2; middle > y0 && middle < y1 {
				if o.strip(sides, y0, middle, cuts-1, limit); o.wrong <= limit {
					o.strip(sides, middle, y1, cuts-1, limit)
				}
				return
			}
		}
	}
	winding := 0
	for i := 1; i < len(at); i++ {
		winding += at[i-1].of.turn
		size := (at[i].low + at[i].high - at[i-1].low - at[i-1].high) / 2 * (y1 - y0)
		switch {
		case winding == 1:
			o.once += size
		case winding != 0:
			wrong := math.Abs(float64(winding-1)) * size
			if o.wrong += wrong; wrong > o.largest {
				o.largest, o.at = wrong, Position{(at[i].low + at[i].high + at[i-1].low + at[i-1].high) / 4,
					(y0 + y1) / 2}
			}
		}
	}
}
