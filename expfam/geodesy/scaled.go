package geodesy

import "fmt"

// scaled is a map in other units than metres.
type scaled struct {
	System
	metres float64
}

func (s scaled) String() string { return fmt.Sprintf("%v in units of %g m", s.System, s.metres) }

// Project implements [System].
func (s scaled) Project(lon, lat float64) (x, y float64) {
	x, y = s.System.Project(lon, lat)
	return x / s.metres, y / s.metres
}

// LonLat implements [System].
func (s scaled) LonLat(x, y float64) (lon, lat float64) {
	return s.System.LonLat(x*s.metres, y*s.metres)
}
