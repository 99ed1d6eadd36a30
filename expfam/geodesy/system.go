package geodesy

// System turns longitude and latitude in degrees into the coordinates of a map in metres, and back.
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
