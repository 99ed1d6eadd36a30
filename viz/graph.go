package viz

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Graph is a view of regions that are neighbours, such as a graph.Neighbours with outlines. It is shown as a map with a
// line between each two neighbours.
type Graph interface {
	Located
	Edges() [][2]int // the numbers of regions that are neighbours
}

// Place is a view of a point on a map, such as a land.Place.
type Place interface {
	String() string
	Position() (lon, lat float64)
}

// describer is a region or a place that shows more than its name under the pointer.
type describer interface{ Facts() string }

// elements returns the elements of a slice of regions or places, or a single one.
func elements[E any](of any) (all []E) {
	if one, ok := of.(E); ok {
		return []E{one}
	}
	s := reflect.ValueOf(of)
	if s.Kind() != reflect.Slice || !s.Type().Elem().Implements(reflect.TypeFor[E]()) {
		return nil
	}
	for i := range s.Len() {
		all = append(all, s.Index(i).Interface().(E))
	}
	return all
}

// isLand reports whether a value is a graph with outlines, regions or places.
func isLand(of any) bool {
	g, ok := of.(Graph)
	return ok && isLocated(g) || elements[Region](of) != nil || elements[Place](of) != nil
}

// mostFacts is the largest number of regions whose properties are shown under the pointer.
const mostFacts = 500

// land returns a figure of a graph, regions or places, and a line of text.
func (v Data) land() (Figure, string, error) {
	if g, ok := v.Of.(Graph); ok {
		return v.graph(g)
	}
	if regions := elements[Region](v.Of); regions != nil {
		m := Choropleth(regions, make([]float64, len(regions)))
		m.Title, m.Scale, m.Width = v.Title, plainScale(), v.Width
		names, words := make([]string, len(regions)), make([]string, len(regions))
		for i, r := range regions {
			names[i] = r.String()
			if f, ok := r.(describer); ok {
				words[i] = f.Facts()
			}
		}
		if len(regions) <= mostFacts && slices.ContainsFunc(words, func(w string) bool { return w != "" }) {
			m.Tips = []Tip{{Name: "properties", Values: indices(len(regions)), Words: words}}
		}
		text := fmt.Sprintf("%s: %s", some(len(regions), "region", ""), firstAndLast(names))
		if len(regions) == 1 && words[0] != "" {
			text = names[0] + ": " + words[0]
		}
		return m, text, nil
	}
	return v.places(elements[Place](v.Of))
}

// graph returns the map of a graph.
func (v Data) graph(g Graph) (Figure, string, error) {
	field, _ := located(g, func(int) float64 { return 0 })
	m, err := readCells(field)
	if err != nil {
		return nil, "", fmt.Errorf("data: %w", err)
	}
	at := m.centres()
	var lines segments
	for _, e := range g.Edges() {
		a, b := at[e[0]], at[e[1]]
		lines = append(lines, [2][]float64{{a[0], b[0]}, {a[1], b[1]}})
	}
	count := make([]float64, len(at))
	for _, e := range g.Edges() {
		count[e[0]]++
		count[e[1]]++
	}
	fig := Map{Field: field, Title: v.Title, Scale: plainScale(), Width: v.Width, Tips: []Tip{{Name: "neighbours",
		Values: count}}}
	if len(lines) > 0 {
		fig.Over = []Overlay{{Lines: lines, Color: OkabeIto[1], Width: 1.1}}
	}
	text := fmt.Sprintf("%s and %s of neighbours", some(len(at), "region", ""), some(len(lines), "pair", ""))
	if s, ok := v.Of.(fmt.Stringer); ok {
		text = s.String()
	}
	return fig, text, nil
}

// segments are Outlines.
type segments [][2][]float64

// Len implements Outlines.
func (p segments) Len() int { return len(p) }

// Path implements Outlines.
func (p segments) Path(k int) (x, y []float64) { return p[k][0], p[k][1] }

// centres returns a point within each region, near its middle: the middle of the longest part of its largest ring along
// the parallel of the centre of gravity.
func (r *regions) centres() [][2]float64 {
	out := make([][2]float64, len(r.rings))
	for i, rings := range r.rings {
		most := -1.0
		for _, ring := range rings {
			area, y := 0.0, 0.0
			for k := 1; k < len(ring); k++ {
				cross := ring[k-1][0]*(ring[k][1]-ring[0][1]) - ring[k][0]*(ring[k-1][1]-ring[0][1])
				area, y = area+cross/2, y+cross*(ring[k-1][1]+ring[k][1]-2*ring[0][1])/6
			}
			if math.Abs(area) <= most {
				continue
			}
			most = math.Abs(area)
			out[i] = ring[0]
			if area == 0 {
				continue
			}
			y = ring[0][1] + y/area
			var cuts []float64
			for k := 1; k < len(ring); k++ {
				a, b := ring[k-1], ring[k]
				if (a[1] > y) != (b[1] > y) {
					cuts = append(cuts, a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0]))
				}
			}
			slices.Sort(cuts)
			longest := -1.0
			for k := 1; k < len(cuts); k += 2 {
				if cuts[k]-cuts[k-1] > longest {
					longest, out[i] = cuts[k]-cuts[k-1], [2]float64{(cuts[k-1] + cuts[k]) / 2, y}
				}
			}
		}
	}
	return out
}

// places returns a map of points.
func (v Data) places(of []Place) (Figure, string, error) {
	x, y, names, tips := make([]float64, len(of)), make([]float64, len(of)), make([]string, len(of)), make([]string,
		len(of))
	b := emptyBox()
	for i, p := range of {
		x[i], y[i] = p.Position()
		names[i] = p.String()
		tips[i] = names[i]
		if f, ok := p.(describer); ok && len(of) <= mostFacts && f.Facts() != "" {
			tips[i] += "\n" + f.Facts()
		}
		b = b.add(x[i], y[i])
	}
	c := &Chart{Kind: "places", Title: v.Title, X: Axis{Label: cmp.Or(v.XLabel, "longitude")},
		Y: Axis{Label: cmp.Or(v.YLabel, "latitude")}, Width: cmp.Or(v.Width, 640)}
	// A degree of latitude is as long as one of longitude is at the equator.
	shape := (b.ymax - b.ymin) / max(b.xmax-b.xmin, 1e-9) / max(0.1, math.Cos((b.ymin+b.ymax)/2*math.Pi/180))
	if finite(shape) { // else layout says that no place has a position
		c.Height = clamp(90+(c.Width-90)*shape, 240, 720)
	}
	c.Points("", x, y, tips, PointStyle{Color: methodColor(0), Halo: len(of) <= 400})
	return c, fmt.Sprintf("%s: %s", some(len(of), "place", ""), firstAndLast(names)), nil
}

// firstAndLast returns the first names and the last of many.
func firstAndLast(names []string) string {
	if n := len(names); n > 6 {
		names = append(slices.Clone(names[:5]), "…", names[n-1])
	}
	return strings.Join(names, ", ")
}
