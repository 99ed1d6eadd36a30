package land

import (
	"cmp"
	"slices"
)

// at returns the longitude at a latitude.
func (e edge) at(lat float64) float64 {
	if lat >= e.b.Lat {
		return e.b.Lon
	}
	return e.a.Lon + (lat-e.a.Lat)/(e.b.Lat-e.a.Lat)*(e.b.Lon-e.a.Lon)
}

// westOf reports whether e lies to the west of f at the latitude at which f begins, or goes further to the west from
// there.
func (e edge) westOf(f edge) bool {
	if lon := e.at(f.a.Lat); lon != f.a.Lon {
		return lon < f.a.Lon
	}
	return (e.b.Lon-e.a.Lon)*(f.b.Lat-f.a.Lat) < (f.b.Lon-f.a.Lon)*(e.b.Lat-e.a.Lat)
}

// sweep goes over edges that do not cross, from south to north. It calls visit for each of them: at its middle latitude
// with the edges that pass there, from west to east, and the place of the edge among them; for an edge along a parallel
// with the edges that pass to the north of it, and the number of those to the west.
func sweep(all []edge, visit func(edge, place int, passing []int)) {
	type event struct {
		lat  float64
		kind int // 0 for the end of an edge, 1 for its begin, 2 for its middle
		of   int
	}
	events := make([]event, 0, 3*len(all))
	for i, e := range all {
		if e.a.Lat == e.b.Lat {
			events = append(events, event{e.a.Lat, 2, i})
			continue
		}
		middle := (e.a.Lat + e.b.Lat) / 2
		if middle == e.b.Lat { // as high as an error of rounding
			middle = e.a.Lat
		}
		events = append(events, event{e.a.Lat, 1, i}, event{middle, 2, i}, event{e.b.Lat, 0, i})
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.lat, b.lat), a.kind-b.kind) })
	var passing []int
	for _, ev := range events {
		e := all[ev.of]
		switch flat := e.a.Lat == e.b.Lat; {
		case ev.kind == 0:
			at := placeOf(all, passing, ev.of, ev.lat)
			passing = slices.Delete(passing, at, at+1)
		case ev.kind == 1:
			at, _ := slices.BinarySearchFunc(passing, e, func(i int, e edge) int {
				if all[i].westOf(e) {
					return -1
				}
				return 1
			})
			passing = slices.Insert(passing, at, ev.of)
		case flat:
			visit(ev.of, firstAt(all, passing, ev.lat, (e.a.Lon+e.b.Lon)/2), passing)
		default: // rounding may have exchanged edges that begin near one another
			at, lon := placeOf(all, passing, ev.of, ev.lat), e.at(ev.lat)
			for ; at > 0 && all[passing[at-1]].at(ev.lat) > lon; at-- {
				passing[at], passing[at-1] = passing[at-1], passing[at]
			}
			for ; at+1 < len(passing) && all[passing[at+1]].at(ev.lat) < lon; at++ {
				passing[at], passing[at+1] = passing[at+1], passing[at]
			}
			visit(ev.of, at, passing)
		}
	}
}

// firstAt returns how many of the edges that pass a latitude are to the west of a longitude.
func firstAt(all []edge, passing []int, lat, lon float64) int {
	at, _ := slices.BinarySearchFunc(passing, lon, func(i int, lon float64) int {
		return cmp.Compare(all[i].at(lat), lon)
	})
	return at
}

// placeOf returns the place of an edge among those that pass a latitude.
func placeOf(all []edge, passing []int, of int, lat float64) int {
	for at := firstAt(all, passing, lat, all[of].at(lat)); at < len(passing); at++ {
		if passing[at] == of {
			return at
		}
		if all[passing[at]].at(lat) > all[of].at(lat) {
			break
		}
	}
	return slices.Index(passing, of) // rounding has exchanged edges
}
