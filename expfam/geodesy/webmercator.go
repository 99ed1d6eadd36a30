package geodesy

import "math"

// WebMercator is the projection of web maps, EPSG:3857: Mercator's formulas of the sphere with coordinates on the
// ellipsoid of WGS 84. Distances on it are too long by 1/cos(latitude).
type WebMercator struct{}

func (WebMercator) String() string { return "web Mercator" }

// Project implements [System].
func (WebMercator) Project(lon, lat float64) (x, y float64) {
	return WGS84.A * lon * degree, WGS84.A * math.Asinh(math.Tan(onEarth(lat)*degree))
}

// LonLat implements [System].
func (WebMercator) LonLat(x, y float64) (lon, lat float64) {
	return x / WGS84.A / degree, math.Atan(math.Sinh(y/WGS84.A)) / degree
}
