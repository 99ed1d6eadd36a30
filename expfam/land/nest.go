package land

import "math"

// nest makes polygons of rings in any order and direction. A ring that lies within an odd number of other rings is a
// hole of the smallest of these. All other rings are outlines.
func nest(rings [][]Position) [][][]Position {
	regions := make([]Region, len(rings))
	area := make([]float64, len(rings))
	for k, ring := range rings {
		r, err := ringsOf("", [][][]Position{{ring}})
		if err != nil { // the caller finds the same error when it makes a region of the rings
			all := make([][][]Position, len(rings))
			for i := range rings {
				all[i] = [][]Position{rings[i]}
			}
			return all
		}
		regions[k], area[k] = r, math.Abs(ringArea(ring))
	}
	holeOf := make([]int, len(rings)) // the outline around a hole, −1 for outlines
	for k, ring := range rings {
		depth, best := 0, -1
		for i := range rings {
			if around, in := regions[i].box, regions[k].box; area[i] <= area[k] || in.West < around.West ||
				in.East > around.East || in.South < around.South || in.North > around.North {
				continue
			}
			if i == k || !regions[i].surrounds(ring) {
				continue
			}
			if depth++; best < 0 || area[i] < area[best] {
				best = i
			}
		}
		if holeOf[k] = -1; depth%2 == 1 {
			holeOf[k] = best
		}
	}
	var out [][][]Position
	for k := range rings {
		if holeOf[k] >= 0 {
			continue
		}
		polygon := [][]Position{rings[k]}
		for i, of := range holeOf {
			if of == k {
				polygon = append(polygon, rings[i])
			}
		}
		out = append(out, polygon)
	}
	return out
}

// surrounds reports whether a ring lies in the region. The ring must not cross the region's outline, but some of its
// corners may touch the outline. So surrounds tests whether most of up to nine corners lie in the region.
func (r Region) surrounds(ring []Position) bool {
	in, n := 0, min(len(ring)-1, 9)
	for i := range n {
		if r.Contains(ring[i*(len(ring)-1)/n]) {
			in++
		}
	}
	return 2*in > n
}
