package geodesy

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Reference is what a file says of its coordinates: its coordinate reference system. All readers judge it by the same
// rules. Longitude and latitude are read if they are degrees from Greenwich on WGS 84 or on a datum within 2 m of it,
// such as NAD83, ETRS89, SIRGAS 2000 and GDA2020, and maps on these datums if this package has their projection.
type Reference struct {
	Name    string  // as the file has it
	Degrees bool    // longitude and latitude
	Unit    float64 // of other coordinates, in metres; 0 if it is not known
	// System is the map on its own datum, nil if this package does not have it.
	System System

	datum string // "" if it is not known
	near  bool   // WGS 84 or within 2 m of it
	wrong error  // why the coordinates are not read at all
}

// Datum returns the name of a datum other than WGS 84 that is read as WGS 84, and "" if the datum is WGS 84.
func (r Reference) Datum() string {
	if !r.near || strings.HasPrefix(r.datum, "WGS 84") {
		return ""
	}
	return r.datum
}

// Check refuses longitudes and latitudes that are not of WGS 84 or within 2 m of it, from Greenwich and of the Earth.
// It passes coordinates of other maps.
func (r Reference) Check() error {
	switch {
	case r.wrong != nil:
		return fmt.Errorf("its coordinates are %.60q: %w", r.Name, r.wrong)
	case r.Degrees && !r.near:
		return fmt.Errorf("its coordinates are %.60q, which are not known to be from Greenwich and within 2 m of "+
			"WGS 84, "+
			"but may be some hundred metres off; convert it, as by -t_srs EPSG:4326 of gdalwarp or ogr2ogr%s", r.Name,
			r.advice())
	}
	return nil
}

// advice names the datum of this package that the reference has.
func (r Reference) advice() string {
	for _, old := range old {
		if old.name == r.datum {
			return fmt.Sprintf(", or set From: geodesy.%s, where a reader has it, which is right to about %g "+
				"m", old.name,
				old.accuracy)
		}
	}
	return ""
}

// Readable returns the system that turns the coordinates into longitude and latitude of WGS 84 within 2 m, or an error
// that says what to do.
func (r Reference) Readable() (System, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.System == nil || !r.near {
		near := ""
		if r.near {
			near = ", such as geodesy.UTM(18, true)"
		}
		if advice := r.advice(); advice != "" {
			near = fmt.Sprintf(" with geodesy.%s, which is right to some metres", r.datum)
		}
		return nil, fmt.Errorf("its coordinates are %.60q, which is none of WGS 84, UTM, Web Mercator and other "+
			"maps within "+
			"2 m of WGS 84 that are read; name them by From%s, or convert the file, as by ogr2ogr -t_srs EPSG:4326",
			r.Name, near)
	}
	return r.System, nil
}

// Agrees refuses a system that puts the places x, y elsewhere than the file says: in another zone, another hemisphere
// or on another datum. If this package does not have the file's map, it compares the datums.
func (r Reference) Agrees(with interface {
	LonLat(x, y float64) (lon, lat float64)
}, places [][2]float64) error {
	against := fmt.Sprintf("From is %v, and the file says that its coordinates are %.60q", with, r.Name)
	const advice = "leave From out, correct it, or correct what the file says, as by ogr2ogr -a_srs"
	shifted, isDatum := with.(Datum)
	plain := false // without a shift between datums
	switch with.(type) {
	case TransverseMercator, Lambert, Albers, WebMercator, degrees, scaled:
		plain = true
	}
	switch {
	case r.wrong != nil && (plain || isDatum):
		return fmt.Errorf("%s: %w", against, r.wrong)
	case r.wrong != nil:
		return nil
	case isDatum && r.near:
		return fmt.Errorf("%s, on another datum; %s", against, advice)
	case isDatum && r.datum != "" && shifted.name != r.datum, plain && r.datum != "" && !r.near:
		return fmt.Errorf("%s, on the datum %s; give a geodesy.Datum of it, or convert the file, as by ogr2ogr -t_srs "+
			"EPSG:4326", against, r.datum)
	case r.System == nil:
		return nil
	}
	most := 5.0 // metres
	if !r.near {
		most = 2000 // what lies between old datums and WGS 84, and between two shifts of one
	}
	for _, p := range places {
		lon, lat := with.LonLat(p[0], p[1])
		wantLon, wantLat := r.System.LonLat(p[0], p[1])
		off := math.Hypot(turned(lon-wantLon)*math.Cos(wantLat*degree), lat-wantLat) * degree * WGS84.A
		if !(off <= most) && !math.IsNaN(wantLon) {
			return fmt.Errorf("%s, which is elsewhere, by %.3g km: (%.6g, %.6g) is at %.6g, %.6g by From and at "+
				"%.6g, %.6g by "+
				"the file; %s", against, math.Min(off, 2e7)/1000, p[0], p[1], lon, lat, wantLon, wantLat, advice)
		}
	}
	return nil
}

// ParseReference reads well-known text of either version, PROJJSON, the older text of ESRI, a definition of PROJ, or a
// code such as EPSG:4326. Of what it does not know, Readable says so. The error is of a text of another kind.
func ParseReference(text string) (Reference, error) {
	text = strings.Trim(strings.TrimPrefix(text, "\ufeff"), " \t\r\n\x00")
	flat := strings.TrimPrefix(strings.ToUpper(strings.Join(strings.Fields(text), "")), "+INIT=")
	if m := epsgCode.FindStringSubmatch(flat); m != nil {
		code, _ := strconv.ParseInt(m[1], 10, 64)
		return EPSG(code, ""), nil
	}
	switch {
	case flat == "WGS84", strings.HasSuffix(flat, "CRS84"), strings.HasSuffix(flat, "CRS:84"),
		strings.HasSuffix(flat, "OGC:2:84"):
		return EPSG(4326, "longitude and latitude"), nil
	case strings.HasSuffix(flat, "CRS83"):
		return EPSG(4269, "longitude and latitude"), nil
	case strings.Contains(flat, "+PROJ=") && !strings.Contains(flat, "["): // which GDAL's text has in an EXTENSION
		return parsePROJ(text, flat), nil
	case strings.HasPrefix(flat, "PROJECTION"):
		return parseKeywords(text), nil
	case flat == "":
		return Reference{Name: "unknown"}, errors.New("nothing names its coordinates")
	}
	parse := parseWKT
	if text[0] == '{' {
		parse = parsePROJJSON
	}
	root, err := parse(text)
	if err != nil {
		return Reference{Name: text}, fmt.Errorf("%.40q is no well-known text, and does not say whether coordinates "+
			"are degrees; write that, as by gdalsrsinfo -o wkt1_esri", text)
	}
	return ofWKT(root, text), nil
}

// epsgCode parts names of EPSG's coordinates, such as "EPSG:4326", "urn:ogc:def:crs:EPSG::4326",
// "urn:x-ogc:def:crs:EPSG:6.9:4326", "http://www.opengis.net/def/crs/EPSG/0/4326" and ".../gml/srs/epsg.xml#4326". The
// heights of "EPSG:4326+5773" do not matter.
var epsgCode = regexp.MustCompile(`^(?:[^"\[+]*[:/])?(?:EPSG(?:\.XML)?|SRID)[:/#][^"\[+]*?(\d{1,9})(?:\+\d+)?$`)

// parseKeywords reads the older text of ESRI: lines such as Projection GEOGRAPHIC, Datum WGS84 and Units DD.
func parseKeywords(text string) Reference {
	r := Reference{Name: strings.Join(strings.Fields(text), " ")}
	items := map[string]string{}
	for line := range strings.Lines(strings.ToUpper(text)) {
		if words := strings.Fields(line); len(words) > 1 {
			items[words[0]] = strings.Join(words[1:], " ")
		}
	}
	round := fold(items["SPHEROID"])
	switch datum := fold(items["DATUM"]); {
	case datum == "wgs84" || datum == "wgs1984", datum == "" && (round == "" || round == "grs80" || round == "grs1980"),
		(datum == "" || datum == "none") && (round == "wgs84" || round == "wgs1984"):
		r.datum, r.near = "WGS 84", true
	case datum == "nar83" || datum == "narc" || datum == "nad83":
		r.datum, r.near = "NAD83", true
	}
	if items["PROJECTION"] == "GEOGRAPHIC" {
		r.Degrees, r.System = true, degrees{}
		if x, err := strconv.ParseFloat(items["XSHIFT"], 64); items["XSHIFT"] != "" && (err != nil || x != 0) {
			r.wrong = fmt.Errorf("its longitudes are moved by XSHIFT %.20s; convert it to EPSG:4326, as by gdalwarp "+
				"-t_srs", items["XSHIFT"])
		}
		if units := items["UNITS"]; units != "DD" && units != "" {
			r.wrong = fmt.Errorf("its angles are in %s; only degrees are read: convert it to EPSG:4326, as by "+
				"gdalwarp -t_srs", map[string]string{"DS": "seconds"}[units])
		}
		return r
	}
	r.Unit = map[string]float64{"METERS": 1, "FEET": 0.3048}[items["UNITS"]]
	if zone, err := strconv.Atoi(items["ZONE"]); err == nil && items["PROJECTION"] == "UTM" && r.near && r.Unit == 1 &&
		zone >= 1 && zone <= 60 {
		if y, err := strconv.ParseFloat(items["YSHIFT"], 64); items["YSHIFT"] == "" || err == nil && y == 0 {
			r.System = UTM(zone, true)
		}
	}
	return r
}

var errTurned = errors.New("the poles of its longitudes and latitudes are turned; warp it with gdalwarp -t_srs " +
	"EPSG:4326")

// body refuses a half-axis, in metres, that is not of the Earth.
func (r *Reference) body(a float64) {
	if a != 0 && (a < 6.3e6 || a > 6.4e6) && r.wrong == nil {
		r.wrong = fmt.Errorf("a body with a radius of %.0f km, which is not the Earth; coordinates of other bodies "+
			"are not read", a/1000)
	}
}
