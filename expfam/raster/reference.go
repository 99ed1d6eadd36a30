package raster

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

var (
	wktUnit     = regexp.MustCompile(`(?i)\b(ANGLE|LENGTH)?UNIT\s*\[\s*"([^"]*)"\s*,\s*([0-9.eE+-]+)`)
	wktMeridian = regexp.MustCompile(`(?i)\bPRIMEM\s*\[\s*"([^"]*)"\s*,\s*([0-9.eE+-]+)`)
	wktRotated  = regexp.MustCompile(`(?i)"Rotated_pole"|"(Pole rotation|Rotated Pole)[^"]*"|o_lat_p`)
)

// parseReference reads well-known text of either version, as in a .prj file, the older text of ESRI, or the codes of
// longitude and latitude on WGS 84. Of other codes the unit is not known.
func parseReference(text string) (reference, error) {
	flat := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(flat, w) })
	}
	switch {
	case has("PROJCS[", "PROJCRS[", "PROJECTEDCRS["):
		units := wktUnit.FindAllStringSubmatch(text, -1)
		for i := len(units) - 1; i >= 0; i-- {
			size, err := strconv.ParseFloat(units[i][3], 64)
			if err != nil || strings.EqualFold(units[i][1], "ANGLE") || math.Abs(size-math.Pi/180) < 1e-6 {
				continue
			}
			return reference{unit: lengthUnit(size)}, nil
		}
		return reference{}, nil
	case has("GEOGCS[", "GEOGCRS[", "GEODCRS[", "GEOGRAPHICCRS["):
		if wktRotated.MatchString(text) {
			return reference{}, fmt.Errorf("the poles of its longitudes and latitudes are turned; warp it with " +
				"gdalwarp -t_srs EPSG:4326")
		}
		if m := wktMeridian.FindStringSubmatch(text); m != nil {
			if at, err := strconv.ParseFloat(m[2], 64); err != nil || at != 0 {
				return reference{}, fmt.Errorf("its longitudes count from %s; only those from Greenwich are read: "+
					"warp it with gdalwarp -t_srs EPSG:4326", m[1])
			}
		}
		for _, unit := range wktUnit.FindAllStringSubmatch(text, -1) {
			size, err := strconv.ParseFloat(unit[3], 64)
			if length := strings.EqualFold(unit[1], "LENGTH"); length || err == nil &&
				math.Abs(size-math.Pi/180) < 1e-6 || err == nil && size == 1 {
				continue
			}
			return reference{}, fmt.Errorf("its angles are in %s; only degrees are read: warp it with gdalwarp -t_srs "+
				"EPSG:4326", unit[2])
		}
		return reference{degrees: true}, nil
	case has("PROJECTIONGEOGRAPHIC"):
		if has("UNITSDS") {
			return reference{}, fmt.Errorf("its angles are in seconds; only degrees are read: warp it with gdalwarp " +
				"-t_srs EPSG:4326")
		}
		return reference{degrees: true}, nil
	case has("+PROJ="):
		return parsePROJ(flat)
	case flat == "EPSG:4326", flat == "OGC:CRS84", strings.HasSuffix(flat, "DEF:CRS:EPSG::4326"),
		strings.HasSuffix(flat, "CRS84"):
		return reference{degrees: true}, nil
	case utmCode.MatchString(flat), flat == "EPSG:3857", has("UNITSMETERS"):
		return reference{unit: "m"}, nil
	case has("UNITSFEET"):
		return reference{unit: "ft"}, nil
	case flat == "", strings.HasPrefix(flat, "PROJECTION"), has("[") && !strings.HasPrefix(flat, "{"):
		return reference{}, nil
	}
	return reference{}, fmt.Errorf("%.40q is no well-known text, and does not say whether coordinates are degrees; "+
		"write that, as by gdalsrsinfo -o wkt1_esri", strings.TrimSpace(text))
}

// utmCode are the codes of UTM on WGS 84.
var utmCode = regexp.MustCompile(`^EPSG:32[67]\d\d$`)

// parsePROJ reads a definition of PROJ in capitals without spaces, such as +PROJ=LONGLAT+DATUM=WGS84.
func parsePROJ(flat string) (reference, error) {
	items := map[string]string{}
	for _, item := range strings.Split(flat, "+") {
		key, value, _ := strings.Cut(item, "=")
		items[key] = value
	}
	switch units, meridian := items["UNITS"], items["PM"]; {
	case items["PROJ"] == "LONGLAT" || items["PROJ"] == "LATLONG":
		if meridian != "" && meridian != "0" && meridian != "GREENWICH" {
			return reference{}, fmt.Errorf("its longitudes count from %s; only those from Greenwich are read: warp it "+
				"with gdalwarp -t_srs EPSG:4326", strings.ToLower(meridian))
		}
		return reference{degrees: true}, nil
	case items["PROJ"] == "OB_TRAN":
		return reference{}, fmt.Errorf("the poles of its longitudes and latitudes are turned; warp it with " +
			"gdalwarp -t_srs EPSG:4326")
	case items["TO_METER"] != "" || units != "" && units != "M":
		return reference{unit: map[string]string{"KM": "km", "FT": "ft", "US-FT": "ft"}[units]}, nil
	}
	return reference{unit: "m"}, nil
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
