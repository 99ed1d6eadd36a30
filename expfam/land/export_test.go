package land

// The readers of a shapefile's parts, for files that are damaged everywhere.
var (
	DecodeSHP = decodeSHP
	DecodeDBF = decodeDBF
)
