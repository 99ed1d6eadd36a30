package land

// Lines are lines on a map, in the coordinates of its projection.
type Lines struct{ paths [][2][]float64 }

// Len returns the number of lines.
func (l Lines) Len() int { return len(l.paths) }

// Path returns the points of line k.
func (l Lines) Path(k int) (x, y []float64) { return l.paths[k][0], l.paths[k][1] }

// Lines returns the outlines of regions on the map: coasts, borders or shores. A border that
// two regions share is drawn once.
func (m *Map) Lines(of ...Region) Lines {
	var l Lines
	seen := map[[2]Position]bool{}
	for _, r := range of {
		for _, ring := range r.Rings() {
			var x, y []float64
			turn := m.turn(ring)
			end := func() {
				if len(x) > 1 {
					l.paths = append(l.paths, [2][]float64{x, y})
				}
				x, y = nil, nil
			}
			for i, p := range ring {
				if i > 0 {
					// Neighbouring regions have the same points, bit for bit, in opposite directions.
					edge := [2]Position{ring[i-1], p}
					if seen[[2]Position{p, ring[i-1]}] || seen[edge] {
						end()
					}
					seen[edge] = true
				}
				x, y = append(x, m.Projection.X(p.Lon+turn)), append(y, m.Projection.Y(p.Lat))
			}
			end()
		}
	}
	return l
}
