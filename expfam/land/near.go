package land

import "sync"

// coast returns a map with cells of a quarter of a degree on which the land of all countries
// is grown by two cells in every direction.
var coast = sync.OnceValue(func() *Map {
	const step = 0.25
	box := Box{-27, -48, 59, 29}
	m, err := Frame{Rows: int((box.North - box.South) / step), Cols: int((box.East - box.West) / step), Box: box}.Map()
	if err != nil {
		panic(err)
	}
	land := make([]bool, m.Grid.Len())
	for j, country := range m.Country {
		land[j] = country >= 0
	}
	for _, r := range m.Countries { // a small island may contain no centre
		for _, ring := range r.Rings() {
			for _, p := range ring {
				if j, ok := m.Locate(p); ok {
					land[j] = true
				}
			}
		}
	}
	m.Grid.Outside = make([]bool, m.Grid.Len())
	for j := range m.Grid.Outside {
		m.Grid.Outside[j] = true
	}
	for j := range land {
		if !land[j] {
			continue
		}
		r, c := m.Grid.Cell(j)
		for dr := -2; dr <= 2; dr++ {
			for dc := -2; dc <= 2; dc++ {
				if r+dr >= 0 && r+dr < m.Grid.Rows && c+dc >= 0 && c+dc < m.Grid.Cols {
					m.Grid.Outside[m.Grid.Index(r+dr, c+dc)] = false
				}
			}
		}
	}
	return m
})

// Near reports whether a place is in one of the [Countries] or within half a degree of one. A place 0.75° away in
// longitude or in latitude is not near. The cost is a lookup in a table.
func Near(p Position) bool {
	j, ok := coast().Locate(p)
	return ok && coast().Grid.Inside(j)
}

// exchanged reports whether no region is near one of the [Countries], and all would be if longitude and latitude were
// exchanged. The regions may still be right, as those of Spain or Algeria.
func exchanged(regions []Region) bool {
	for _, r := range regions {
		b := r.Box()
		lon, lat := (b.West+b.East)/2, (b.South+b.North)/2
		if Near(Position{lon, lat}) || !Near(Position{lat, lon}) {
			return false
		}
	}
	return len(regions) > 0
}
