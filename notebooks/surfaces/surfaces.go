// Package surfaces documents the pictures from above beside it, which the lessons load by path. None was used in
// training, and none is among the photographs of the benchmark.
//
//	olinda
//		Olinda and Recife, Brazil, by Landsat 7: the middle infrared (band 7,
//		2.08 to 2.35 µm) of the ETM+ instrument, in which roofs and sand are
//		bright and woods and water dark. Landsat's scenes are in the public
//		domain (U.S. Geological Survey). From tif/L7_ETMs.tif of the R package
//		stars 0.6-0 (Apache-2.0): rows 160 to 351 and columns 130 to 321 of
//		28.5 m, from the 1st to the 99.5th percentile, averaged 3 by 3.
package surfaces
