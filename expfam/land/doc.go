// Package land puts maps of sub-Saharan Africa on a grid: countries, lakes, and the cells that are land.
//
//	m, err := land.Frame{}.Map()                    // 64 × 64 cells of the region
//	m, err = land.Frame{Country: "Nigeria"}.Map()   // of one country, or "NGA"
//	fmt.Println(m)                                  // resolution, projection, areas
//
// A frame has longitude and latitude as axes by default, and knows the true area of every cell. [EqualArea] makes all
// areas equal. The paper gives its 256 × 256 cells 111 km² each; over the continent they have 696 to 845 km².
//
// [GeoJSON] and [Shapefile] read districts and other regions of any country.
// Frame{Regions: districts} makes a map of them.
//
// Coastlines, borders and lakes are from Natural Earth at 1:50 million, which is in the public domain (LICENSE.txt).
// Borders are as Natural Earth draws them. They are no statement about disputed land.
package land

// The environment variable EXPFAM_NATURAL_EARTH names a folder with Natural Earth's
// countries and lakes at 1:50 million as GeoJSON; see recipe.go.
//
//go:generate go run recipe.go
