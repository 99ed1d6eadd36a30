// Package geodesy turns coordinates of maps into longitude and latitude, and back: transverse Mercator and UTM, Web
// Mercator, Lambert's conformal conic and Albers' equal-area projection, each on its own ellipsoid, and approximate
// shifts of old datums:
//
//	x, y := geodesy.UTM(18, true).Project(-75.9, 42.1)
//	lon, lat := geodesy.NAD27.LonLat(-81, 34.2)
//	tracts, err := land.Shapefile{From: geodesy.UTM(18, true)}.Read("tracts.shp")
//
// A System is longitude and latitude in degrees on its own datum. [Datum] says what lies between that and WGS 84.
package geodesy
