package land

import (
	"fmt"
	"math"
	"slices"
)

// turns are the differences of two longitudes in degrees that name the same meridian. A map across the date line may
// go from 177 to 182, and the regions on it have longitudes above 177 and below −178.
var turns = [3]float64{0, -360, 360}

// turn returns the one of the turns that moves a ring onto the map, and 0 if the ring lies on the map or no turn helps.
func (m *Map) turn(ring []Position) float64 {
	x, _ := m.Grid.Axes()
	west, east := m.Projection.Lon(x.First-x.Step/2), m.Projection.Lon(x.At(m.Grid.Cols-1)+x.Step/2)
	box := boxOf([][][]Position{{ring}})
	for _, turn := range turns {
		if box.West+turn < east && box.East+turn > west {
			return turn
		}
	}
	return 0
}

// together refuses regions that would be at the two ends of a window around their longitudes, with more than half of
// the Earth between them. Such regions lie on both sides of the date line.
func together(regions []Region, around Box) error {
	var spans []Box
	for _, r := range regions {
		for _, polygon := range r.Polygons {
			spans = append(spans, boxOf([][][]Position{polygon}))
		}
	}
	slices.SortFunc(spans, func(a, b Box) int {
		if a.West < b.West {
			return -1
		}
		return 1
	})
	end := spans[0].East
	for _, s := range spans {
		if s.West-end > 180 {
			name := ""
			for _, r := range regions {
				if b := r.Box(); b.West <= end {
					name = r.Name
				}
			}
			return fmt.Errorf("land: the regions have longitudes from %.6g to %.6g, such as %q, and from %.6g to "+
				"%.6g, on both sides of the date line; give the frame a window across it, as Box: land.Box{West: "+
				"%.6g, South: %.6g, East: %.6g, North: %.6g}",
				around.West, end, name, s.West, around.East, s.West, around.South, end+360, around.North)
		}
		end = math.Max(end, s.East)
	}
	return nil
}
