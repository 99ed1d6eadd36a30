package land

// The readers of a shapefile's parts, for files that are damaged everywhere.
var (
	DecodeSHP = decodeSHP
	DecodeDBF = decodeDBF
)

// Overlaps returns the area that a region covers once, and that which it covers otherwise.
func Overlaps(r Region) (once, wrong float64) {
	sum := r.overlaps()
	return sum.once, sum.wrong
}
