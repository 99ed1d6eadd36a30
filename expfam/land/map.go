package land

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/expfam/lab/expfam/grid"
)

// Map is a grid of a part of the Earth. Areas are in km².
type Map struct {
	// Grid is the grid of the map. Cells without land and cells in lakes are outside.
	Grid       grid.Grid
	Projection Projection
	// Countries are the countries on the map, or the Regions of the frame.
	Countries []Region
	// Country is the index in Countries of the country of each cell, −1 at sea. These indices are labels for
	// operator.Areas, which sums over countries or districts, and whose Names are those of Names.
	Country []int
	// Lake marks cells whose centre is in a country and in a lake.
	Lake []bool

	districts bool      // the Countries are the Regions of the frame
	shared    int       // cells in several regions, each counted once for each after the first
	sharing   [2]string // the last two regions that have such a cell
}

// fill sets Country, Lake and the cells outside.
func (m *Map) fill() {
	m.Country = slices.Repeat([]int{-1}, m.Grid.Len())
	for i, r := range m.Countries {
		m.raster(r, func(j int) {
			if before := m.Country[j]; before >= 0 && before != i {
				m.shared++
				m.sharing = [2]string{m.Countries[before].Name, r.Name}
			}
			m.Country[j] = i
		})
	}
	m.Lake = make([]bool, m.Grid.Len())
	for _, r := range regions().lakes {
		m.raster(r, func(j int) { m.Lake[j] = m.Country[j] >= 0 })
	}
	m.Grid.Outside = make([]bool, m.Grid.Len())
	for j, country := range m.Country {
		m.Grid.Outside[j] = country < 0 || m.Lake[j]
	}
}

// Mask marks the cells whose centre is in one of the regions.
func (m *Map) Mask(in ...Region) []bool {
	mask := make([]bool, m.Grid.Len())
	for _, r := range in {
		m.raster(r, func(j int) { mask[j] = true })
	}
	return mask
}

// raster calls mark with the cells whose centres are in a region. A centre is in the region if
// the outline crosses the centre's parallel an odd number of times east of the centre. Longitudes
// of the map and of the region may differ by 360°.
func (m *Map) raster(r Region, mark func(j int)) {
	ax, ay := m.Grid.Axes()
	lons := make([]float64, m.Grid.Cols)
	for c := range lons {
		lons[c] = m.Projection.Lon(ax.At(c))
	}
	var cuts []float64
	around := r.Box()
	for row := range m.Grid.Rows {
		lat := m.Projection.Lat(ay.At(row))
		if lat < around.South || lat > around.North {
			continue
		}
		cuts = cuts[:0]
		for _, polygon := range r.Polygons {
			for _, ring := range polygon {
				for i := 1; i < len(ring); i++ {
					if lon, ok := crossing(ring[i-1], ring[i], lat); ok {
						cuts = append(cuts, lon)
					}
				}
			}
		}
		slices.Sort(cuts)
		for c, lon := range lons {
			for _, turn := range turns {
				if lon+turn < around.West || lon+turn > around.East {
					continue
				}
				// Counts the same crossings as Contains.
				if east := len(cuts) - above(cuts, lon+turn); east%2 == 1 {
					mark(m.Grid.Index(row, c))
				}
			}
		}
	}
}

// above returns the index of the first of the sorted numbers that is above v, which is how many of them are at most v.
func above(sorted []float64, v float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > v })
}

// Locate returns the cell that contains a place; ok is false if the place is not on the grid. Longitudes
// of the map and of the place may differ by 360°.
func (m *Map) Locate(p Position) (j int, ok bool) {
	for _, turn := range turns {
		if j, ok = m.Grid.Locate(m.Projection.X(p.Lon+turn), m.Projection.Y(p.Lat)); ok {
			return j, true
		}
	}
	return j, false
}

// Centre returns the place of the centre of cell j.
func (m *Map) Centre(j int) Position {
	x, y := m.Grid.Centre(j)
	return Position{m.Projection.Lon(x), m.Projection.Lat(y)}
}

// Elsewhere returns the name of the sub-Saharan country of a place that is in none of the map's countries. The name is
// "" if the place is in one of the map's countries or near one, at sea, or farther away; see [Region.Near].
func (m *Map) Elsewhere(p Position) string {
	if len(m.Countries) == 0 || slices.ContainsFunc(m.Countries, func(r Region) bool { return r.Near(p) }) {
		return ""
	}
	return At(p)
}

// Land returns the number of cells that are land.
func (m *Map) Land() int {
	n := 0
	for j := range m.Grid.Len() {
		if m.Grid.Inside(j) {
			n++
		}
	}
	return n
}

// String states resolution, projection and areas.
func (m *Map) String() string {
	x, y := m.Grid.Axes()
	lakes := 0
	for _, lake := range m.Lake {
		if lake {
			lakes++
		}
	}
	low, high, total := math.Inf(1), 0.0, 0.0
	for _, a := range m.Grid.Areas() {
		if total += a; a > 0 {
			low, high = min(low, a), max(high, a)
		}
	}
	area := "no land"
	switch {
	case high > low*(1+1e-9):
		area = fmt.Sprintf("%.0f to %.0f km² each", low, high)
	case high > 0:
		area = fmt.Sprintf("%.0f km² each", high)
	}
	space := " "
	if x.Unit == "°" {
		space = ""
	}
	text := fmt.Sprintf("%d × %d cells of %.3g%s%s by %.3g%s%s, %s; %d on land, %s, %.0f km² in all; %d in lakes",
		m.Grid.Rows, m.Grid.Cols, x.Step, space, x.Unit, -y.Step, space, y.Unit, m.Projection, m.Land(), area, total,
		lakes)
	if without := m.without(); len(without) > 0 && m.districts {
		text += fmt.Sprintf("; %d regions have no cell on land: %s", len(without), listed(without))
	}
	if m.districts && m.shared > 0 {
		text += fmt.Sprintf("; regions overlap, such as %q and %q: %d cells are in more than one and belong to the "+
			"last, so the others have less area", m.sharing[0], m.sharing[1], m.shared)
	}
	if m.districts && m.Countries[0].Datum != "" {
		text += fmt.Sprintf("; coordinates on %s are read as WGS 84, from which they differ by up to 2 m",
			m.Countries[0].Datum)
	}
	if m.districts && exchanged(m.Countries) {
		text += "; no region is near Africa south of the Sahara, and all would be with longitude and latitude " +
			"exchanged: are they? then set Order where you read them"
	}
	return text
}

// without returns the names of the countries that have no cell on land.
func (m *Map) without() (names []string) {
	cells := make([]int, len(m.Countries))
	for j, c := range m.Country {
		if c >= 0 && m.Grid.Inside(j) {
			cells[c]++
		}
	}
	for c, n := range cells {
		if n == 0 {
			names = append(names, m.Countries[c].Name)
		}
	}
	return names
}

// listed joins the first ten of some names, and says how many more there are.
func listed(names []string) string {
	const most = 10
	if more := len(names) - most; more > 1 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Names returns the names of the Countries, in their order.
func (m *Map) Names() []string {
	names := make([]string, len(m.Countries))
	for i, c := range m.Countries {
		names[i] = c.Name
	}
	return names
}

// Areas returns, for each of the Countries, the total area of its cells for which is returns
// true. The unit is the square of the unit of the grid's axes, or of the grid's Radius.
func (m *Map) Areas(is func(j int) bool) []float64 {
	sums, area := make([]float64, len(m.Countries)), m.Grid.Areas()
	for j, c := range m.Country {
		if c >= 0 && is(j) {
			sums[c] += area[j]
		}
	}
	return sums
}
