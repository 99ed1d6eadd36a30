package geodesy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// texts are systems of EPSG and of other bodies as PROJ writes them; testdata/wkt.py has made them.
func texts(t *testing.T) (all []struct {
	Code           int64
	Near           bool
	Texts          map[string]string
	Lon, Lat, X, Y float64
}) {
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/wkt.json"))(t), &all))
	return all
}

// TestReference: a system is read by each of its texts and puts a place where PROJ does, or is refused. The systems of
// old datums, other meridians and other bodies are refused.
func TestReference(t *testing.T) {
	read := 0
	for _, c := range texts(t) {
		before, texts := read, len(c.Texts)
		all := []Reference{}
		if c.Code != 0 {
			all = append(all, EPSG(c.Code, "by its code"))
		}
		for version, text := range c.Texts {
			r := must.Get(ParseReference(text))(t, version, text)
			must.Be(t, r.Degrees == (c.X == c.Lon) && (r.Degrees || r.Unit > 0), "%d %s: degrees %v, unit %g", c.Code,
				version, r.Degrees, r.Unit)
			all = append(all, r)
		}
		for _, r := range all {
			system, err := r.Readable()
			if err != nil {
				must.Be(t, strings.Contains(err.Error(), "its coordinates are"), "%v", err)
				continue
			}
			must.Be(t, c.Near, "%d, %s, is read on the datum %q", c.Code, r.Name, r.datum)
			lon, lat := system.LonLat(c.X, c.Y)
			must.Absolute(t, r.Name+": longitude", lon, c.Lon, 1e-9)
			must.Absolute(t, r.Name+": latitude", lat, c.Lat, 1e-9)
			read++
		}
		if _, err := EPSG(c.Code, "").Readable(); err == nil {
			texts++
		}
		must.Be(t, read == before || read-before == texts, "%d is read by %d of %d texts", c.Code, read-before, texts)
	}
	must.Be(t, read >= 100, "%d of the texts are read", read)
	for _, code := range []int64{4326, 4269, 4258, 4674, 7844, 4148, 32736, 26918, 25832, 31983, 7856, 3857} {
		must.Get(EPSG(code, "").Readable())(t, code)
	}
}

// TestOtherDegrees: longitudes and latitudes that count otherwise, or are in another unit, are refused by each of the
// texts, and those with heights are read.
func TestOtherDegrees(t *testing.T) {
	wgs := func(unit, more string) string {
		return `GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563,` +
			`LENGTHUNIT["metre",1]]],` + more + `ANGLEUNIT["` + unit + `]]`
	}
	const degree, clarke = `degree",0.0174532925199433`, " +a=6378249.145 +rf=293.465"
	for text, says := range map[string]string{
		wgs(degree, ""):      "",
		wgs(`radian",1`, ""): "angles are in radian",
		wgs(degree, `CS[ellipsoidal,2],AXIS["longitude",west],AXIS["latitude",north],`): `axis "longitude west"`,
		wgs(degree, `CS[ellipsoidal,2],AXIS["longitude",east],AXIS["latitude",SOUTH],`): `axis "latitude SOUTH"`,
		wgs(degree, `PRIMEM["Reference_Meridian",0],`):                                  "",
		wgs(degree, `PRIMEM["Bern",7.439583333],`):                                      "count from Bern",
		"+proj=longlat +datum=WGS84 +lon_0=180":                                         "another meridian",
		"+proj=longlat +datum=WGS84 +axis=wnu":                                          "to the west",
		"+proj=longlat +datum=WGS84 +axis=neu +lon_wrap=180":                            "",
		"Projection GEOGRAPHIC\nDatum WGS84\nUnits DD\nXSHIFT 106.8":                    "moved by XSHIFT 106.8",
		"Projection GEOGRAPHIC\nDatum WGS84\nUnits DD\nXSHIFT 0.0":                      "",
		"Projection GEOGRAPHIC\nSpheroid EVEREST\nUnits DD":                             "within 2 m of WGS 84",
		"Projection GEOGRAPHIC\nDatum NONE\nSpheroid WGS84\nUnits DD":                   "",
		"+proj=longlat" + clarke:                                                        "within 2 m of WGS 84",
		"+proj=utm +zone=36" + clarke:                                                   "none of WGS 84",
		"+proj=longlat +a=6378137 +rf=298.25722":                                        "",
		"+proj=longlat +R=6371229":                                                      "",
		"+proj=utm +zone=36 +R=6371229":                                                 "none of WGS 84",
		"+proj=utm +zone=36 +ellps=sphere":                                              "none of WGS 84",
		"+proj=utm +zone=61 +ellps=GRS80":                                               "none of WGS 84",
		"+proj=utm +ellps=WGS84":                                                        "none of WGS 84",
		"+init=epsg:4326":                                                               "",
		"+init=epsg:4301":                                                               "within 2 m",
		"EPSG:4326+5773":                                                                "", "EPSG:32636+5773": "",
		"EPSG:4979": "", "EPSG:7843": "", "urn:ogc:def:crs:EPSG::4937": "",
	} {
		r := must.Get(ParseReference(text))(t, text)
		_, err := r.Readable()
		if says == "" {
			must.Be(t, err == nil, "%s: %v", text, err)
		} else {
			must.Err(t, err, says)
		}
	}
}

// TestDatumOf: the remark names the datum that is read as WGS 84.
func TestDatumOf(t *testing.T) {
	for code, want := range map[int64]string{4326: "", 32736: "", 3857: "", 4269: "NAD83", 25832: "ETRS89", 4267: "",
		9057: "", 4979: "", 3006: "SWEREF99", 3045: "ETRS89", 3067: "ETRS89"} {
		must.Equal(t, EPSG(code, "").Datum(), want, code)
	}
}

// TestUnitsOfPROJ: a zone of UTM is in the unit that its text names. Without a datum its remark says so.
func TestUnitsOfPROJ(t *testing.T) {
	x, y := UTM(36, true).Project(37, 1)
	for units, metres := range map[string]float64{"": 1, "+units=m": 1, "+units=km": 1000, "+to_meter=1000": 1000,
		"+units=us-ft": 1200. / 3937} {
		r := must.Get(ParseReference("+proj=utm +zone=36 +ellps=GRS80 " + units))(t)
		lon, lat := must.Get(r.Readable())(t, units).LonLat(x/metres, y/metres)
		must.Absolute(t, units+": longitude", lon, 37, 1e-9)
		must.Absolute(t, units+": latitude", lat, 1, 1e-9)
		must.Be(t, r.Unit == metres && r.Datum() == "unknown", "%s: %g m on %q", units, r.Unit, r.Datum())
	}
}

// TestAgrees: a system that puts places elsewhere than the file is refused, and one of the caller that moves an old
// datum is not.
func TestAgrees(t *testing.T) {
	arc := EPSG(4210, "Arc 1960")
	for _, c := range []struct {
		file Reference
		from interface {
			LonLat(x, y float64) (lon, lat float64)
		}
		x, y float64
		says string // "" if they agree
	}{
		{EPSG(32736, ""), UTM(36, false), 4e5, 9.8e6, ""},
		{EPSG(32736, ""), UTM(36, true), 4e5, 9.8e6, "which is elsewhere"},
		{EPSG(32736, ""), UTM(18, false), 4e5, 9.8e6, "which is elsewhere"},
		{EPSG(32736, ""), WebMercator{}, 4e5, 9.8e6, "which is elsewhere"},
		{EPSG(32736, ""), degrees{}, 4e5, 9.8e6, "which is elsewhere"},
		{EPSG(3006, "SWEREF99 TM"), UTM(33, true), 4e5, 6.6e6, ""},
		{EPSG(3067, "TM35FIN"), UTM(34, true), 4e5, 6.7e6, "which is elsewhere"},
		{EPSG(26918, ""), UTM(18, true), 4e5, 4.6e6, ""},
		{EPSG(26918, ""), NAD27.With(UTM(18, true)), 4e5, 4.6e6, "on another datum"},
		{EPSG(4326, ""), NAD27, -81, 34, "on another datum"},
		{EPSG(4269, ""), degrees{}, -81, 34, ""},
		{EPSG(4267, ""), NAD27, -81, 34, ""},
		{EPSG(4267, ""), degrees{}, -81, 34, "on the datum NAD27; give a geodesy.Datum"},
		{EPSG(4267, ""), OSGB36, -81, 34, "on the datum NAD27"},
		{EPSG(26718, ""), EPSG(26718, "").System.(Datum), 4e5, 4.6e6, ""},
		{EPSG(26718, ""), UTM(18, true), 4e5, 4.6e6, "on the datum NAD27"},
		{EPSG(26718, ""), EPSG(26717, "").System.(Datum), 4e5, 4.6e6, "which is elsewhere"},
		{arc, Arc1960, 37, -1, ""},
		{arc, own{0.001}, 37, -1, ""},
		{arc, own{1}, 37, -1, "which is elsewhere"},
		{EPSG(4326, ""), own{0.001}, 37, -1, "which is elsewhere"},
		{EPSG(2193, "NZTM"), UTM(59, false), 4e5, 4.6e6, ""}, // the code is not known
		{must.Get(ParseReference("+proj=longlat +datum=WGS84 +pm=jakarta"))(t), degrees{}, 0, 0, "count from jakarta"},
		{must.Get(ParseReference("+proj=longlat +datum=WGS84 +pm=jakarta"))(t), own{106.8}, 0, 0, ""},
	} {
		err := c.file.Agrees(c.from, [][2]float64{{c.x, c.y}})
		if c.says == "" {
			must.Be(t, err == nil, "%s and %v: %v", c.file.Name, c.from, err)
		} else {
			must.Err(t, err, c.says)
		}
	}
}

// own is a shift of a caller, in degrees of longitude.
type own struct{ by float64 }

func (o own) LonLat(x, y float64) (lon, lat float64) { return x + o.by, y }

// FuzzParseReference: no text makes the parser panic.
func FuzzParseReference(f *testing.F) {
	for _, s := range []string{"EPSG:4326", "+proj=longlat +pm=paris", `GEOGCS["a",DATUM["b",SPHEROID["c",1,2]]]`,
		`COMPD_CS["a",VERT_CS["b"]]`, "PROJCS[", `BOUNDCRS[SOURCECRS[]]`, "Projection GEOGRAPHIC\nUnits DS"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseReference(s)
		if err == nil {
			r.Readable()
			r.Agrees(degrees{}, [][2]float64{{1, 2}})
		}
		must.Be(t, r.Datum() == "" || r.near, "%q", r.Datum())
	})
}
