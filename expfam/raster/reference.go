package raster

import (
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/grid"
)

// reference says what the coordinates of a raster are.
type reference struct {
	degrees bool   // longitude and latitude in degrees
	unit    string // of other coordinates, "" if it is not known
}

// apply names the axes of a grid that has a place.
func (r reference) apply(g *grid.Grid) {
	g.X.Name, g.Y.Name, g.X.Unit, g.Y.Unit = "x", "y", r.unit, r.unit
	if r.degrees {
		g.X.Name, g.Y.Name, g.X.Unit, g.Y.Unit = "longitude", "latitude", "°", "°"
		g.Radius = grid.EarthRadius
	}
}

// parseReference reads what a file beside a raster says of its coordinates. Longitude and latitude must be those of
// WGS 84, and other coordinates are any.
func parseReference(text string) (reference, error) {
	if strings.TrimSpace(text) == "" {
		return reference{}, nil
	}
	r, err := geodesy.ParseReference(text)
	switch code := strings.Contains(text, "EPSG:") && !strings.Contains(text, "["); {
	case err != nil:
		return reference{}, err
	case r.Degrees:
		return reference{degrees: true}, r.Check()
	case code && r.Unit == 0:
		return reference{}, fmt.Errorf("%s does not say whether coordinates are degrees; write well-known text, as by "+
			"gdalsrsinfo -o wkt1_esri", r.Name)
	}
	return reference{unit: lengthUnit(r.Unit)}, nil
}

// lengthUnit names a unit of a number of metres.
func lengthUnit(metres float64) string {
	switch {
	case metres == 1:
		return "m"
	case metres == 1000:
		return "km"
	case math.Abs(metres-0.3048) < 1e-5:
		return "ft"
	}
	return ""
}
