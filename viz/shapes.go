package viz

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// corner is a corner of a shape in tenths of a point, from the lower left of the map, y upwards.
type corner struct{ x, y int32 }

// shapes are regions as a picture shows them. Borders that regions share are the same corners in both.
type shapes struct {
	rings [][][]corner // region, ring; the last corner is the first. None for a region outside of the picture
}

// grain is the number of steps of a corner in a point.
const grain = 10

// at returns the shapes of a part of the map.
func (r *regions) at(w Window, width, height vg.Length) *shapes {
	key := view{w, width, height}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if s := r.drawn[key]; s != nil {
		return s
	}
	s := r.shape(key)
	r.drawn[key] = s
	return s
}

// shape rounds all corners to a grid that is finer than pixels, and leaves out those that a picture does not show. It
// does so arc by arc: an arc is a part of a border between two places where borders meet, or a ring without such places
// (as in TopoJSON, Bostock 2012). Both sides of a border have the same arcs, so that no gap opens between them.
func (r *regions) shape(v view) *shapes {
	s := &shapes{rings: make([][][]corner, len(r.rings))}
	step := func(v float64) int32 { return int32(clamp(math.Round(v), -5e8, 5e8)) } // far outside
	kx, ky := float64(v.width)*grain/(v.XMax-v.XMin), float64(v.height)*grain/(v.YMax-v.YMin)
	for i, rings := range r.rings {
		for _, ring := range rings {
			if !windowOf(ring).meets(v.Window) {
				continue
			}
			out := make([]corner, 0, len(ring))
			for _, p := range ring {
				c := corner{step((p[0] - v.XMin) * kx), step((p[1] - v.YMin) * ky)}
				if len(out) == 0 || out[len(out)-1] != c {
					out = append(out, c)
				}
			}
			s.rings[i] = append(s.rings[i], out)
		}
	}
	meet := s.junctions()
	for i := range s.rings {
		var largest []corner
		most := -1.0
		kept := s.rings[i][:0]
		for _, ring := range s.rings[i] {
			ring = simplified(ring, meet)
			size := math.Abs(areaOf(ring))
			if size > most {
				largest, most = ring, size
			}
			if len(ring) >= 4 && size >= smallest {
				kept = append(kept, ring)
			}
		}
		if len(kept) == 0 && largest != nil {
			kept = append(kept, smallestRing(largest))
		}
		s.rings[i] = oriented(kept)
	}
	return s
}

// smallest is the area of the smallest ring that is drawn, a third of a pixel, in squares of the grid of corners.
const smallest = 20

// junctions returns the corners at which borders meet or part: those that have not the same two neighbours in all
// rings.
func (s *shapes) junctions() map[corner]bool {
	type pair [2]corner
	first, meet := map[corner]pair{}, map[corner]bool{}
	for _, rings := range s.rings {
		for _, ring := range rings {
			n := len(ring) - 1
			for k := range n {
				a, b := ring[(k+n-1)%n], ring[k+1]
				if b.before(a) {
					a, b = b, a
				}
				switch p, known := first[ring[k]]; {
				case !known:
					first[ring[k]] = pair{a, b}
				case p != pair{a, b}:
					meet[ring[k]] = true
				}
			}
		}
	}
	return meet
}

func (c corner) before(o corner) bool {
	return cmp.Or(cmp.Compare(c.x, o.x), cmp.Compare(c.y, o.y)) < 0
}

// simplified returns a ring without the corners that a picture does not show.
func simplified(ring []corner, meet map[corner]bool) []corner {
	n := len(ring) - 1
	if n < 3 {
		return ring
	}
	start := slices.IndexFunc(ring[:n], func(c corner) bool { return meet[c] })
	if start < 0 { // an island or a hole: both sides begin at its lowest corner
		start = 0
		for k := range n {
			if ring[k].before(ring[start]) {
				start = k
			}
		}
	}
	out := []corner{ring[start]}
	arc := []corner{ring[start]}
	for k := 1; k <= n; k++ {
		c := ring[(start+k)%n]
		if arc = append(arc, c); k == n || meet[c] {
			out = append(out, shortened(arc)[1:]...)
			arc = []corner{c}
		}
	}
	return out
}

// shortened simplifies an arc, in the same way in both directions.
func shortened(arc []corner) []corner {
	last := len(arc) - 1
	backwards := arc[last].before(arc[0]) || arc[0] == arc[last] && arc[last-1].before(arc[1])
	p := make([]vg.Point, len(arc))
	for k, c := range arc {
		if backwards {
			k = last - k
		}
		p[k] = vg.Point{X: vg.Length(c.x), Y: vg.Length(c.y)}
	}
	p = straighten(p, grain*px(0.35))
	out := make([]corner, len(p))
	for k, at := range p {
		if backwards {
			k = len(p) - 1 - k
		}
		out[k] = corner{int32(at.X), int32(at.Y)}
	}
	return out
}

// smallestRing is the shape of a region that is smaller than a pixel, so that it is seen at all.
func smallestRing(ring []corner) []corner {
	const half = 5
	c := ring[0]
	return []corner{{c.x - half, c.y - half}, {c.x + half, c.y - half}, {c.x + half, c.y + half},
		{c.x - half, c.y + half}, {c.x - half, c.y - half}}
}

// areaOf returns the area within a ring, positive if the ring turns left.
func areaOf(ring []corner) (sum float64) {
	for k := 1; k < len(ring); k++ {
		sum += float64(ring[k-1].x)*float64(ring[k].y) - float64(ring[k].x)*float64(ring[k-1].y)
	}
	return sum / 2
}

// oriented turns rings so that holes turn the other way: painters then leave them empty, although they fill what has a
// winding number other than 0.
func oriented(rings [][]corner) [][]corner {
	for i, ring := range rings {
		depth := 0
		for k, other := range rings {
			if k != i && within(ring[0], other) {
				depth++
			}
		}
		if (areaOf(ring) > 0) == (depth%2 == 1) {
			slices.Reverse(ring)
		}
	}
	return rings
}

// within reports whether a corner lies within a ring, by the even-odd rule.
func within(c corner, ring []corner) (in bool) {
	for k := 1; k < len(ring); k++ {
		a, b := ring[k-1], ring[k]
		if (a.y > c.y) != (b.y > c.y) {
			x := float64(a.x) + float64(c.y-a.y)/float64(b.y-a.y)*float64(b.x-a.x)
			in = in != (x > float64(c.x))
		}
	}
	return in
}
