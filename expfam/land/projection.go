package land

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
)

// Projection maps the sphere to a plane. It is cylindrical: X depends on the longitude alone
// and Y on the latitude alone, and both are increasing.
type Projection interface {
	String() string
	X(lon float64) float64
	Y(lat float64) float64
	Lon(x float64) float64
	Lat(y float64) float64
	// Axes returns the names and units of the axes, and the Radius of a grid with these axes.
	Axes() (x, y grid.Axis, radius float64)
}

// LonLat has longitude and latitude as axes, in degrees. Cells become smaller towards the
// poles; their areas, in km², are areas on the sphere.
type LonLat struct{}

func (LonLat) String() string { return "lon-lat" }

// X implements [Projection].
func (LonLat) X(lon float64) float64 { return lon }

// Y implements [Projection].
func (LonLat) Y(lat float64) float64 { return lat }

// Lon implements [Projection].
func (LonLat) Lon(x float64) float64 { return x }

// Lat implements [Projection].
func (LonLat) Lat(y float64) float64 { return y }

// Axes implements [Projection].
func (LonLat) Axes() (x, y grid.Axis, radius float64) {
	return grid.Axis{Name: "longitude", Unit: "°"}, grid.Axis{Name: "latitude", Unit: "°"}, grid.EarthRadius
}

// EqualArea is Lambert's cylindrical equal-area projection with axes in km,
//
//	x = R λ cos φ₀,  y = R sin φ / cos φ₀.
//
// All cells have the same area, and shapes are true along the parallels ±φ₀.
type EqualArea struct {
	Parallel float64 // φ₀ in degrees. Default 0, the equator
}

func (p EqualArea) String() string {
	return fmt.Sprintf("cylindrical equal-area, true at ±%g°", math.Abs(p.Parallel))
}

// squeeze returns cos φ₀, the factor of x.
func (p EqualArea) squeeze() float64 { return math.Cos(p.Parallel * math.Pi / 180) }

// X implements [Projection].
func (p EqualArea) X(lon float64) float64 {
	return grid.EarthRadius * lon * math.Pi / 180 * p.squeeze()
}

// Y implements [Projection].
func (p EqualArea) Y(lat float64) float64 {
	return grid.EarthRadius * math.Sin(lat*math.Pi/180) / p.squeeze()
}

// Lon implements [Projection].
func (p EqualArea) Lon(x float64) float64 { return x / grid.EarthRadius / p.squeeze() * 180 / math.Pi }

// Lat implements [Projection].
func (p EqualArea) Lat(y float64) float64 {
	return math.Asin(max(-1, min(1, y/grid.EarthRadius*p.squeeze()))) * 180 / math.Pi
}

// Axes implements [Projection].
func (EqualArea) Axes() (x, y grid.Axis, radius float64) {
	return grid.Axis{Name: "easting", Unit: "km"}, grid.Axis{Name: "northing", Unit: "km"}, 0
}
