package geodesy

import (
	"fmt"
	"math"
)

// Datum is longitude and latitude of an old datum, or of a map on it. Its shift to WGS 84 is one mean shift of the
// centre of the Earth, so it is approximate: positions are off by up to Accuracy metres.
type Datum struct {
	Name       string
	Ellipsoid  Ellipsoid
	DX, DY, DZ float64 // what is added to geocentric coordinates, in metres
	Accuracy   float64 // in metres
	Of         System  // the map; nil for longitude and latitude
}

// The datums of NIMA's Technical Report 8350.2 (2000): the mean of the conterminous United States for NAD27, whose
// shift is 10 to 100 m there, and of Great Britain for OSGB36, 70 to 120 m.
var (
	NAD27  = Datum{Name: "NAD27", Ellipsoid: Clarke1866, DX: -8, DY: 160, DZ: 176, Accuracy: 10}
	OSGB36 = Datum{Name: "OSGB36", Ellipsoid: Airy1830, DX: 375, DY: -111, DZ: 431, Accuracy: 21}
)

// BritishGrid is the National Grid of Great Britain on OSGB36.
var BritishGrid = OSGB36.With(TransverseMercator{Ellipsoid: Airy1830, Meridian: -2, Origin: 49, Scale: 0.9996012717,
	FalseEast: 400000, FalseNorth: -100000})

// With returns the datum of a map.
func (d Datum) With(of System) Datum {
	d.Of = of
	return d
}

func (d Datum) String() string {
	return fmt.Sprintf("%s(%v, shift %g, %g, %g m, to about %g m)", d.Name, d.Of, d.DX, d.DY, d.DZ, d.Accuracy)
}

// LonLat returns longitude and latitude of WGS 84.
func (d Datum) LonLat(x, y float64) (lon, lat float64) {
	if d.Of != nil {
		x, y = d.Of.LonLat(x, y)
	}
	return shift(x, y, d.Ellipsoid, WGS84, d.DX, d.DY, d.DZ)
}

// Project returns the coordinates of a place that is given on WGS 84.
func (d Datum) Project(lon, lat float64) (x, y float64) {
	x, y = shift(lon, lat, WGS84, d.Ellipsoid, -d.DX, -d.DY, -d.DZ)
	if d.Of != nil {
		x, y = d.Of.Project(x, y)
	}
	return x, y
}

// shift moves a place on one ellipsoid to another one with another centre.
func shift(lon, lat float64, from, to Ellipsoid, dx, dy, dz float64) (float64, float64) {
	e := from.eccentricity()
	sin, cos := math.Sincos(lat * degree)
	n := from.A / math.Sqrt(1-e*e*sin*sin)
	x, y, z := n*cos*math.Cos(lon*degree)+dx, n*cos*math.Sin(lon*degree)+dy, n*(1-e*e)*sin+dz
	e = to.eccentricity()
	p := math.Hypot(x, y)
	phi := math.Atan2(z, p*(1-e*e))
	for range 10 {
		s := math.Sin(phi)
		phi = math.Atan2(z+e*e*to.A/math.Sqrt(1-e*e*s*s)*s, p)
	}
	return math.Atan2(y, x) / degree, phi / degree
}
