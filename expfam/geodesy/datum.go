package geodesy

import (
	"fmt"
	"math"
)

// Datum is longitude and latitude of an old datum, or of a map on it. Its shift to WGS 84 is one mean shift of the
// centre of the Earth, so it is approximate: String says by how many metres.
type Datum struct {
	name       string
	ellipsoid  Ellipsoid
	dx, dy, dz float64 // what is added to geocentric coordinates, in metres
	accuracy   float64 // in metres
	of         System  // the map; nil for longitude and latitude
}

// The datums of NIMA's Technical Report 8350.2 (2000): the mean of the conterminous United States for NAD27, whose
// shift is 10 to 100 m there, and of Great Britain for OSGB36, 70 to 120 m.
var (
	NAD27  = Datum{name: "NAD27", ellipsoid: Clarke1866, dx: -8, dy: 160, dz: 176, accuracy: 10}
	OSGB36 = Datum{name: "OSGB36", ellipsoid: Airy1830, dx: 375, dy: -111, dz: 431, accuracy: 21}
)

// BritishGrid is the National Grid of Great Britain on OSGB36.
var BritishGrid = OSGB36.With(TransverseMercator{Ellipsoid: Airy1830, Meridian: -2, Origin: 49, Scale: 0.9996012717,
	FalseEast: 400000, FalseNorth: -100000})

// With returns the datum of a map.
func (d Datum) With(of System) Datum {
	d.of = of
	return d
}

func (d Datum) String() string {
	return fmt.Sprintf("%s(%v, shift %g, %g, %g m, to about %g m)", d.name, d.of, d.dx, d.dy, d.dz, d.accuracy)
}

// LonLat returns longitude and latitude of WGS 84.
func (d Datum) LonLat(x, y float64) (lon, lat float64) {
	if d.of != nil {
		x, y = d.of.LonLat(x, y)
	}
	return shift(x, y, d.ellipsoid, WGS84, d.dx, d.dy, d.dz)
}

// Project returns the coordinates of a place that is given on WGS 84.
func (d Datum) Project(lon, lat float64) (x, y float64) {
	x, y = shift(lon, lat, WGS84, d.ellipsoid, -d.dx, -d.dy, -d.dz)
	if d.of != nil {
		x, y = d.of.Project(x, y)
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
