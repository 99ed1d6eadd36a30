package geodesy

import (
	"cmp"
	"fmt"
	"math"
)

// Lambert is Lambert's conformal conic projection with two standard parallels, or with one if both are equal (Snyder
// 1987, USGS Professional Paper 1395, pages 107 to 109).
type Lambert struct {
	Ellipsoid             Ellipsoid // default WGS84
	South, North          float64   // the standard parallels, in degrees
	Meridian, Origin      float64   // longitude and latitude of the origin, in degrees
	Scale                 float64   // on the standard parallels; default 1
	FalseEast, FalseNorth float64
}

func (p Lambert) String() string {
	type plain Lambert
	return fmt.Sprintf("Lambert(%+v)", plain(p))
}

// cone returns the eccentricity, the constant of the cone, and the distance of a latitude from its apex.
func (p Lambert) cone() (e, n float64, rho func(conf float64) float64) {
	ellipsoid := p.Ellipsoid.orDefault()
	e = ellipsoid.eccentricity()
	m := func(lat float64) float64 {
		sin, cos := math.Sincos(lat * degree)
		return cos / math.Sqrt(1-e*e*sin*sin)
	}
	// log t = −asinh(tan of the conformal latitude)
	t := func(lat float64) float64 { return math.Exp(-math.Asinh(conformal(math.Tan(lat*degree), e))) }
	n = math.Sin(p.South * degree)
	if p.North != p.South {
		n = math.Log(m(p.South)/m(p.North)) / math.Log(t(p.South)/t(p.North))
	}
	f := cmp.Or(p.Scale, 1) * ellipsoid.A * m(p.South) / (n * math.Pow(t(p.South), n))
	return e, n, func(conf float64) float64 { return f * math.Exp(-n*math.Asinh(conf)) }
}

// Project implements [System].
func (p Lambert) Project(lon, lat float64) (x, y float64) {
	lat = onEarth(lat)
	e, n, rho := p.cone()
	r, origin := rho(conformal(math.Tan(lat*degree), e)), rho(conformal(math.Tan(p.Origin*degree), e))
	sin, cos := math.Sincos(n * turned(lon-p.Meridian) * degree)
	return p.FalseEast + r*sin, p.FalseNorth + origin - r*cos
}

// LonLat implements [System].
func (p Lambert) LonLat(x, y float64) (lon, lat float64) {
	e, n, rho := p.cone()
	east, north := x-p.FalseEast, rho(conformal(math.Tan(p.Origin*degree), e))-(y-p.FalseNorth)
	sign := math.Copysign(1, n)
	r := sign * math.Hypot(east, north)
	conf := math.Sinh(-math.Log(r/rho(0)) / n)
	angle := math.Atan2(sign*east, sign*north) / n
	return turned(p.Meridian + angle/degree), math.Atan(geographic(conf, e)) / degree
}

// Albers is Albers' equal-area conic projection (Snyder 1987, pages 101 to 102).
type Albers struct {
	Ellipsoid             Ellipsoid // default WGS84
	South, North          float64   // the standard parallels, in degrees
	Meridian, Origin      float64   // longitude and latitude of the origin, in degrees
	FalseEast, FalseNorth float64
}

func (p Albers) String() string {
	type plain Albers
	return fmt.Sprintf("Albers(%+v)", plain(p))
}

// authalic returns q, which is 2 sin φ on a sphere.
func authalic(sin, e float64) float64 { return (1 - e*e) * (sin/(1-e*e*sin*sin) + math.Atanh(e*sin)/e) }

// cone returns the eccentricity, the half-axis, and the constants n and C of the cone.
func (p Albers) cone() (e, a, n, c float64) {
	ellipsoid := p.Ellipsoid.orDefault()
	e, a = ellipsoid.eccentricity(), ellipsoid.A
	m2 := func(lat float64) float64 {
		sin, cos := math.Sincos(lat * degree)
		return cos * cos / (1 - e*e*sin*sin)
	}
	south, north := math.Sin(p.South*degree), math.Sin(p.North*degree)
	n = south
	if p.North != p.South {
		n = (m2(p.South) - m2(p.North)) / (authalic(north, e) - authalic(south, e))
	}
	return e, a, n, m2(p.South) + n*authalic(south, e)
}

// Project implements [System].
func (p Albers) Project(lon, lat float64) (x, y float64) {
	lat = onEarth(lat)
	e, a, n, c := p.cone()
	rho := func(lat float64) float64 { return a * math.Sqrt(c-n*authalic(math.Sin(lat*degree), e)) / n }
	sin, cos := math.Sincos(n * turned(lon-p.Meridian) * degree)
	return p.FalseEast + rho(lat)*sin, p.FalseNorth + rho(p.Origin) - rho(lat)*cos
}

// LonLat implements [System].
func (p Albers) LonLat(x, y float64) (lon, lat float64) {
	e, a, n, c := p.cone()
	origin := a * math.Sqrt(c-n*authalic(math.Sin(p.Origin*degree), e)) / n
	east, north := x-p.FalseEast, origin-(y-p.FalseNorth)
	sign := math.Copysign(1, n)
	q := (c - (east*east+north*north)*n*n/(a*a)) / n
	sin := q / 2
	for range 20 { // Newton's method for the latitude: dq/d sin φ = 2(1−e²)/(1−e² sin² φ)²
		step := (q - authalic(sin, e)) * (1 - e*e*sin*sin) * (1 - e*e*sin*sin) / (2 * (1 - e*e))
		if sin = math.Max(-1, math.Min(1, sin+step)); math.Abs(step) < 1e-16 {
			break
		}
	}
	return turned(p.Meridian + math.Atan2(sign*east, sign*north)/n/degree), math.Asin(sin) / degree
}
