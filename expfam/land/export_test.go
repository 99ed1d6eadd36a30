package land

import "math"

// The readers of a shapefile's parts, for files that are damaged everywhere.
var DecodeDBF = decodeDBF

func DecodeSHP(data []byte) {
	shapes, _ := records(data, nil, 1)
	for _, b := range shapes {
		decodeShape(b)
		decodePoint(b)
	}
}

// Overlaps returns the area that a region covers once, and that which it covers otherwise.
func Overlaps(r Region) (once, wrong float64) {
	all, err := r.arranged(mostCuts)
	if err != nil {
		return 0, math.Inf(1)
	}
	sum := windings(all)
	return sum.once, sum.wrong
}

// Nest makes polygons of rings.
var Nest = nest
