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
	code       int64   // of its longitude and latitude in EPSG's register
	of         System  // the map; nil for longitude and latitude
}

// The datums of NIMA's Technical Report 8350.2 (2000): the mean of the conterminous United States for NAD27, whose
// shift is 10 to 100 m there, of Great Britain for OSGB36, 70 to 120 m, of Kenya and Tanzania for Arc1960, some 300 m,
// and of Japan, Korea and Okinawa for Tokyo, some 450 m.
var (
	NAD27   = Datum{name: "NAD27", ellipsoid: Clarke1866, dx: -8, dy: 160, dz: 176, accuracy: 10, code: 4267}
	OSGB36  = Datum{name: "OSGB36", ellipsoid: Airy1830, dx: 375, dy: -111, dz: 431, accuracy: 21, code: 4277}
	Arc1960 = Datum{name: "Arc1960", ellipsoid: Clarke1880, dx: -160, dy: -6, dz: -302, accuracy: 35, code: 4210}
	Tokyo   = Datum{name: "Tokyo", ellipsoid: Bessel1841, dx: -148, dy: 507, dz: 685, accuracy: 29, code: 4301}
)

// old are the datums that are farther than 2 m from WGS 84.
var old = []Datum{NAD27, OSGB36, Arc1960, Tokyo}

// is reports whether a file's name of a datum is that of d.
func (d Datum) is(name string) bool {
	switch flat := fold(name); d.name {
	case "NAD27":
		return flat == "northamericandatum1927" || flat == "northamerican1927" || flat == "nad27"
	case "OSGB36":
		return flat == "osgb1936" || flat == "osgb36" || flat == "ordnancesurveyofgreatbritain1936"
	default:
		return flat == fold(d.name)
	}
}

// BritishGrid is the National Grid of Great Britain on OSGB36.
var BritishGrid = OSGB36.With(TransverseMercator{Meridian: -2, Origin: 49, Scale: 0.9996012717, FalseEast: 400000,
	FalseNorth: -100000})

// With returns the datum of a map. A map of this package, such as UTM(14, true), is put on the ellipsoid of the datum.
func (d Datum) With(of System) Datum {
	switch m := of.(type) {
	case TransverseMercator:
		m.Ellipsoid = d.ellipsoid
		of = m
	case Lambert:
		m.Ellipsoid = d.ellipsoid
		of = m
	case Albers:
		m.Ellipsoid = d.ellipsoid
		of = m
	}
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
	x, y = shift(lon, onEarth(lat), WGS84, d.ellipsoid, -d.dx, -d.dy, -d.dz)
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
