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
	noded, err := r.noded()
	if err != nil {
		return r, err
	}
	pieces := odd(noded)
	if len(pieces) == corners && r.checkOverlap() == nil { // nothing meets but at corners
		return r, nil
	}
	outlines, closed := rings(pieces)
	if !closed {
		return r, fmt.Errorf("region %q: the parts of its outlines do not close where they cross, up to rounding; "+
			"round "+
			"its coordinates to fewer digits, or repair it by make_valid of GeoPandas", name)
	}
	return newRegion(name, nest(outlines))
}

// mostCuts is the largest number of places at which the outlines of a region that is repaired may cross.
const mostCuts = 1 << 17

// piece is a part of an edge between two corners, the smaller one first.
type piece [2]Position

func compare(a, b Position) int { return cmp.Or(cmp.Compare(a.Lon, b.Lon), cmp.Compare(a.Lat, b.Lat)) }

// noded returns the edges of a region, cut where they meet.
func (r Region) noded() (all []piece, err error) {
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
	// Places at which several edges cross differ by rounding. They are one corner, or the faces around it do not close.
	box := r.Box()
	same := snap{1e-11 * math.Max(math.Max(math.Abs(box.West), math.Abs(box.East)), math.Max(math.Abs(box.South),
		math.Abs(box.North))), map[[2]int64]Position{}}
	for _, e := range edges {
		same.corner(e[0])
		same.corner(e[1])
	}
	cuts, sum := make([][]Position, len(edges)), 0
	for i, e := range edges {
		for j := i + 1; j < len(edges) && edges[j][0].Lon <= e[1].Lon; j++ {
			for _, at := range e.meets(edges[j]) {
				if at = same.corner(at); at != e[0] && at != e[1] || at != edges[j][0] && at != edges[j][1] {
					cuts[i], cuts[j], sum = append(cuts[i], at), append(cuts[j], at), sum+1
				}
			}
		}
		if sum > mostCuts {
			return nil, fmt.Errorf("region %q: its rings cross in more than %d places, and what lies within them is "+
				"not "+
				"what anybody meant; draw it again, or leave Repair out to see where it begins", r.Name, mostCuts)
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
	return all, nil
}

// snap finds the corner near a place, in cells of a distance.
type snap struct {
	distance float64
	corners  map[[2]int64]Position
}

// corner returns the first corner within the distance, or the place itself, which is a corner from then on.
func (s snap) corner(p Position) Position {
	x, y := int64(math.Floor(p.Lon/s.distance)), int64(math.Floor(p.Lat/s.distance))
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

// south and north return the ends of a piece, and at its longitude at a latitude between them.
func (e piece) south() Position {
	if e[0].Lat <= e[1].Lat {
		return e[0]
	}
	return e[1]
}

func (e piece) north() Position {
	if e[0].Lat <= e[1].Lat {
		return e[1]
	}
	return e[0]
}

func (e piece) at(lat float64) float64 {
	s, n := e.south(), e.north()
	if lat >= n.Lat {
		return n.Lon
	}
	return s.Lon + (lat-s.Lat)/(n.Lat-s.Lat)*(n.Lon-s.Lon)
}

// inside reports, for each of pieces that do not cross, whether the inside by the even-odd rule is to its left on the
// way to its greater end. It sweeps from south to north over the strips between the latitudes of corners. Within a
// strip, the inside is to the west of every second piece. The highest strip of a piece decides, because rounding may
// exchange pieces in a strip that is as low as an error of rounding.
func inside(pieces []piece) (left []bool) {
	left = make([]bool, len(pieces))
	highest := make([]float64, len(pieces))
	var lats []float64
	order := make([]int, len(pieces)) // by the southern ends
	for i, e := range pieces {
		lats, order[i] = append(lats, e[0].Lat, e[1].Lat), i
	}
	slices.Sort(lats)
	lats = slices.Compact(lats)
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(pieces[i].south().Lat, pieces[j].south().Lat) })
	type crossing struct {
		of  int
		lon float64 // in the middle of the strip
	}
	var active []crossing // from west to east
	for k, y := range lats {
		active = slices.DeleteFunc(active, func(c crossing) bool { return pieces[c.of].north().Lat <= y })
		var flat []int
		for ; len(order) > 0 && pieces[order[0]].south().Lat <= y; order = order[1:] {
			if i := order[0]; pieces[i][0].Lat == pieces[i][1].Lat {
				flat = append(flat, i)
			} else {
				active = append(active, crossing{of: i})
			}
		}
		height := 0.0
		if k+1 < len(lats) {
			height = lats[k+1] - y
		}
		for n, c := range active {
			active[n].lon = pieces[c.of].at(y + height/2)
		}
		slices.SortFunc(active, func(a, b crossing) int { return cmp.Compare(a.lon, b.lon) })
		for n, c := range active {
			if e := pieces[c.of]; height > highest[c.of] {
				highest[c.of], left[c.of] = height, (n%2 == 1) == (e[1].Lat > e[0].Lat)
			}
		}
		for _, i := range flat { // the left is the north
			lon := (pieces[i][0].Lon + pieces[i][1].Lon) / 2
			west := 0
			for _, c := range active {
				if pieces[c.of].at(y) < lon {
					west++
				}
			}
			left[i] = west%2 == 1
		}
	}
	return left
}

// rings joins pieces to closed rings that touch and do not cross, with the inside to their left. At a corner the way
// goes on along the border of the same part of the inside.
func rings(pieces []piece) (all [][]Position, closed bool) {
	left := inside(pieces)
	closed = true
	to := map[Position][]Position{} // where pieces that leave a corner go
	for i, p := range pieces {
		if !left[i] {
			p[0], p[1] = p[1], p[0]
		}
		to[p[0]] = append(to[p[0]], p[1])
	}
	clockwise := func(at, from, to Position) float64 { // the angle from the way back
		back, on := math.Atan2(from.Lat-at.Lat, from.Lon-at.Lon), math.Atan2(to.Lat-at.Lat, to.Lon-at.Lon)
		angle := math.Mod(back-on+4*math.Pi, 2*math.Pi)
		if angle == 0 {
			angle = 2 * math.Pi
		}
		return angle
	}
	for _, p := range pieces {
		for _, from := range p {
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
					best := 0
					for n := range ways {
						if before.Lon == before.Lon &&
							clockwise(at, before, ways[n]) < clockwise(at, before, ways[best]) {
							best = n
						}
					}
					next := ways[best]
					to[at] = slices.Delete(ways, best, best+1)
					at, before = next, at
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(ring []Position) bool { return len(ring) < 4 }), closed
}
