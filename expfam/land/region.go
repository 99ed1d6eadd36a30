package land

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/grid"
)

// Position is a place on Earth in degrees, east and north positive.
type Position struct{ Lon, Lat float64 }

// Region is a country, a lake, a district or another area. Its edges are straight lines in longitude and latitude.
type Region struct {
	Name string
	// ISO2 and ISO3 are the codes of ISO 3166, empty for regions without a code.
	ISO2, ISO3 string
	// Polygons have closed rings: the outer ring first, then the holes.
	Polygons [][][]Position
	// Properties are the properties in a file of [GeoJSON] or [Shapefile], such as a population.
	Properties map[string]any
	// Datum is the datum of a file that is read as WGS 84, from which it differs by up to 2 m, such as NAD83. It is ""
	// for WGS 84.
	Datum string

	box Box
}

// Box is a window in degrees; East must be above West.
type Box struct{ West, South, East, North float64 }

var (
	// SubSahara contains the mainland south of the Sahara and Madagascar.
	SubSahara = Box{-18, -36, 52, 28}
	// World contains all places.
	World = Box{-180, -90, 180, 90}
)

// Contains reports whether a place lies in the box or on its edge.
func (b Box) Contains(p Position) bool {
	return p.Lon >= b.West && p.Lon <= b.East && p.Lat >= b.South && p.Lat <= b.North
}

// Box returns the smallest box around the region.
func (r Region) Box() Box {
	if r.box == (Box{}) { // a region that was written down has no box yet
		return boxOf(r.Polygons)
	}
	return r.box
}

// boxOf returns the smallest box around polygons, the zero Box if there is no position.
func boxOf(polygons [][][]Position) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, polygon := range polygons {
		for _, ring := range polygon {
			for _, p := range ring {
				b.West, b.East = min(b.West, p.Lon), max(b.East, p.Lon)
				b.South, b.North = min(b.South, p.Lat), max(b.North, p.Lat)
			}
		}
	}
	if b.West > b.East {
		return Box{}
	}
	return b
}

func (r Region) String() string { return r.Name }

// Rings returns the rings of all polygons, for a figure.
func (r Region) Rings() [][]Position {
	var rings [][]Position
	for _, p := range r.Polygons {
		rings = append(rings, p...)
	}
	return rings
}

// Contains reports whether a place lies within the region, by the even-odd rule. Their longitudes may differ by 360°.
// A place on the border between two regions belongs to exactly one of them.
func (r Region) Contains(p Position) bool {
	b := r.Box()
	for _, turn := range turns {
		if at := (Position{p.Lon + turn, p.Lat}); b.Contains(at) && r.contains(at) {
			return true
		}
	}
	return false
}

func (r Region) contains(p Position) bool {
	inside := false
	for _, polygon := range r.Polygons {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				if lon, ok := crossing(ring[i-1], ring[i], p.Lat); ok && lon > p.Lon {
					inside = !inside
				}
			}
		}
	}
	return inside
}

// Near reports whether a place is in the region or within 0.05° of it. Borders of public maps are accurate to a few km.
func (r Region) Near(p Position) bool {
	const near = 0.05
	b := r.Box()
	if p.Lat < b.South-near || p.Lat > b.North+near {
		return false
	}
	for _, d := range [9][2]float64{{0, 0}, {near, 0}, {-near, 0}, {0, near}, {0, -near}, {near, near}, {near, -near},
		{-near, near}, {-near, -near}} {
		if r.Contains(Position{p.Lon + d[0], p.Lat + d[1]}) {
			return true
		}
	}
	return false
}

// crossing returns the longitude at which an edge crosses a parallel; ok is false if it does not. The longitude is the
// same, bit for bit, in both directions of the edge, so that neighbouring regions agree.
func crossing(a, b Position, lat float64) (lon float64, ok bool) {
	if (a.Lat > lat) == (b.Lat > lat) {
		return 0, false
	}
	if a.Lat > b.Lat {
		a, b = b, a
	}
	return a.Lon + (lat-a.Lat)/(b.Lat-a.Lat)*(b.Lon-a.Lon), true
}

// AreaKm2 returns the area on the sphere of radius grid.EarthRadius in km², lakes included. The part of the sphere
// between an edge and the equator has the area R² Δλ (cos φ₁ − cos φ₂)/(φ₂ − φ₁). The polygons must not overlap, which
// NewRegion and the readers refuse. The signed sum over the edges of a ring is the area of the ring.
func (r Region) AreaKm2() float64 {
	area := 0.0
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			if a := math.Abs(ringArea(ring)); k == 0 {
				area += a
			} else {
				area -= a
			}
		}
	}
	return area
}

func ringArea(ring []Position) float64 {
	const radian = math.Pi / 180
	sum := 0.0
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1].Lat*radian, ring[i].Lat*radian
		mean := math.Sin((a + b) / 2)
		if h := (b - a) / 2; h != 0 {
			mean *= math.Sin(h) / h
		}
		sum += (ring[i].Lon - ring[i-1].Lon) * radian * mean
	}
	return grid.EarthRadius * grid.EarthRadius * sum
}

// Outline returns the rings of the region as positions, longitude before latitude, for figures such as viz.Choropleth.
func (r Region) Outline() [][][2]float64 {
	var rings [][][2]float64
	for _, ring := range r.Rings() {
		out := make([][2]float64, len(ring))
		for k, p := range ring {
			out[k] = [2]float64{p.Lon, p.Lat}
		}
		rings = append(rings, out)
	}
	return rings
}

// Facts returns the properties of the region in a line, in the order of the alphabet.
func (r Region) Facts() string { return facts(r.Properties) }

// Position returns the longitude and the latitude of the place.
func (p Place) Position() (lon, lat float64) { return p.At.Lon, p.At.Lat }

// Facts returns the properties of the place in a line, in the order of the alphabet.
func (p Place) Facts() string { return facts(p.Properties) }

func facts(of map[string]any) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if v := of[key]; v != nil {
			all = append(all, fmt.Sprintf("%s %v", key, v))
		}
	}
	return strings.Join(all, ", ")
}

// NewRegion makes a region of polygons. A polygon has closed rings: the outer ring first, then the holes. Polygons that
// overlap, rings that cross themselves and holes outside of their outline are refused.
func NewRegion(name string, polygons [][][]Position) (Region, error) {
	r, err := newRegion(name, polygons)
	if err != nil {
		return Region{}, fmt.Errorf("land: %w", err)
	}
	return r, nil
}

func newRegion(name string, polygons [][][]Position) (Region, error) {
	r, err := ringsOf(name, polygons)
	if err == nil {
		err = r.checkOverlap()
	}
	return r, err
}

// ringsOf makes a region of closed rings, which may overlap.
func ringsOf(name string, polygons [][][]Position) (Region, error) {
	r := Region{Name: name, Polygons: polygons, box: boxOf(polygons)}
	for i, polygon := range polygons {
		if len(polygon) == 0 {
			return Region{}, fmt.Errorf("region %q: polygon %d has no ring; it needs an outline", name, i)
		}
		for k, ring := range polygon {
			if len(ring) < 4 || ring[0] != ring[len(ring)-1] {
				return Region{}, fmt.Errorf("region %q: ring %d of polygon %d has %d positions and is not closed "+
					"by them; a ring has at least 4, of which the last is the first", name, k, i, len(ring))
			}
			for n, p := range ring {
				if s := p.Lon + p.Lat; math.IsNaN(s) || math.IsInf(s, 0) {
					return Region{}, fmt.Errorf("region %q: position %d of ring %d of polygon %d is (%g, %g); "+
						"both must be finite", name, n, k, i, p.Lon, p.Lat)
				}
			}
		}
	}
	if len(polygons) == 0 {
		return Region{}, fmt.Errorf("region %q has no polygons; give at least one", name)
	}
	return r, nil
}
