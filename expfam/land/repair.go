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

func repaired(name string, polygons [][][]Position) (Region, error) {
	r, err := ringsOf(name, polygons)
	if err != nil {
		return r, err
	}
	corners := 0
	for _, ring := range r.Rings() {
		corners += len(ring) - 1
	}
	pieces := odd(r.noded())
	if len(pieces) == corners && r.checkOverlap() == nil { // nothing meets but at corners
		return r, nil
	}
	return newRegion(name, nest(rings(pieces)))
}

// piece is a part of an edge between two corners, the smaller one first.
type piece [2]Position

func compare(a, b Position) int { return cmp.Or(cmp.Compare(a.Lon, b.Lon), cmp.Compare(a.Lat, b.Lat)) }

// noded returns the edges of a region, cut where they meet.
func (r Region) noded() (all []piece) {
	var edges []piece
	for _, ring := range r.Rings() {
		for i := 1; i < len(ring); i++ {
			if a, b := ring[i-1], ring[i]; compare(a, b) < 0 {
				edges = append(edges, piece{a, b})
			} else if a != b {
				edges = append(edges, piece{b, a})
			}
		}
	}
	slices.SortFunc(edges, func(a, b piece) int { return cmp.Compare(a[0].Lon, b[0].Lon) })
	cuts := make([][]Position, len(edges))
	for i, e := range edges {
		for j := i + 1; j < len(edges) && edges[j][0].Lon <= e[1].Lon; j++ {
			for _, at := range e.meets(edges[j]) {
				cuts[i], cuts[j] = append(cuts[i], at), append(cuts[j], at)
			}
		}
	}
	for i, e := range edges {
		corners := append(cuts[i], e[0], e[1])
		slices.SortFunc(corners, compare)
		corners = slices.Compact(corners)
		for k := 1; k < len(corners); k++ {
			all = append(all, piece{corners[k-1], corners[k]})
		}
	}
	return all
}

// meets returns the places at which two edges cross, touch, or begin or end to be one.
func (e piece) meets(other piece) (at []Position) {
	a, b, c, d := e[0], e[1], other[0], other[1]
	if max(a.Lat, b.Lat) < min(c.Lat, d.Lat) || min(a.Lat, b.Lat) > max(c.Lat, d.Lat) {
		return nil
	}
	left := func(p, q, r Position) float64 { return (q.Lon-p.Lon)*(r.Lat-p.Lat) - (q.Lat-p.Lat)*(r.Lon-p.Lon) }
	within := func(p piece, q Position) bool {
		return left(p[0], p[1], q) == 0 && compare(p[0], q) <= 0 && compare(q, p[1]) <= 0 &&
			min(p[0].Lat, p[1].Lat) <= q.Lat && q.Lat <= max(p[0].Lat, p[1].Lat)
	}
	for _, q := range other {
		if within(e, q) {
			at = append(at, q)
		}
	}
	for _, q := range e {
		if within(other, q) {
			at = append(at, q)
		}
	}
	if s, t := left(c, d, a), left(c, d, b); len(at) == 0 && s*t < 0 && left(a, b, c)*left(a, b, d) < 0 {
		w := s / (s - t)
		at = append(at, Position{a.Lon + w*(b.Lon-a.Lon), a.Lat + w*(b.Lat-a.Lat)})
	}
	return at
}

// odd returns the pieces that stand an odd number of times. The others have the same on both sides.
func odd(all []piece) (some []piece) {
	slices.SortFunc(all, func(a, b piece) int { return cmp.Or(compare(a[0], b[0]), compare(a[1], b[1])) })
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		if n%2 == 1 {
			some = append(some, all[i])
		}
		i += n
	}
	return some
}

// rings joins pieces to closed rings that touch and do not cross. An even number of pieces meets at every corner. Two
// that have the inside between them follow each other.
func rings(pieces []piece) (all [][]Position) {
	around := map[Position][]Position{}
	for _, p := range pieces {
		around[p[0]], around[p[1]] = append(around[p[0]], p[1]), append(around[p[1]], p[0])
	}
	for at, of := range around {
		angle := func(p Position) float64 { return math.Atan2(p.Lat-at.Lat, p.Lon-at.Lon) }
		slices.SortFunc(of, func(a, b Position) int { return cmp.Compare(angle(a), angle(b)) })
		if len(of) > 2 && !insideAfter(at, of, pieces) {
			around[at] = append(of[1:], of[0])
		}
	}
	used := map[piece]bool{} // by its direction
	for _, p := range pieces {
		if used[p] || used[piece{p[1], p[0]}] {
			continue
		}
		path := []Position{p[0]}
		for from, at := p[0], p[1]; ; {
			used[piece{from, at}] = true
			if k := slices.Index(path, at); k >= 0 { // a loop that touches the way to it in a corner
				all = append(all, append(slices.Clone(path[k:]), at))
				path = path[:k]
			}
			path = append(path, at)
			next := around[at][slices.Index(around[at], from)^1]
			if used[piece{at, next}] || used[piece{next, at}] {
				break
			}
			from, at = at, next
		}
	}
	return slices.DeleteFunc(all, func(ring []Position) bool { return len(ring) < 4 })
}

// insideAfter reports whether the inside is between the first two of the pieces that meet at a corner and go to of, in
// the order of their angles.
func insideAfter(at Position, of []Position, pieces []piece) bool {
	k := 0 // the piece whose sides are told apart best by counting pieces to the east
	for i := range of {
		if math.Abs(of[i].Lat-at.Lat) > math.Abs(of[k].Lat-at.Lat) {
			k = i
		}
	}
	m := Position{(at.Lon + of[k].Lon) / 2, (at.Lat + of[k].Lat) / 2}
	inside := false // to the east of it
	for _, p := range pieces {
		if p == (piece{at, of[k]}) || p == (piece{of[k], at}) {
			continue
		}
		if lon, ok := crossing(p[0], p[1], m.Lat); ok && lon > m.Lon {
			inside = !inside
		}
	}
	south := of[k].Lat < at.Lat // then the east is to the left of it, which is after it
	return inside == (south == (k%2 == 0))
}
