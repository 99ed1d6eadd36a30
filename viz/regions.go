package viz

import (
	"fmt"
	"image/color"
	"math"
	"sync"

	"gonum.org/v1/plot/vg"
)

// Region is an area with an outline, such as a land.Region.
type Region interface {
	// String returns the name of the region.
	String() string
	// Outline returns closed rings of positions, longitude before latitude, or coordinates of a plane. What lies within
	// an odd number of rings is inside.
	Outline() [][][2]float64
}

// Located is a view of draws, or of a graph, whose cells are regions, such as a posterior on a graph.Neighbours that
// graph.Borders made.
type Located interface {
	CellNames() []string
	// Outlines returns the outline of each cell, as [Region] has it; nil if the cells have none.
	Outlines() [][][][2]float64
}

// Choropleth returns a map of regions, whose colours are the values, one for each region in their order. A region whose
// value is NaN is grey and hatched. The map is a [Map] in all else: [Maps] shows several beside each other, such as
// values and their uncertainty, and [Exceedance], [Bivariate] and [Outcomes] take one.
//
//	m := viz.Choropleth(counties, post.Median())
//	m.Scale = &viz.Scale{Label: "relative risk"}
//
// The pointer shows the names. Outlines are simplified to the pixels of the figure, and borders that regions share stay
// shared. Islands that are far from all others stand in frames below. A map in degrees is true to scale at its middle
// latitude, and may cross 180°.
func Choropleth[R Region](of []R, values []float64) Map {
	names, outlines := make([]string, len(of)), make([][][][2]float64, len(of))
	for i, r := range of {
		names[i], outlines[i] = r.String(), r.Outline()
	}
	return Map{Field: newAreas(names, outlines, values)}
}

// isLocated reports whether the cells of draws or of a graph are regions.
func isLocated(of any) bool {
	l, ok := of.(Located)
	if !ok {
		return false
	}
	n := len(l.Outlines())
	return n > 0 && n == len(l.CellNames())
}

// areas is a Lattice of one row: a value for each region.
type areas struct {
	*regions
	values []float64
	err    error
}

func newAreas(names []string, outlines [][][][2]float64, values []float64) areas {
	if len(values) != len(names) {
		return areas{err: fmt.Errorf("%d values for %d regions; give one for each", len(values), len(names))}
	}
	r, err := newRegions(names, outlines)
	return areas{r, values, err}
}

// located returns a map of draws or of a graph, if their cells are regions.
func located(of any, value func(i int) float64) (Lattice, bool) {
	if !isLocated(of) {
		return nil, false
	}
	names, outlines := of.(Located).CellNames(), of.(Located).Outlines()
	values := make([]float64, len(names))
	for i := range values {
		values[i] = value(i)
	}
	return newAreas(names, outlines, values), true
}

// Dims implements Lattice.
func (a areas) Dims() (c, r int) { return max(1, len(a.values)), 1 }

// Z implements Lattice.
func (a areas) Z(c, _ int) float64 { return a.values[c] }

// X implements Lattice.
func (a areas) X(c int) float64 { return float64(c) }

// Y implements Lattice.
func (a areas) Y(int) float64 { return 0 }

func (a areas) outlines() (*regions, error) { return a.regions, a.err }

func (r resampledField) outlines() (*regions, error) { return r.regions, nil }

// regions are outlines in the plane of a map.
type regions struct {
	names  []string
	rings  [][][][2]float64 // region, ring, corner
	box    Window
	frames []Window // around islands that are not where they belong
	aspect float64  // length of a unit of y over that of x

	mutex sync.Mutex
	drawn map[view]*shapes
}

// view is a part of a map at a size in points.
type view struct {
	Window
	width, height vg.Length
}

func newRegions(names []string, outlines [][][][2]float64) (*regions, error) {
	r := &regions{names: cleanAll(names), rings: make([][][][2]float64, len(outlines)), drawn: map[view]*shapes{}}
	if len(outlines) == 0 {
		return nil, fmt.Errorf("there are no regions; give at least one")
	}
	degrees := true
	for i, rings := range outlines {
		for k, ring := range rings {
			if len(ring) < 4 || ring[0] != ring[len(ring)-1] {
				return nil, fmt.Errorf("region %q: ring %d has %d corners and is not closed by them; the last corner "+
					"is the first", r.names[i], k, len(ring))
			}
			for _, p := range ring {
				if !finite(p[0]) || !finite(p[1]) {
					return nil, fmt.Errorf("region %q: ring %d has the corner (%g, %g); both must be finite",
						r.names[i], k, p[0], p[1])
				}
				degrees = degrees && math.Abs(p[0]) <= 540 && math.Abs(p[1]) <= 90.001
			}
			r.rings[i] = append(r.rings[i], append([][2]float64(nil), ring...))
		}
		if len(rings) == 0 {
			return nil, fmt.Errorf("region %q has no outline", r.names[i])
		}
	}
	r.aspect = 1
	if degrees {
		r.joinAntimeridian()
		b := r.around()
		r.aspect = 1 / max(0.1, math.Cos((b.YMin+b.YMax)/2*math.Pi/180))
	}
	r.dockIslands()
	r.box = r.around()
	for _, f := range r.frames {
		r.box = r.box.union(f)
	}
	// A rim keeps the strokes of the outermost borders within the map.
	rim := 0.01 * max((r.box.XMax-r.box.XMin), (r.box.YMax-r.box.YMin)*r.aspect)
	if rim == 0 {
		return nil, fmt.Errorf("the regions have no extent: all corners are (%g, %g)", r.box.XMin, r.box.YMin)
	}
	r.box = Window{r.box.XMin - rim, r.box.XMax + rim, r.box.YMin - rim/r.aspect, r.box.YMax + rim/r.aspect}
	return r, nil
}

// around returns the smallest window around all outlines.
func (r *regions) around() Window {
	b := nowhere
	for _, rings := range r.rings {
		for _, ring := range rings {
			b = b.union(windowOf(ring))
		}
	}
	return b
}

var nowhere = Window{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}

func windowOf(ring [][2]float64) Window {
	b := nowhere
	for _, p := range ring {
		b = Window{min(b.XMin, p[0]), max(b.XMax, p[0]), min(b.YMin, p[1]), max(b.YMax, p[1])}
	}
	return b
}

func (w Window) union(o Window) Window {
	return Window{min(w.XMin, o.XMin), max(w.XMax, o.XMax), min(w.YMin, o.YMin), max(w.YMax, o.YMax)}
}

func (w Window) meets(o Window) bool {
	return w.XMin <= o.XMax && o.XMin <= w.XMax && w.YMin <= o.YMax && o.YMin <= w.YMax
}

// covered returns the share of a rectangle of the figure, in px, that regions cover.
func (t *tile) covered(left, top, width, height float64) float64 {
	const n = 10
	var windows [][]Window
	for _, rings := range t.rings {
		var own []Window
		for _, ring := range rings {
			own = append(own, windowOf(ring))
		}
		windows = append(windows, own)
	}
	in := 0.0
	for k := range n * n {
		x := t.part.XMin + (left+width*(float64(k%n)+0.5)/n-t.left)/t.width*(t.part.XMax-t.part.XMin)
		y := t.part.YMax - (top+height*(float64(k/n)+0.5)/n-t.top)/t.height*(t.part.YMax-t.part.YMin)
		for i, rings := range t.rings {
			inside := false
			for r, ring := range rings {
				if !windows[i][r].meets(Window{x, x, y, y}) {
					continue
				}
				for c := 1; c < len(ring); c++ {
					a, b := ring[c-1], ring[c]
					if (a[1] > y) != (b[1] > y) && a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0]) > x {
						inside = !inside
					}
				}
			}
			if inside {
				in++
				break
			}
		}
	}
	return in / (n * n)
}

// pale is the colour of regions that have no values.
var pale = color.NRGBA{0xB9, 0xCF, 0xE4, 0xFF}

// plainScale returns a scale that gives all regions one colour.
func plainScale() *Scale {
	return &Scale{NoBar: true, plain: true, Palette: func(float64) color.NRGBA { return pale }}
}
