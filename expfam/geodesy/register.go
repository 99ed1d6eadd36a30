package geodesy

import "fmt"

// degrees is longitude and latitude of WGS 84.
type degrees struct{}

func (degrees) String() string                          { return "longitude and latitude of WGS 84" }
func (degrees) Project(lon, lat float64) (x, y float64) { return lon, lat }
func (degrees) LonLat(x, y float64) (lon, lat float64)  { return x, y }

// EPSG returns the coordinates that have a code of EPSG's register: longitude and latitude of WGS 84, Web Mercator or
// UTM on WGS 84. East comes first in all of them, as files of maps store them, whatever the register says. For other
// coordinates the error says what to do, and name is what their file calls them.
func EPSG(code int64, name string) (System, error) {
	switch {
	case code == 4326:
		return degrees{}, nil
	case code == 3857:
		return WebMercator{}, nil
	case code > 32600 && code <= 32660:
		return UTM(int(code-32600), true), nil
	case code > 32700 && code <= 32760:
		return UTM(int(code-32700), false), nil
	case code == 4267:
		return nil, fmt.Errorf("its coordinates are NAD27 (EPSG:4267), 10 to 100 m from WGS 84; set From: " +
			"geodesy.NAD27, which is right to about 10 m in the conterminous United States, or convert the file")
	}
	return nil, fmt.Errorf("its coordinates are %s (EPSG:%d), which is neither WGS 84, UTM on it nor Web Mercator; "+
		"name them by From, with a projection of package geodesy, or convert the file", name, code)
}
