package graph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/land"
)

// Borders finds the neighbours of regions from their outlines: regions that share a border of positive length, as in
// spdep's poly2nb with queen=FALSE. Corners of the outlines need not coincide.
//
//	n, err := graph.Borders{}.Of(districts)
type Borders struct {
	// Tolerance is the distance within which two outlines count as one border, in the unit of the coordinates. Default:
	// a millionth of the largest side of the two regions, so that no third region changes what a border is.
	Tolerance float64
	// Corners makes regions neighbours that touch in a single point, as poly2nb with queen=TRUE does.
	Corners bool
	// Overlap is the largest share of the smaller of two regions that may lie in the other one. Default 0.01.
	Overlap float64
}

// Of returns the graph of the regions. It is an error if two regions overlap, or have one name. Longitudes that differ
// by 360° are one, so that regions which meet at 180° are neighbours.
func (b Borders) Of(regions []land.Region) (*Neighbours, error) {
	if len(regions) == 0 {
		return nil, errors.New("graph: there are no regions; give at least one")
	}
	n := &Neighbours{Of: make([][]int, len(regions)), Regions: regions}
	for _, r := range regions {
		n.Names = append(n.Names, r.Name)
	}
	if err := distinct("areas", n.Names); err != nil {
		return nil, err
	}
	b.Overlap = cmp.Or(b.Overlap, 0.01)
	if !(b.Tolerance >= 0) || math.IsInf(b.Tolerance, 1) || !(b.Overlap > 0 && b.Overlap <= 1) {
		return nil, fmt.Errorf("graph: borders with the Tolerance %g and an Overlap of %g; the first is a distance, "+
			"and the second a share up to 1", b.Tolerance, b.Overlap)
	}
	outlines := make([][]segment, len(regions))
	for i, r := range regions {
		for k, ring := range r.Rings() {
			if len(ring) == 0 || ring[0] != ring[len(ring)-1] {
				return nil, fmt.Errorf("graph: ring %d of %s is not closed; repeat its first position at its end", k,
					n.Names[i])
			}
		}
		outlines[i] = segmentsOf(r)
	}
	order := make([]int, len(regions)) // from west to east
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(regions[i].Box().West, regions[j].Box().West) })
	for _, turn := range [2]float64{0, 360} {
		for k, i := range order {
			region, outline, others := regions[i], outlines[i], order[k+1:]
			if turn != 0 {
				region, others = turned(region, turn), order
				outline = segmentsOf(region)
			}
			one := region.Box()
			for _, j := range others {
				two := regions[j].Box()
				pair := b
				pair.Tolerance = cmp.Or(b.Tolerance, 1e-6*max(one.East-one.West, one.North-one.South, two.East-two.West,
					two.North-two.South))
				common, meet := pair.common(one, two)
				if !meet && two.West > one.East+pair.Tolerance {
					break
				}
				if !meet || i == j || slices.Contains(n.Of[i], j) {
					continue
				}
				if share := land.Overlap(region, regions[j]); share > b.Overlap {
					first, second := min(i, j), max(i, j)
					return nil, fmt.Errorf("graph: %.2g%% of the smaller of %s and %s lies in the other one; mend "+
						"their outlines, or accept that by Overlap", 100*share, n.Names[first], n.Names[second])
				}
				if pair.touch(outline, outlines[j], common) {
					n.Of[i], n.Of[j] = append(n.Of[i], j), append(n.Of[j], i)
				}
			}
		}
	}
	return n.checked()
}

// turned returns a region with other longitudes, by whole turns.
func turned(r land.Region, turn float64) land.Region {
	var polygons [][][]land.Position
	for _, polygon := range r.Polygons {
		rings := make([][]land.Position, len(polygon))
		for k, ring := range polygon {
			for _, p := range ring {
				rings[k] = append(rings[k], land.Position{Lon: p.Lon + turn, Lat: p.Lat})
			}
		}
		polygons = append(polygons, rings)
	}
	return land.Region{Name: r.Name, Polygons: polygons}
}

// common returns the box that two boxes share, wider by the tolerance, and whether there is any.
func (b Borders) common(one, two land.Box) (land.Box, bool) {
	box := land.Box{West: max(one.West, two.West) - b.Tolerance, South: max(one.South, two.South) - b.Tolerance,
		East: min(one.East, two.East) + b.Tolerance, North: min(one.North, two.North) + b.Tolerance}
	return box, box.West <= box.East && box.South <= box.North
}

// segment is an edge of an outline.
type segment struct{ x0, y0, x1, y1 float64 }

func segmentsOf(r land.Region) (all []segment) {
	for _, ring := range r.Rings() {
		for i := 1; i < len(ring); i++ {
			all = append(all, segment{ring[i-1].Lon, ring[i-1].Lat, ring[i].Lon, ring[i].Lat})
		}
	}
	return all
}

// in returns the segments that may reach into a box, by their western ends.
func in(all []segment, box land.Box) (some []segment) {
	for _, s := range all {
		if max(s.x0, s.x1) >= box.West && min(s.x0, s.x1) <= box.East && max(s.y0, s.y1) >= box.South &&
			min(s.y0, s.y1) <= box.North {
			some = append(some, s)
		}
	}
	slices.SortFunc(some, func(a, b segment) int { return cmp.Compare(min(a.x0, a.x1), min(b.x0, b.x1)) })
	return some
}

// touch reports whether two outlines share a border: whether the parts of the first that lie within the tolerance of
// the second are together longer than they would be at a point where outlines cross or end, 8 tolerances.
func (b Borders) touch(one, two []segment, box land.Box) bool {
	one, two = in(one, box), in(two, box)
	var length float64
	first := 0
	var widest float64 // of the segments of the second outline
	for _, s := range two {
		widest = max(widest, math.Abs(s.x1-s.x0))
	}
	for _, s := range one {
		west, east := min(s.x0, s.x1)-b.Tolerance, max(s.x0, s.x1)+b.Tolerance
		for first < len(two) && min(two[first].x0, two[first].x1)+widest < west {
			first++
		}
		var near [][2]float64
		for _, other := range two[first:] {
			if min(other.x0, other.x1) > east {
				break
			}
			if max(other.y0, other.y1) < min(s.y0, s.y1)-b.Tolerance || min(other.y0, other.y1) > max(s.y0,
				s.y1)+b.Tolerance {
				continue
			}
			if from, to, ok := s.within(other, b.Tolerance); ok {
				if b.Corners {
					return true
				}
				near = append(near, [2]float64{from, to})
			}
		}
		if length += united(near) * math.Hypot(s.x1-s.x0, s.y1-s.y0); length > 8*b.Tolerance {
			return true
		}
	}
	return false
}

// united returns the length of a union of intervals.
func united(all [][2]float64) (length float64) {
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	end := math.Inf(-1)
	for _, v := range all {
		length += max(0, v[1]-max(v[0], end))
		end = max(end, v[1])
	}
	return length
}

// within returns the part of a segment, from 0 at its start to 1 at its end, within a distance of another segment. The
// distance to a segment is a convex function, so this is one interval.
func (s segment) within(other segment, distance float64) (from, to float64, ok bool) {
	away := func(t float64) float64 { return other.distance(s.x0+t*(s.x1-s.x0), s.y0+t*(s.y1-s.y0)) }
	low, high := 0.0, 1.0
	for range 60 { // the nearest point, by golden sections of the convex distance
		const golden = 0.6180339887498949
		a, b := high-golden*(high-low), low+golden*(high-low)
		if away(a) < away(b) {
			high = b
		} else {
			low = a
		}
	}
	nearest := (low + high) / 2
	for _, t := range []float64{0, 1} {
		if away(t) < away(nearest) {
			nearest = t
		}
	}
	if away(nearest) > distance {
		return 0, 0, false
	}
	end := func(t float64) float64 { // the last point on the way to an end that is within the distance
		if away(t) <= distance {
			return t
		}
		in, out := nearest, t
		for range 40 {
			if middle := (in + out) / 2; away(middle) <= distance {
				in = middle
			} else {
				out = middle
			}
		}
		return in
	}
	return end(0), end(1), true
}

// distance returns the distance of a point from the segment.
func (s segment) distance(x, y float64) float64 {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	t := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		t = max(0, min(1, ((x-s.x0)*dx+(y-s.y0)*dy)/square))
	}
	return math.Hypot(x-s.x0-t*dx, y-s.y0-t*dy)
}
