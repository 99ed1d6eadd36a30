package mesh

import (
	"cmp"
	"math"
	"slices"
)

// circle is a triangle of a growing triangulation with its circumscribed circle.
type circle struct {
	corners [3]int
	x, y, r float64 // centre and square of the radius
}

// delaunay returns the Delaunay triangulation of places, in which no circle around a triangle holds another place. It
// adds the places from left to right (Bowyer 1981 and Watson 1981, The Computer Journal 24), so that a triangle whose
// circle lies left of the next place is final. Near the convex hull, flat triangles may be missing.
func delaunay(at [][2]float64) (triangles [][3]int) {
	n := len(at)
	order := make([]int, n)
	low, high := math.Inf(1), math.Inf(-1)
	for i, p := range at {
		order[i] = i
		low, high = min(low, p[0], p[1]), max(high, p[0], p[1])
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a][0], at[b][0]), cmp.Compare(a, b)) })
	far, middle := 50*(high-low), (low+high)/2
	at = append(slices.Clone(at), [2]float64{middle - far, middle - far}, [2]float64{middle + far, middle - far},
		[2]float64{middle, middle + far})
	around := func(a, b, c int) circle {
		o, p, q := at[a], at[b], at[c]
		bx, by, cx, cy := p[0]-o[0], p[1]-o[1], q[0]-o[0], q[1]-o[1]
		d := 2 * (bx*cy - by*cx)
		x, y := (cy*(bx*bx+by*by)-by*(cx*cx+cy*cy))/d, (bx*(cx*cx+cy*cy)-cx*(bx*bx+by*by))/d
		return circle{[3]int{a, b, c}, o[0] + x, o[1] + y, x*x + y*y}
	}
	open := []circle{around(n, n+1, n+2)}
	keep := func(c circle) {
		if max(c.corners[0], c.corners[1], c.corners[2]) < n {
			triangles = append(triangles, c.corners)
		}
	}
	for _, i := range order {
		p := at[i]
		edges := map[[2]int]int{}
		var hole [][2]int // its edges, in the order in which they are found
		left := open[:0]
		for _, c := range open {
			dx, dy := p[0]-c.x, p[1]-c.y
			switch {
			case dx > 0 && dx*dx > c.r:
				keep(c)
			case dx*dx+dy*dy < c.r:
				for k := range 3 {
					a, b := c.corners[k], c.corners[(k+1)%3]
					e := [2]int{min(a, b), max(a, b)}
					if edges[e]++; edges[e] == 1 {
						hole = append(hole, e)
					}
				}
			default:
				left = append(left, c)
			}
		}
		open = left
		for _, e := range hole {
			if edges[e] == 1 {
				open = append(open, around(e[0], e[1], i))
			}
		}
	}
	for _, c := range open {
		keep(c)
	}
	return triangles
}
