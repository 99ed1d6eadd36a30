package geodesy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parsePROJ reads a definition of PROJ, flat in capitals without spaces, such as +PROJ=LONGLAT+DATUM=WGS84.
func parsePROJ(text, flat string) Reference {
	r := Reference{Name: text}
	items := map[string]string{}
	for _, item := range strings.Split(flat, "+") {
		key, value, _ := strings.Cut(item, "=")
		items[key] = value
	}
	a, _ := strconv.ParseFloat(items["A"]+items["R"], 64)
	sphere := items["R"] != "" || items["B"] != "" && items["B"] == items["A"]
	ellipsoid := items["ELLPS"]
	switch datum := items["DATUM"]; {
	case items["TOWGS84"] != "" && strings.Trim(items["TOWGS84"], "0.,") != "", items["NADGRIDS"] != "" &&
		items["NADGRIDS"] != "@NULL", items["GEOIDGRIDS"] != "" && ellipsoid == "" && datum == "":
	case datum == "WGS84" || datum == "NAD83":
		r.datum, r.near = map[string]string{"WGS84": "WGS 84", "NAD83": "NAD83"}[datum], true
	case datum == "NAD27" || datum == "OSGB36":
		r.datum = datum
	case datum == "" && (ellipsoid == "WGS84" || ellipsoid == "GRS80" || ellipsoid == "SPHERE" || ellipsoid == "" &&
		(a == 0 || sphere && a > 6.3e6 || math.Abs(a-WGS84.A) < 1)):
		if r.datum, r.near = "WGS 84", true; ellipsoid == "GRS80" { // of ETRS89, NAD83 and other datums
			r.datum = "unknown"
		}
	}
	if pm := items["PM"]; pm != "" && strings.Trim(pm, "0.") != "" && pm != "GREENWICH" {
		r.wrong = fmt.Errorf("its longitudes count from %s; only those from Greenwich are read: convert it to "+
			"EPSG:4326, as by gdalwarp -t_srs or ogr2ogr -t_srs", strings.ToLower(pm))
	}
	r.body(a)
	lonLat := items["PROJ"] == "LONGLAT" || items["PROJ"] == "LATLONG"
	if lonLat && strings.Trim(items["LON_0"], "0.-") != "" || strings.ContainsAny(items["AXIS"], "WS") {
		r.wrong = errors.New("its +lon_0 or +axis counts from another meridian, to the west or to the south; convert " +
			"it to EPSG:4326, as by gdalwarp -t_srs or ogr2ogr -t_srs")
	}
	metres, _ := strconv.ParseFloat(items["TO_METER"], 64)
	if items["TO_METER"] == "" {
		metres = map[string]float64{"": 1, "M": 1, "KM": 1000, "FT": 0.3048, "US-FT": 1200. / 3937}[items["UNITS"]]
	}
	switch {
	case lonLat:
		r.Degrees, r.System = true, degrees{}
	case items["PROJ"] == "OB_TRAN":
		r.Degrees, r.wrong = true, errTurned
	default:
		r.Unit = metres
		number, _ := strconv.Atoi(items["ZONE"])
		_, south := items["SOUTH"]
		if items["PROJ"] != "UTM" || number < 1 || number > 60 || sphere || ellipsoid == "SPHERE" || metres == 0 {
			break
		}
		if r.System = UTM(number, !south); metres != 1 {
			r.System = scaled{r.System, metres}
		}
	}
	return r
}
