package geodesy

import "math"

// System turns longitude and latitude in degrees into the coordinates of a map in metres, and back. A latitude beyond
// the poles has no place on a map: its coordinates are NaN.
type System interface {
	String() string
	Project(lon, lat float64) (x, y float64)
	LonLat(x, y float64) (lon, lat float64)
}

// degrees is longitude and latitude of WGS 84.
type degrees struct{}

func (degrees) String() string                          { return "longitude and latitude of WGS 84" }
func (degrees) Project(lon, lat float64) (x, y float64) { return lon, lat }
func (degrees) LonLat(x, y float64) (lon, lat float64)  { return x, y }

// onEarth returns a latitude in degrees; NaN for one beyond the poles.
func onEarth(lat float64) float64 {
	if math.Abs(lat) > 90 {
		return math.NaN()
	}
	return lat
}
