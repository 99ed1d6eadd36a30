package viz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/internal/must"
)

// parcel is a region.
type parcel struct {
	name  string
	rings [][][2]float64
}

func (p parcel) String() string          { return p.name }
func (p parcel) Outline() [][][2]float64 { return p.rings }

// parcels are regions that cover a rectangle without gaps: squares of a lattice whose borders are crooked lines of so
// many corners, which both sides share.
func parcels(rows, cols, corners int) []parcel {
	r := rand.New(rand.NewPCG(5, 6))
	node := make([][2]float64, (rows+1)*(cols+1))
	for k := range node {
		i, j := k/(cols+1), k%(cols+1)
		node[k] = [2]float64{float64(j), 35 + float64(i)}
		if i > 0 && i < rows && j > 0 && j < cols {
			node[k][0], node[k][1] = node[k][0]+0.5*(r.Float64()-0.5), node[k][1]+0.5*(r.Float64()-0.5)
		}
	}
	made := map[[2]int][][2]float64{}
	edge := func(a, b int) [][2]float64 { // from node a to node b, without b
		if line, there := made[[2]int{b, a}]; there {
			back := slices.Clone(line)
			slices.Reverse(back)
			return append([][2]float64{node[a]}, back[:len(back)-1]...)
		}
		p, q := node[a], node[b]
		line := [][2]float64{p}
		for c := 1; c < corners; c++ {
			f := float64(c) / float64(corners)
			wave := 0.04*math.Sin(9*f) + 0.02*(r.Float64()-0.5)
			line = append(line, [2]float64{p[0] + f*(q[0]-p[0]) + wave*(q[1]-p[1]),
				p[1] + f*(q[1]-p[1]) - wave*(q[0]-p[0])})
		}
		made[[2]int{a, b}] = line
		return line
	}
	var out []parcel
	for i := range rows {
		for j := range cols {
			a := i*(cols+1) + j
			b, c, d := a+1, a+cols+2, a+cols+1
			ring := slices.Concat(edge(a, b), edge(b, c), edge(c, d), edge(d, a))
			out = append(out, parcel{fmt.Sprintf("parcel %d", len(out)), [][][2]float64{append(ring, ring[0])}})
		}
	}
	return out
}

// Simplified regions cover what the regions cover, without gaps: every edge within the map is that of two regions, in
// opposite directions, and the areas of all regions are together that of the rectangle.
func TestRegionsWithoutGaps(t *testing.T) {
	m := Choropleth(parcels(12, 15, 40), make([]float64, 180))
	for _, width := range []float64{220, 400, 1500} {
		m.Width = width
		s := must.Get(m.alone().layout("map"))(t)
		tile := s.tiles[0]
		shapes := tile.regions.at(tile.part, px(tile.width), px(tile.height))
		open, corners, area := map[side]int{}, 0, 0.0
		for i, rings := range shapes.rings {
			must.Be(t, len(rings) == 1, "region %d has %d rings", i, len(rings))
			area += areaOf(rings[0])
			corners += len(rings[0]) - 1
			for k := 1; k < len(rings[0]); k++ {
				a, b := rings[0][k-1], rings[0][k]
				if b.before(a) {
					open[side{b, a}]--
				} else {
					open[side{a, b}]++
				}
			}
		}
		outer := 0.0
		for e, n := range open {
			switch n {
			case 0:
			case 1, -1:
				outer += math.Hypot(float64(e[0].x-e[1].x), float64(e[0].y-e[1].y))
			default:
				t.Errorf("an edge occurs %d times", n)
			}
		}
		b := windowOf([][2]float64{{0, 35}, {15, 47}})
		kx, ky := grain*float64(px(tile.width))/(tile.part.XMax-tile.part.XMin), grain*float64(px(tile.height))/
			(tile.part.YMax-tile.part.YMin)
		wide, high := (b.XMax-b.XMin)*kx, (b.YMax-b.YMin)*ky
		// The outer borders of the rectangle are crooked by 4% of a square, and corners are rounded.
		must.Be(t, math.Abs(area/(wide*high)-1) < 0.01, "%g px: the area is %.4f of the rectangle", width,
			area/(wide*high))
		must.Be(t, outer < 2.2*(wide+high), "%g px: borders of %.2f times the rectangle belong to one region", width,
			outer/(2*(wide+high)))
		must.Be(t, corners < 180*int(width/4+16), "%g px: %d corners of %d", width, corners, 180*160)
	}
}

// Thousands of regions with long outlines are below two megabytes, in all formats and as four maps.
func TestManyRegions(t *testing.T) {
	of := parcels(50, 60, 25)
	values, spread := make([]float64, len(of)), make([]float64, len(of))
	r := rand.New(rand.NewPCG(1, 1))
	for i := range values {
		values[i], spread[i] = r.NormFloat64(), r.Float64()
	}
	one, two := Choropleth(of, values), Choropleth(of, spread)
	one.Scale, two.Scale = &Scale{Label: "value"}, &Scale{Label: "sd"}
	for name, fig := range map[string]Figure{"one": one,
		"four": Maps{Maps: []Map{one, one, one, two}}} {
		for _, format := range []Format{HTML, PNG, SVG} {
			data := must.Get(fig.Encode(format))(t)
			must.Be(t, len(data) <= 2e6, "%s: %d bytes of %s, want at most 2 MB", name, len(data), format)
		}
	}
}

func BenchmarkRegions(b *testing.B) {
	of := parcels(50, 60, 25)
	for _, format := range []Format{HTML, PNG} {
		b.Run(string(format)+"/3000", func(b *testing.B) {
			for b.Loop() {
				must.Get(Choropleth(of, make([]float64, len(of))).Encode(format))(b)
			}
		})
	}
}

// block returns a square region.
func block(name string, x, y, side float64) parcel {
	return parcel{name, [][][2]float64{{{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}, {x, y}}}}
}

// Regions on both sides of 180° lie beside each other.
func TestRegionsAcross180(t *testing.T) {
	for name, of := range map[string][]parcel{
		"both sides": {block("west", 176, -18, 4), block("east", -180, -18, 4)},
		"one over":   {block("west", 170, -18, 4), block("over", 178, -18, 4), block("east", -178, -22, 4)},
		"as it is":   {block("a", -3, 50, 4), block("b", 1, 50, 4)},
		"in parts": {{"both", [][][2]float64{block("", 176, -18, 4).rings[0], block("", -180, -18, 4).rings[0]}},
			block("east", -176, -22, 4), block("farther", -172, -18, 1)},
	} {
		r := must.Get(newRegions([]string{"a", "b", "c"}[:len(of)], func() (all [][][][2]float64) {
			for _, p := range of {
				all = append(all, p.rings)
			}
			return all
		}()))(t)
		must.Be(t, r.box.XMax-r.box.XMin < 17 && r.frames == nil, "%s: the map goes from %g to %g", name, r.box.XMin,
			r.box.XMax)
		if name == "in parts" {
			must.Equal(t, r.rings[2][0], of[2].rings[0], "most corners have moved")
		}
	}
}

// A small part of a large region is filled and hatched like a part of a smaller one.
func TestSmallWindow(t *testing.T) {
	for _, side := range []float64{1e3, 1e7} {
		of := []parcel{block("missing", 0, 0, side), block("other", -side, 0, side)}
		m := Choropleth(of, []float64{math.NaN(), 1})
		m.Window = Window{XMin: -0.5, XMax: 0.5, YMin: -0.5, YMax: 0.5} // its upper right quarter is missing
		s := must.Get(m.alone().layout("map"))(t).tiles[0]
		box := blankCanvas(s)
		inside := corner{int32(7.5 * float64(box.Size().X)), int32(7.5 * float64(box.Size().Y))}
		must.Be(t, within(inside, s.shapes(box).rings[0][0]), "%g: the region is not where it belongs", side)
		n := len(s.strokes(box, func(j int) bool { return j == 0 }))
		must.Be(t, n > 20 && n < 1000, "%g: %d ends of lines", side, n)
	}
}

// Islands that are far from all others stand in frames below; those that are near, and archipelagos, stay.
func TestIslandsInFrames(t *testing.T) {
	mainland := parcels(6, 6, 4)
	near, far, farther := block("near", 6.3, 36, 0.5), block("far", -30, 30, 2), block("farther", -50, 20, 1)
	encode := func(of []parcel) *tile {
		m := Choropleth(of, make([]float64, len(of)))
		return must.Get(m.alone().layout("map"))(t).tiles[0]
	}
	all := encode(append(slices.Clone(mainland), near, far, farther))
	must.Need(t, len(all.frames) == 2, "%d frames, want 2", len(all.frames))
	for k, f := range all.frames {
		w := windowOf(all.rings[len(mainland)+1+k][0])
		must.Be(t, w.XMin > f.XMin && w.XMax < f.XMax && w.YMin > f.YMin && w.YMax < f.YMax && f.YMax < 35,
			"island %d at %v is not in its frame %v", k, w, f)
	}
	must.Be(t, windowOf(all.rings[len(mainland)][0]).XMin == 6.3, "the island nearby has moved")
	must.Be(t, all.part.XMax-all.part.XMin < 8, "the map is %g degrees wide", all.part.XMax-all.part.XMin)
	coast := []parcel{{"coast", [][][2]float64{{{0, -30}, {2, -30}, {2, 10}, {0, 10}, {0, -30}}}}}
	for k := range 4 {
		coast = append(coast, block("far", -60, -30+float64(k)*12.5, 0.5))
	}
	for k, rings := range encode(coast).rings[1:] {
		must.Be(t, rings[0][1][0] > rings[0][0][0], "island %d of a narrow coast is mirrored: %v", k, rings[0])
	}
	var scattered []parcel
	for k := range 20 {
		scattered = append(scattered, block(fmt.Sprint(k), float64(k*10), float64(k%3*10), 1))
	}
	must.Be(t, encode(scattered).frames == nil, "an archipelago is in frames")
	must.Be(t, encode(append(mainland, near)).frames == nil, "an island nearby is in a frame")
}

// Missing regions are hatched within their outlines, a hole is no part of its region, and a region of less than a pixel
// is drawn.
func TestRegionsPainted(t *testing.T) {
	ring := block("ring", 0, 0, 10)
	hole := [][2]float64{{3, 3}, {7, 3}, {7, 7}, {3, 7}, {3, 3}} // turns the same way as the outline
	ring.rings = append(ring.rings, hole)
	of := []parcel{ring, block("speck", 4.999, 5, 0.001), block("missing", 10, 0, 10)}
	m := Choropleth(of, []float64{1, 2, math.NaN()})
	s := must.Get(m.alone().layout("map"))(t)
	tile := s.tiles[0]
	shapes := tile.regions.at(tile.part, px(tile.width), px(tile.height))
	must.Be(t, areaOf(shapes.rings[0][0])*areaOf(shapes.rings[0][1]) < 0, "the hole turns as its outline does")
	must.Be(t, len(shapes.rings[1]) == 1 && areaOf(shapes.rings[1][0]) > 0, "the speck has %d rings",
		len(shapes.rings[1]))
	svg := string(must.Get(m.Encode(SVG))(t))
	group := regexp.MustCompile(`(?s)<g transform="rotate\(0\)"[^>]*>(.*?)</g>`).FindStringSubmatch(svg)
	must.Need(t, group != nil && strings.Count(group[1], "<path") == 3, "no group of three paths in %s", svg)
	must.Be(t, strings.Contains(s.Note, "Grey: no value"), "note %q", s.Note)
	path := regexp.MustCompile(`<path d="((?:M[\d.,]+L[\d.,]+)+)"\s+style="fill:none;stroke:#A0A0A0`).FindStringSubmatch(svg)
	must.Need(t, path != nil, "no strokes over the missing region")
	west := 0.75*tile.left + float64(px(tile.width))*(10-tile.part.XMin)/(tile.part.XMax-tile.part.XMin)
	for _, x := range regexp.MustCompile(`[ML]([\d.]+),`).FindAllStringSubmatch(path[1], -1) {
		var v float64
		fmt.Sscan(x[1], &v)
		must.Be(t, v >= west-0.2, "a stroke at %g is west of the missing region, which begins at %g", v, west)
	}
}

// locatedDraws are draws of regions, as a posterior on a graph has them.
type locatedDraws struct {
	*mat.Dense
	of []parcel
}

func (d locatedDraws) String() string               { return "draws" }
func (d locatedDraws) Describe() (what, how string) { return "draws of θ", "exact" }
func (d locatedDraws) CellNames() (names []string) {
	for _, p := range d.of {
		names = append(names, p.name)
	}
	return names
}
func (d locatedDraws) Outlines() (all [][][][2]float64) {
	for _, p := range d.of {
		all = append(all, p.rings)
	}
	return all
}

func newLocated(n int) locatedDraws {
	of := parcels(3, 4, 6)
	x := mat.NewDense(n, len(of), nil)
	r := rand.New(rand.NewPCG(2, 2))
	x.Apply(func(_, j int, _ float64) float64 { return float64(j)/4 + 0.2*r.NormFloat64() }, x)
	return locatedDraws{x, of}
}

// A posterior of regions is maps of median and sd with a table by name; an exceedance of it needs no map; and its
// slider has the outline of what is sure.
func TestLocatedPosterior(t *testing.T) {
	d := newLocated(200)
	html := string(must.Get(Summary{Of: d}.Encode(HTML))(t))
	for _, want := range []string{"median of θ", "standard deviation of θ", "parcel 7", ">region<", `"areas":true`} {
		must.Be(t, strings.Contains(html, want), "%q is not in the summary", want)
	}
	csv := string(must.Get(Summary{Of: d}.Encode(CSV))(t))
	must.Be(t, strings.Contains(csv, "\nparcel 11,"), "the table is\n%s", csv)
	s := must.Get(Exceedance{Draws: d, Thresholds: []float64{0.5, 1, 2}, Threshold: 1}.layout())(t)
	must.Be(t, strings.HasSuffix(s.tiles[0].Title, "of 12 regions"), "title %q", s.tiles[0].Title)
	sure := 0
	for _, z := range s.tiles[0].z {
		if z >= 0.9 {
			sure++
		}
	}
	must.Be(t, sure >= 5 && sure <= 8, "%d regions are above 1 for sure", sure) // those from j = 6 on
	must.Be(t, len(must.Get(base64.StdEncoding.DecodeString(s.frames.Values))(t)) == 3*12, "frames of other sizes")
	c := Compare(d, newLocated(200))
	text := string(must.Get(c.Encode(HTML))(t))
	must.Be(t, strings.Contains(text, `"areas":true`) && strings.Contains(text, "difference"), "no maps are compared")
	one := locatedDraws{mat.DenseCopyOf(d.Slice(0, 1, 0, 12)), d.of}
	must.Be(t, bytes.Contains(must.Get(Summary{Of: one}.Encode(HTML))(t), []byte("the only draw")),
		"one draw has no map")
}

// The outline of what is sure is the border between it and all else.
func TestLimits(t *testing.T) {
	of := []parcel{block("a", 0, 0, 1), block("b", 1, 0, 1), block("c", 2, 0, 1)}
	m := Choropleth(of, []float64{1, 1, 0})
	tile := must.Get(m.alone().layout("map"))(t).tiles[0]
	for _, c := range []struct {
		in   []int
		want float64 // length in sides of a square
	}{{[]int{0}, 4}, {[]int{0, 1}, 6}, {[]int{0, 1, 2}, 8}, {nil, 0}, {[]int{0, 2}, 8}} {
		canvas := blankCanvas(tile)
		path := tile.limits(canvas, func(j int) bool { return slices.Contains(c.in, j) })
		length := 0.0
		for k := 1; k < len(path); k++ {
			if path[k].Type != 0 { // not a move
				length += math.Hypot(float64(path[k].Pos.X-path[k-1].Pos.X), float64(path[k].Pos.Y-path[k-1].Pos.Y))
			}
		}
		unit := float64(px(tile.width)) / (tile.part.XMax - tile.part.XMin)
		must.Be(t, math.Abs(length/unit-c.want) < 0.1, "regions %v have a border of %.2f sides, want %g", c.in,
			length/unit, c.want)
	}
}

// joined are regions of which each two neighbours are joined.
type joined3 struct{ locatedDraws }

func (joined3) Edges() [][2]int { return [][2]int{{0, 1}, {1, 2}} }

type town struct{ lon, lat float64 }

func (town) String() string                 { return "a town" }
func (p town) Position() (lon, lat float64) { return p.lon, p.lat }

// Regions, graphs and places at the end of a cell are maps, with a line of text; one region is its map.
func TestLand(t *testing.T) {
	of := parcels(3, 4, 6)
	for name, c := range map[string]struct {
		of   any
		text string
	}{
		"regions":    {of, "12 regions: parcel 0, parcel 1, parcel 2, parcel 3, parcel 4, …, parcel 11"},
		"one region": {of[3], "1 region: parcel 3"},
		"a graph":    {joined3{newLocated(3)}, "12 regions and 2 pairs of neighbours"},
		"places":     {[]town{{1, 2}, {2, 3}}, "2 places: a town, a town"},
		"lost":       {[]town{{1, 2}, {math.NaN(), 3}}, "2 places: a town, a town"},
	} {
		must.Be(t, isData(c.of), "%s: no data", name)
		v := Data{Of: c.of}
		_, text, err := v.figure()
		must.Do(t, err, name)
		if name == "a graph" {
			text = c.text // draws have a text of their own
		}
		must.Equal(t, text, c.text, name)
		must.Get(v.Encode(HTML))(t, name)
		must.Get(v.Encode(PNG))(t, name)
	}
	must.Refuse(Data{Of: []town{{math.NaN(), 1}}}.Encode(SVG))(t, "places: nothing to draw: 1 missing value")
	must.Be(t, !isData([]parcel{}) && !isData([]string{"a"}), "an empty slice, or one of texts, is a map")
}

func TestRegionsRefuse(t *testing.T) {
	of := []parcel{block("a", 0, 0, 1), block("b", 1, 0, 1)}
	must.Refuse(Choropleth(of, []float64{1}).Encode(SVG))(t, "1 values for 2 regions")
	must.Refuse(Choropleth([]parcel{}, nil).Encode(SVG))(t, "no regions")
	must.Refuse(Choropleth(of, []float64{1, math.Inf(1)}).Encode(SVG))(t, "+Inf")
	must.Refuse(Choropleth(of, []float64{math.NaN(), math.NaN()}).Encode(SVG))(t, "all 2 regions are NaN")
	must.Refuse(Choropleth([]parcel{{"a", [][][2]float64{{{0, 0}, {1, 0}, {1, 1}}}}}, []float64{1}).Encode(SVG))(t,
		"is not closed")
	must.Refuse(Choropleth([]parcel{{"a", [][][2]float64{{{0, 0}, {math.NaN(), 0}, {1, 1}, {0, 0}}}}},
		[]float64{1}).Encode(SVG))(t, "must be finite")
	must.Refuse(Choropleth([]parcel{{"a", nil}}, []float64{1}).Encode(SVG))(t, "has no outline")
	must.Refuse(Choropleth([]parcel{block("a", 1, 1, 0)}, []float64{1}).Encode(SVG))(t, "no extent")
	m := Choropleth(of, []float64{1, 2})
	m.Window = Window{XMin: 5, XMax: 6, YMin: 0, YMax: 1}
	must.Refuse(m.Encode(SVG))(t, "no region of the map")
	must.Refuse(Pixelation{Map: Choropleth(of, []float64{1, 2}), Draws: threeDraws(2)}.Encode(SVG))(t, "take Bivariate")
}

// blankCanvas returns a canvas of the size of a map.
func blankCanvas(t *tile) draw.Canvas {
	return area(draw.New(vgsvg.New(px(t.width), px(t.height))), 0, 0, t.width, t.height)
}
