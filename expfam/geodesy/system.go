package geodesy

// System turns longitude and latitude in degrees into the coordinates of a map in metres, and back.
type System interface {
	String() string
	Project(lon, lat float64) (x, y float64)
	LonLat(x, y float64) (lon, lat float64)
}
