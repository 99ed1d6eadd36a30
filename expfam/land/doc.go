// Package land draws sub-Saharan Africa on a grid: countries, lakes and the
// cells that are neither sea nor water.
//
//	m, err := land.Frame{}.Map()                    // 64 × 64 cells of the region
//	m, err = land.Frame{Country: "Nigeria"}.Map()   // of one country, or "NGA"
//	fmt.Println(m)                                  // resolution, projection, areas
//
// A frame is lon-lat by default, with the true area of every cell; [EqualArea]
// makes all areas equal. The paper gives its 256 × 256 cells 111 km² each; over
// the continent they have 696 to 845 km².
//
// [GeoJSON] and [Shapefile] read districts and other regions of any country, of which a
// Frame{Regions: districts} makes a map.
//
// Coastlines, borders and lakes are Natural Earth's at 1:50 million, which is in
// the public domain; LICENSE.txt says where they are from. Borders are as that
// map draws them, and state nothing about whose land is whose.
package land

// The folder EXPFAM_NATURAL_EARTH holds Natural Earth's countries and lakes at
// 1:50 million as GeoJSON; see the recipe.
//
//go:generate go run recipe.go
