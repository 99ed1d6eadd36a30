package geodesy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ofWKT returns what well-known text says.
func ofWKT(root *node, text string) Reference {
	crs := root
	for crs != nil {
		switch crs.keyword {
		case "COMPD_CS", "COMPOUNDCRS":
			crs = crs.find("PROJCS", "PROJCRS", "PROJECTEDCRS", "GEOGCS", "GEOGCRS", "GEODCRS", "BOUNDCRS",
				"GEOGRAPHICCRS")
			continue
		case "BOUNDCRS":
			if source := crs.find("SOURCECRS"); source != nil && len(source.nodes) > 0 {
				crs = source.nodes[0]
				continue
			}
		}
		break
	}
	r := Reference{Name: root.name()}
	if crs == nil {
		return r
	}
	r.Name = crs.name()
	switch crs.keyword {
	case "GEOGCS", "GEOGCRS", "GEODCRS", "GEOGRAPHICCRS":
		r.Degrees, r.System = true, degrees{}
		r.geographic(crs)
		turned := crs.find("DERIVINGCONVERSION", "BASEGEOGCRS", "BASEGEODCRS") != nil
		if turned || strings.Contains(text, "o_lat_p") || strings.Contains(text, "Rotated_pole") {
			r.wrong = errTurned
		}
	case "PROJCS", "PROJCRS", "PROJECTEDCRS":
		r.geographic(crs.find("GEOGCS", "BASEGEOGCRS", "BASEGEODCRS", "GEOGCRS"))
		r.Unit = lengthOf(crs)
		if r.wrong == nil {
			r.System = mapOf(crs, r.Unit)
		}
		for _, o := range old {
			if o.name == r.datum && r.System != nil {
				r.System = o.With(r.System)
			}
		}
	default:
		r.wrong = fmt.Errorf("it has no longitude and latitude; convert it to EPSG:4326")
	}
	return r
}

// geographic reads the datum, the prime meridian and the angles of a system of longitude and latitude.
func (r *Reference) geographic(of *node) {
	if of == nil {
		return
	}
	datum := of.find("DATUM", "TRF", "GEODETICDATUM", "ENSEMBLE")
	if of.find("DYNAMIC") != nil && datum == nil {
		datum = of.find("DYNAMIC").find("DATUM", "TRF")
	}
	spheroid := datum.find("SPHEROID", "ELLIPSOID")
	a, _ := spheroid.number(1)
	f, _ := spheroid.number(2)
	if unit, ok := spheroid.find("LENGTHUNIT", "UNIT").number(1); ok {
		a *= unit
	}
	name := datum.name()
	r.datum = name
	known, near := register().names[fold(name)]
	shift := datum.find("TOWGS84")
	shifted := shift != nil && strings.Trim(strings.Join(shift.words, ""), "0.-") != ""
	switch {
	case near && a > 6378130 && a < 6378140:
		r.datum, r.near = known, true
	case unnamed(name) && (math.Abs(a-WGS84.A) < 1 || f == 0 && a > 6.3e6) && !shifted:
		r.near = true
	default:
		for _, o := range old {
			if o.is(name) {
				r.datum = o.name
				if r.Degrees {
					r.System = o
				}
			}
		}
	}
	r.body(a)
	if meridian := of.find("PRIMEM", "PRIMEMERIDIAN"); meridian != nil {
		if at, ok := meridian.number(1); !ok || at != 0 {
			r.wrong = fmt.Errorf("its longitudes count from %s; only those from Greenwich are read: convert it to "+
				"EPSG:4326, as by gdalwarp -t_srs or ogr2ogr -t_srs", meridian.name())
		}
	}
	of.all(func(n *node) {
		if n.keyword == "AXIS" && n.reversed() {
			r.wrong = fmt.Errorf("its axis %q does not count to the north or the east; convert it to EPSG:4326, as by "+
				"gdalwarp -t_srs or ogr2ogr -t_srs", strings.Join(n.words, " "))
		}
		if n.keyword != "UNIT" && n.keyword != "ANGLEUNIT" {
			return
		}
		size, ok := n.number(1)
		name := fold(n.name())
		if ok && (math.Abs(size-degree) < 1e-6 && strings.Contains(name, "deg") ||
			size == 1 && !strings.HasPrefix(name, "rad")) {
			return
		}
		r.wrong = fmt.Errorf("its angles are in %s; only degrees are read: convert it to EPSG:4326, as by gdalwarp "+
			"-t_srs or ogr2ogr -t_srs", n.name())
	})
}

// unnamed reports whether the name of a datum says that it is not known.
func unnamed(name string) bool {
	flat := fold(name)
	return flat == "" || strings.HasPrefix(flat, "unknown") || strings.HasPrefix(flat, "unnamed") ||
		strings.HasPrefix(flat, "notspecified") || strings.HasPrefix(flat, "undefined") || flat == "unspecified"
}

// lengthOf returns the metres of a unit of a projected system, 0 if it does not say them.
func lengthOf(crs *node) (metres float64) {
	for _, child := range crs.nodes {
		switch child.keyword {
		case "UNIT", "LENGTHUNIT":
			metres, _ = child.number(1)
		case "AXIS":
			if unit, ok := child.find("LENGTHUNIT", "UNIT").number(1); ok {
				metres = unit
			}
		}
	}
	return metres
}

// Parameters of projections by what the versions of well-known text and ESRI call them.
var parameters = map[string]string{
	"centralmeridian": "meridian", "longitudeofcenter": "meridian", "longitudeofcentre": "meridian",
	"longitudeoforigin": "meridian", "longitudeofnaturalorigin": "meridian", "longitudeoffalseorigin": "meridian",
	"latitudeoforigin": "origin", "latitudeofcenter": "origin", "latitudeofcentre": "origin",
	"latitudeofnaturalorigin": "origin", "latitudeoffalseorigin": "origin",
	"scalefactor": "scale", "scalefactoratnaturalorigin": "scale",
	"standardparallel1": "south", "latitudeof1ststandardparallel": "south",
	"standardparallel2": "north", "latitudeof2ndstandardparallel": "north",
	"falseeasting": "east", "eastingatfalseorigin": "east",
	"falsenorthing": "northing", "northingatfalseorigin": "northing",
	"auxiliaryspheretype": "sphere",
}

// mapOf returns the projection of a projected system, nil if this package does not have it or if axes point to the west
// or to the south.
func mapOf(crs *node, unit float64) System {
	if unit == 0 {
		return nil
	}
	conversion, method := crs, crs.find("PROJECTION")
	if c := crs.find("CONVERSION"); c != nil {
		conversion, method = c, c.find("METHOD", "PROJECTION")
	}
	p := map[string]float64{}
	for _, child := range conversion.nodes {
		if child.keyword != "PARAMETER" {
			continue
		}
		v, ok := child.number(1)
		name, known := parameters[fold(child.name())]
		if !ok || !known {
			return nil
		}
		metres := unit // of lengths in the first version; the second gives each its own
		if own := child.find("LENGTHUNIT", "UNIT"); own != nil {
			metres, _ = own.number(1)
		}
		switch own, stated := child.find("ANGLEUNIT").number(1); {
		case name == "east" || name == "northing":
			v *= metres
		case stated && math.Abs(own-degree) > 1e-9:
			v *= own / degree
		}
		p[name] = v
	}
	reversed := slices.ContainsFunc(crs.nodes, func(n *node) bool { return n.keyword == "AXIS" && n.reversed() })
	base := crs.find("GEOGCS", "BASEGEOGCRS", "BASEGEODCRS", "GEOGCRS")
	spheroid := base.find("DATUM", "TRF", "ENSEMBLE", "GEODETICDATUM").find("SPHEROID", "ELLIPSOID")
	e := Ellipsoid{}
	e.A, _ = spheroid.number(1)
	e.InverseFlattening, _ = spheroid.number(2)
	if reversed || e.A == 0 || e.InverseFlattening == 0 {
		return nil
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if _, is := p[name]; !is {
				return false
			}
		}
		return true
	}
	var of System
	switch kind := fold(method.name()); {
	case kind == "mercatorauxiliarysphere" || kind == "popularvisualisationpseudomercator" ||
		kind == "mercator1sp" && strings.Contains(crs.find("EXTENSION").last(), "+b=6378137"):
		if p["meridian"] != 0 || p["east"] != 0 || p["northing"] != 0 || p["sphere"] != 0 || p["south"] != 0 ||
			math.Abs(e.A-WGS84.A) > 1e-3 {
			return nil
		}
		of = WebMercator{}
	case (kind == "transversemercator" || kind == "gausskruger") && has("meridian", "origin"):
		of = TransverseMercator{Ellipsoid: e, Meridian: p["meridian"], Origin: p["origin"], Scale: p["scale"],
			FalseEast: p["east"], FalseNorth: p["northing"]}
	case (strings.HasPrefix(kind, "lambertconformalconic") && !strings.Contains(kind, "belgium") &&
		!strings.Contains(kind, "michigan") || kind == "lambertconicconformal1sp" ||
		kind == "lambertconicconformal2sp") && has("meridian", "origin"): // the last two as in EPSG's register
		l := Lambert{Ellipsoid: e, South: p["south"], North: p["north"], Meridian: p["meridian"], Origin: p["origin"],
			Scale: p["scale"], FalseEast: p["east"], FalseNorth: p["northing"]}
		if !has("south") {
			l.South, l.North = l.Origin, l.Origin
		} else if !has("north") {
			l.North = l.South
		}
		of = l
	case (kind == "albers" || kind == "albersequalarea" || kind == "albersconicequalarea") && has("meridian", "origin",
		"south", "north"):
		of = Albers{Ellipsoid: e, South: p["south"], North: p["north"], Meridian: p["meridian"], Origin: p["origin"],
			FalseEast: p["east"], FalseNorth: p["northing"]}
	default:
		return nil
	}
	if unit != 1 {
		return scaled{of, unit}
	}
	return of
}
