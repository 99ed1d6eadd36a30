package geodesy

import (
	"cmp"
	"fmt"
	"math"
)

// TransverseMercator is the transverse Mercator projection by Krüger's series to the sixth order (Karney 2011, Journal
// of Geodesy 85). It is exact to nanometres within 3900 km of its meridian.
type TransverseMercator struct {
	Ellipsoid             Ellipsoid // default WGS84
	Meridian, Origin      float64   // longitude of the meridian and latitude of the origin, in degrees
	Scale                 float64   // on the meridian; default 1
	FalseEast, FalseNorth float64
}

// UTM returns the projection of a zone of UTM, 1 to 60, on WGS 84. The coordinates of any other zone are NaN.
func UTM(zone int, north bool) TransverseMercator {
	p := TransverseMercator{Meridian: float64(6*zone - 183), Scale: 0.9996, FalseEast: 500000}
	if zone < 1 || zone > 60 {
		p.Meridian = math.NaN()
	}
	if !north {
		p.FalseNorth = 1e7
	}
	return p
}

func (p TransverseMercator) String() string {
	return fmt.Sprintf("transverse Mercator(%+v)", p.orDefault())
}

// alias keeps String out of its own text.
type alias TransverseMercator

func (p TransverseMercator) orDefault() alias {
	p.Ellipsoid = p.Ellipsoid.orDefault()
	p.Scale = cmp.Or(p.Scale, 1)
	return alias(p)
}

// series returns the radius of the rectifying sphere and the coefficients of both directions, to n⁶ of the third
// flattening (Karney 2011, equations 14, 35 and 36).
func (p alias) series() (radius float64, forth, back [6]float64) {
	n := 1 / (2*p.Ellipsoid.InverseFlattening - 1)
	n2, n3, n4, n5, n6 := n*n, n*n*n, n*n*n*n, n*n*n*n*n, n*n*n*n*n*n
	radius = p.Ellipsoid.A / (1 + n) * (1 + n2/4 + n4/64 + n6/256)
	forth = [6]float64{
		n/2 - 2*n2/3 + 5*n3/16 + 41*n4/180 - 127*n5/288 + 7891*n6/37800,
		13*n2/48 - 3*n3/5 + 557*n4/1440 + 281*n5/630 - 1983433*n6/1935360,
		61*n3/240 - 103*n4/140 + 15061*n5/26880 + 167603*n6/181440,
		49561*n4/161280 - 179*n5/168 + 6601661*n6/7257600,
		34729*n5/80640 - 3418889*n6/1995840,
		212378941 * n6 / 319334400}
	back = [6]float64{
		n/2 - 2*n2/3 + 37*n3/96 - n4/360 - 81*n5/512 + 96199*n6/604800,
		n2/48 + n3/15 - 437*n4/1440 + 46*n5/105 - 1118711*n6/3870720,
		17*n3/480 - 37*n4/840 - 209*n5/4480 + 5569*n6/90720,
		4397*n4/161280 - 11*n5/504 - 830251*n6/7257600,
		4583*n5/161280 - 108847*n6/3991680,
		20648693 * n6 / 638668800}
	return radius, forth, back
}

// plane returns the coordinates in units of the radius, without false origin.
func (p alias) plane(lon, lat float64, forth [6]float64) (east, north float64) {
	tan := conformal(math.Tan(lat*degree), p.Ellipsoid.eccentricity())
	sin, cos := math.Sincos(turned(lon-p.Meridian) * degree)
	xi, eta := math.Atan2(tan, cos), math.Asinh(sin/math.Hypot(tan, cos))
	east, north = eta, xi
	for k, a := range forth {
		j := 2 * float64(k+1)
		north += a * math.Sin(j*xi) * math.Cosh(j*eta)
		east += a * math.Cos(j*xi) * math.Sinh(j*eta)
	}
	return east, north
}

// Project implements [System].
func (p TransverseMercator) Project(lon, lat float64) (x, y float64) {
	q := p.orDefault()
	radius, forth, _ := q.series()
	east, north := q.plane(lon, onEarth(lat), forth)
	_, origin := q.plane(q.Meridian, q.Origin, forth)
	return q.FalseEast + q.Scale*radius*east, q.FalseNorth + q.Scale*radius*(north-origin)
}

// LonLat implements [System].
func (p TransverseMercator) LonLat(x, y float64) (lon, lat float64) {
	q := p.orDefault()
	radius, forth, back := q.series()
	_, origin := q.plane(q.Meridian, q.Origin, forth)
	eta, xi := (x-q.FalseEast)/(q.Scale*radius), (y-q.FalseNorth)/(q.Scale*radius)+origin
	east, north := eta, xi
	for k, b := range back {
		j := 2 * float64(k+1)
		north -= b * math.Sin(j*xi) * math.Cosh(j*eta)
		east -= b * math.Cos(j*xi) * math.Sinh(j*eta)
	}
	sinh, cos := math.Sinh(east), math.Cos(north)
	tan := geographic(math.Sin(north)/math.Hypot(sinh, cos), q.Ellipsoid.eccentricity())
	return turned(q.Meridian + math.Atan2(sinh, cos)/degree), math.Atan(tan) / degree
}
