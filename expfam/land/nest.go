package land

import (
	"math"
	"slices"
)

// nest makes polygons of rings in any order and direction that may touch. A ring that lies within an odd number of
// other rings is a hole of the smallest of these. All other rings are outlines.
func nest(rings [][]Position) [][][]Position {
	around := surroundings(rings)
	size := make([]float64, len(rings))
	for k, ring := range rings {
		size[k] = math.Abs(area(ring))
	}
	place := make([]int, len(rings)) // of an outline in out
	var out [][][]Position
	for k, ring := range rings {
		if len(around[k])%2 == 0 {
			place[k] = len(out)
			out = append(out, [][]Position{ring})
		}
	}
	for k, ring := range rings {
		if len(around[k])%2 == 1 {
			of := around[k][0]
			for _, i := range around[k] {
				if size[i] < size[of] {
					of = i
				}
			}
			if len(around[of])%2 == 1 { // of rings that cross, which are refused later
				of = slices.IndexFunc(around, func(a []int) bool { return len(a)%2 == 0 })
			}
			out[place[of]] = append(out[place[of]], ring)
		}
	}
	return out
}

// surroundings returns for each ring the larger rings around it. It looks at a place within the ring, in the widest gap
// between the edges that pass the middle latitude of its highest edge.
func surroundings(rings [][]Position) (around [][]int) {
	var all []edge
	var of []int // the ring of an edge
	around = make([][]int, len(rings))
	size, highest, box := make([]float64, len(rings)), make([]int, len(rings)), make([]Box, len(rings))
	for k, ring := range rings {
		box[k] = boxOf([][][]Position{{ring}})
		size[k], highest[k] = math.Abs(area(ring)), len(all)
		for _, e := range edges(ring, 1) {
			if h := all[min(highest[k], len(all)):]; len(h) > 0 && e.b.Lat-e.a.Lat > h[0].b.Lat-h[0].a.Lat {
				highest[k] = len(all)
			}
			all, of = append(all, e), append(of, k)
		}
	}
	in := make([]bool, len(rings))
	sweep(all, func(i, _ int, passing []int) {
		k := of[i]
		if i != highest[k] || all[i].a.Lat == all[i].b.Lat {
			return
		}
		lat, within, widest, gap := (all[i].a.Lat+all[i].b.Lat)/2, false, 0.0, -1
		for n := firstAt(all, passing, lat, box[k].West); n < len(passing)-1; n++ {
			e := passing[n]
			if all[e].at(lat) > box[k].East {
				break
			}
			within = within != (of[e] == k)
			if within {
				if wide := all[passing[n+1]].at(lat) - all[e].at(lat); wide > widest {
					widest, gap = wide, n
				}
			}
		}
		for _, e := range passing[:gap+1] {
			in[of[e]] = !in[of[e]]
		}
		for _, e := range passing[:gap+1] {
			if j := of[e]; in[j] && j != k && size[j] > size[k] {
				around[k] = append(around[k], j)
			}
			in[of[e]] = false
		}
	})
	return around
}
