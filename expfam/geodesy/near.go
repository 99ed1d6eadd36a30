package geodesy

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed near.txt
var nearText string

// register has what EPSG's register says of the datums within 2 m of WGS 84; testdata/near.py has made it.
var register = sync.OnceValue(func() (r struct {
	systems map[int64]string // names of longitude and latitude by their code
	datums  map[int64]string // by the code of the datum
	names   map[string]string
	zones   map[int64]zone
}) {
	r.systems, r.datums, r.names = map[int64]string{}, map[int64]string{}, map[string]string{}
	r.zones = map[int64]zone{}
	for line := range strings.Lines(nearText) {
		words := strings.Fields(line)
		code, _ := strconv.ParseInt(words[0], 10, 64)
		if side := words[1][len(words[1])-1]; side == 'N' || side == 'S' {
			number, _ := strconv.Atoi(words[1][:len(words[1])-1])
			base, _ := strconv.ParseInt(words[2], 10, 64)
			r.zones[code] = zone{number, side == 'N', base}
			continue
		}
		name := strings.ReplaceAll(words[2], "_", " ")
		datum, _ := strconv.ParseInt(words[1], 10, 64)
		if r.systems[code] = name; datum != 0 {
			r.datums[datum] = name
		}
		for _, folded := range words[3:] {
			if _, there := r.names[folded]; !there || code == 4326 {
				r.names[folded] = name
			}
		}
	}
	return r
})

// zone is a zone of UTM on a datum.
type zone struct {
	number int
	north  bool
	base   int64
}

// fold returns the letters and digits of a name in small letters, without the D_ of ESRI's datums.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimPrefix(name, "D_")))
}

// EPSG returns what a code of EPSG's register stands for: longitude and latitude on WGS 84 or a datum within 2 m of it,
// Web Mercator, UTM on one of these datums, and the maps that [NAD27] and the other old datums of this package have.
// East comes first in all of them, as files of maps store them, whatever the register says. Of other codes name is what
// the file calls them.
func EPSG(code int64, name string) Reference {
	r := Reference{Name: fmt.Sprintf("%s (EPSG:%d)", name, code)}
	if name == "" {
		r.Name = fmt.Sprintf("EPSG:%d", code)
	}
	reg := register()
	if datum, near := reg.systems[code]; near {
		r.Degrees, r.datum, r.near, r.System = true, datum, true, degrees{}
		return r
	}
	if z, is := reg.zones[code]; is {
		p := UTM(z.number, z.north)
		if z.base != 4326 {
			p.Ellipsoid = GRS80
		}
		r.datum, r.near, r.Unit, r.System = reg.systems[z.base], true, 1, p
		return r
	}
	switch {
	case code == 3857 || code == 900913 || code == 102100:
		r.datum, r.near, r.Unit, r.System = "WGS 84", true, 1, WebMercator{}
	case code > 26700 && code <= 26722:
		r.datum, r.Unit = NAD27.name, 1
		r.System = NAD27.With(UTM(int(code-26700), true))
	case code == 27700:
		r.datum, r.Unit, r.System = OSGB36.name, 1, BritishGrid
	default:
		for _, old := range old {
			if old.code == code {
				r.Degrees, r.datum, r.System = true, old.name, old
			}
		}
	}
	return r
}

// OfDatum returns longitude and latitude on a datum by the datum's code in EPSG's register, 0 if the file does not say
// it, on an ellipsoid with a half-axis in metres, 0 if the file does not say it.
func OfDatum(code int64, a float64) Reference {
	r := Reference{Name: fmt.Sprintf("longitude and latitude on datum %d of "+
		"EPSG", code), Degrees: true, System: degrees{}}
	r.datum, r.near = register().datums[code]
	r.body(a)
	if code == 0 || code == 32767 || code >= 6030 && code <= 6035 { // the last are ellipsoids without a datum
		r.Name, r.datum = "longitude and latitude", ""
		r.near = a == 0 || math.Abs(a-WGS84.A) < 1 || code == 6035
	}
	return r
}
