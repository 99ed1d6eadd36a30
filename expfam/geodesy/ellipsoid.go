package geodesy

import "math"

// Ellipsoid is a shape of the Earth: its larger half-axis in metres and the reciprocal of its flattening.
type Ellipsoid struct{ A, InverseFlattening float64 }

// The ellipsoids of WGS 84, of NAD83 and ETRS89, of NAD27, of OSGB36, of Arc 1960 and of Tokyo.
var (
	WGS84      = Ellipsoid{6378137, 298.257223563}
	GRS80      = Ellipsoid{6378137, 298.257222101}
	Clarke1866 = Ellipsoid{6378206.4, 294.978698213898}
	Airy1830   = Ellipsoid{6377563.396, 299.3249646}
	Clarke1880 = Ellipsoid{6378249.145, 293.465} // RGS
	Bessel1841 = Ellipsoid{6377397.155, 299.1528128}
)

// orDefault returns WGS84 in place of the zero value.
func (e Ellipsoid) orDefault() Ellipsoid {
	if e == (Ellipsoid{}) {
		return WGS84
	}
	return e
}

// eccentricity returns e.
func (e Ellipsoid) eccentricity() float64 {
	f := 1 / e.InverseFlattening
	return math.Sqrt(f * (2 - f))
}

// conformal returns the tangent of the conformal latitude (Karney 2011, Journal of Geodesy 85, equation 7).
func conformal(tan, e float64) float64 {
	sigma := math.Sinh(e * math.Atanh(e*tan/math.Hypot(1, tan)))
	return tan*math.Hypot(1, sigma) - sigma*math.Hypot(1, tan)
}

// geographic inverts conformal by Newton's method.
func geographic(conf, e float64) float64 {
	tan := conf / (1 - e*e)
	if math.IsInf(tan, 0) || math.IsNaN(tan) {
		return tan
	}
	for range 8 {
		now := conformal(tan, e)
		step := (conf - now) * (1 + (1-e*e)*tan*tan) / ((1 - e*e) * math.Hypot(1, tan) * math.Hypot(1, now))
		tan += step
		if math.Abs(step) < 1e-15*(1+math.Abs(tan)) {
			break
		}
	}
	return tan
}

const degree = math.Pi / 180

// turned returns an angle in degrees between −180 and 180.
func turned(lon float64) float64 { return math.Remainder(lon, 360) }
