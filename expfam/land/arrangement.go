package land

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// edge is a part of the outlines of a region between two places where they meet, from its southern end a to its
// northern end b, or along a parallel from the western end. Of several parts that lie on one another there is one edge.
type edge struct {
	a, b Position
	// turn is what the winding number changes by from the right to the left of the way from a to b, if outlines turn
	// one way and holes the other, and times is how many parts lie here.
	turn, times int
}

func compare(a, b Position) int { return cmp.Or(cmp.Compare(a.Lat, b.Lat), cmp.Compare(a.Lon, b.Lon)) }

// edges returns the edges of a ring as they are. Turn is that of a ring with its inside to the left.
func edges(ring []Position, turn int) []edge {
	all := make([]edge, 0, len(ring))
	for i := 1; i < len(ring); i++ {
		switch a, b := ring[i-1], ring[i]; compare(a, b) {
		case -1:
			all = append(all, edge{a, b, turn, 1})
		case 1:
			all = append(all, edge{b, a, -turn, 1})
		}
	}
	return all
}

// arranged returns the edges of a region, cut where they meet, which may be in so many places. Edges that lie on one
// another are one. By this arrangement regions are checked and repaired, and overlaps are measured.
func (r Region) arranged(most int) ([]edge, error) {
	var all []edge
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			outward := 1
			if (area(ring) < 0) != (k > 0) {
				outward = -1
			}
			all = append(all, edges(ring, outward)...)
		}
	}
	type cut struct {
		i, j int
		at   Position
	}
	var cuts []cut
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	near(all, order, boxOf(r.Polygons), func(i, j int) bool {
		e, f := all[i], all[j]
		for _, at := range e.meets(f) {
			if !e.ends(at) || !f.ends(at) {
				cuts = append(cuts, cut{i, j, at})
			}
		}
		return len(cuts) <= most
	})
	if len(cuts) > most {
		return nil, fmt.Errorf("region %q: its rings cross themselves or each other in more than %d places, as at "+
			"(%.6g, %.6g), and what lies within them is not what anybody meant; draw it "+
			"again", r.Name, most, cuts[0].at.Lon,
			cuts[0].at.Lat)
	}
	within := map[int][]Position{} // the cuts of an edge
	if len(cuts) > 0 {
		// Places at which several edges cross differ by rounding. They are one corner, or the faces around it do not
		// close.
		box := boxOf(r.Polygons)
		same := snap{1e-11 * max(math.Abs(box.West), math.Abs(box.East), math.Abs(box.South), math.Abs(box.North)),
			make(map[[2]int64]Position, len(all))}
		for _, e := range all {
			same.corner(e.a)
			same.corner(e.b)
		}
		for _, c := range cuts {
			at := same.corner(c.at)
			for _, k := range [2]int{c.i, c.j} {
				if !all[k].ends(at) {
					within[k] = append(within[k], at)
				}
			}
		}
	}
	out := make([]edge, 0, len(all)+2*len(cuts))
	for i, e := range all {
		if len(within[i]) == 0 {
			out = append(out, e)
			continue
		}
		corners := append(within[i], e.a, e.b)
		slices.SortFunc(corners, compare)
		corners = slices.Compact(corners)
		for k := 1; k < len(corners); k++ {
			out = append(out, edge{corners[k-1], corners[k], e.turn, 1})
		}
	}
	slices.SortFunc(out, func(e, f edge) int { return cmp.Or(compare(e.a, f.a), compare(e.b, f.b)) })
	one := out[:0]
	for _, e := range out {
		if n := len(one) - 1; n >= 0 && one[n].a == e.a && one[n].b == e.b {
			one[n].turn, one[n].times = one[n].turn+e.turn, one[n].times+1
		} else {
			one = append(one, e)
		}
	}
	return one, nil
}

// snap finds the corner near a place, in cells of a distance.
type snap struct {
	distance float64
	corners  map[[2]int64]Position
}

// corner returns the first corner within the distance, or the place itself, which is a corner from then on.
func (s snap) corner(p Position) Position {
	x, y := int64(math.Floor(p.Lon/s.distance)), int64(math.Floor(p.Lat/s.distance))
	if q, is := s.corners[[2]int64{x, y}]; is && q == p {
		return p
	}
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			if q, is := s.corners[[2]int64{x + dx, y + dy}]; is && math.Hypot(p.Lon-q.Lon, p.Lat-q.Lat) <= s.distance {
				return q
			}
		}
	}
	s.corners[[2]int64{x, y}] = p
	return p
}

// ends reports whether the edge ends at a place.
func (e edge) ends(p Position) bool { return e.a == p || e.b == p }

// meets returns the places at which two edges cross, touch, or begin or end to be one.
func (e edge) meets(f edge) (at []Position) {
	a, b, c, d := e.a, e.b, f.a, f.b
	left := func(p, q, r Position) float64 { return (q.Lon-p.Lon)*(r.Lat-p.Lat) - (q.Lat-p.Lat)*(r.Lon-p.Lon) }
	s, t := left(c, d, a), left(c, d, b)
	u, v := left(a, b, c), left(a, b, d)
	if s*t > 0 || u*v > 0 {
		return nil
	}
	within := func(e edge, side float64, p Position) {
		if side == 0 && e.box().Contains(p) {
			at = append(at, p)
		}
	}
	within(e, u, c)
	within(e, v, d)
	within(f, s, a)
	within(f, t, b)
	if len(at) == 0 && s*t < 0 && u*v < 0 {
		w := s / (s - t)
		p := Position{a.Lon + w*(b.Lon-a.Lon), a.Lat + w*(b.Lat-a.Lat)}
		if c.Lat == d.Lat { // edges along the axes stay so
			p.Lat = c.Lat
		}
		if c.Lon == d.Lon {
			p.Lon = c.Lon
		}
		at = append(at, p)
	}
	return at
}

// meets reports whether two boxes have a place in common.
func (b Box) meets(c Box) bool {
	return b.West <= c.East && c.West <= b.East && b.South <= c.North && c.South <= b.North
}

func (e edge) box() Box { return Box{min(e.a.Lon, e.b.Lon), e.a.Lat, max(e.a.Lon, e.b.Lon), e.b.Lat} }

// near calls visit for each two edges whose boxes meet, until it returns false; for some of them several times. It
// divides the plane in halves, so that the time does not grow with the square of the number of edges.
func near(all []edge, some []int, part Box, visit func(i, j int) bool) bool {
	west, south := part, part
	west.East, south.North = (part.West+part.East)/2, (part.South+part.North)/2
	east, north := part, part
	east.West, north.South = west.East, south.North
	ways := [2][2]Box{{west, east}, {south, north}}
	if part.North-part.South > part.East-part.West {
		ways[0], ways[1] = ways[1], ways[0]
	}
	for k := 0; k < len(ways) && len(some) > 12; k++ {
		var halves [2][]int
		for _, i := range some {
			for h, half := range ways[k] {
				if all[i].box().meets(half) {
					halves[h] = append(halves[h], i)
				}
			}
		}
		if 4*max(len(halves[0]), len(halves[1])) <= 3*len(some) {
			return near(all, halves[0], ways[k][0], visit) && near(all, halves[1], ways[k][1], visit)
		}
	}
	for k, i := range some {
		for _, j := range some[:k] {
			if all[i].box().meets(all[j].box()) && !visit(i, j) {
				return false
			}
		}
	}
	return true
}
