package graph_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// square is a region with corners at (x, y) and (x+w, y+h), with a corner at every step along its sides.
func square(name string, x, y, w, h float64, steps int) land.Region {
	var ring []land.Position
	corners := [][2]float64{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}, {x, y}}
	for k := 1; k < len(corners); k++ {
		a, b := corners[k-1], corners[k]
		for s := range steps {
			f := float64(s) / float64(steps)
			ring = append(ring, land.Position{Lon: a[0] + f*(b[0]-a[0]), Lat: a[1] + f*(b[1]-a[1])})
		}
	}
	return land.Region{Name: name, Polygons: [][][]land.Position{{append(ring, ring[0])}}}
}

// TestBorders: a lattice of squares has the neighbours of a rook, or of a queen with Corners, also if the corners along
// the sides differ, if there are small gaps between the squares, and if a square spans two others.
func TestBorders(t *testing.T) {
	const rows, cols = 4, 5
	for name, c := range map[string]struct {
		gap     float64
		borders graph.Borders
	}{
		"shared": {0, graph.Borders{}}, "gaps": {1e-4, graph.Borders{Tolerance: 2e-4}},
		"corners": {0, graph.Borders{Corners: true}}, "slivers": {-1e-4, graph.Borders{Tolerance: 2e-4}},
	} {
		t.Run(name, func(t *testing.T) {
			var regions []land.Region
			for i := range rows * cols {
				r, k := i/cols, i%cols
				regions = append(regions, square(string(rune('a'+i)), float64(k)+c.gap/2, float64(r)+c.gap/2, 1-c.gap,
					1-c.gap,
					1+i%3))
			}
			n := must.Get(c.borders.Of(regions))(t)
			want := rook(t, rows, cols)
			for i := range n.Of {
				if c.borders.Corners {
					var queen []int
					for j := range n.Of {
						if dr, dc := i/cols-j/cols, i%cols-j%cols; i != j && dr*dr <= 1 && dc*dc <= 1 {
							queen = append(queen, j)
						}
					}
					want.Of[i] = queen
				}
				must.Be(t, slices.Equal(n.Of[i], want.Of[i]),
					"%s has the neighbours %v, want %v", n.Name(i), n.Of[i], want.Of[i])
			}
		})
	}
	spans := []land.Region{square("west", 0, 0, 1, 1, 1), square("east", 1, 0, 1, 1, 1), square("north", 0, 1, 2, 1, 1),
		square("island", 5, 5, 1, 1, 1)}
	n := must.Get(graph.Borders{}.Of(spans))(t)
	must.Be(t, n.Pairs() == 3 && slices.Equal(n.Islands(), []int{3}) && len(n.Components()) == 2,
		"a square that spans two: %v", n)
	ring := spans[0].Polygons[0][0]
	spans[0].Polygons[0][0] = ring[:len(ring)-1]
	must.Refuse(graph.Borders{}.Of(spans))(t, "ring 0 of west is not closed")
}

// TestReadGAL: files of GeoDa with and without the long first line. Codes stay text.
func TestReadGAL(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"long":  "0 4 layer CODE\n01 1\n02\n02 2\n01 03\n03 1\n02\n04 0\n\n",
		"short": "4\r\n01 1\r\n02\r\n02 2\r\n01 03\r\n03 1\r\n02\r\n04 0\r\n\r\n",
	} {
		path := filepath.Join(dir, name+".gal")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		n := must.Get(graph.ReadGAL(path))(t)
		must.Be(t, slices.Equal(n.Names, []string{"01", "02", "03", "04"}) && n.Pairs() == 2 &&
			slices.Equal(n.Islands(), []int{3}),
			"%s: %v %v", name, n.Names, n)
	}
}

// TestIn: areas take the order of a table.
func TestIn(t *testing.T) {
	n := must.Get(graph.NamedEdges([]string{"a", "b", "c"}, [][2]string{{"a", "b"}, {"c", "b"}}))(t)
	got := must.Get(n.In([]string{"c", "a", "b"}))(t)
	want := [][]int{{2}, {2}, {0, 1}}
	must.Be(t, slices.EqualFunc(got.Of, want, slices.Equal), "got %v, want %v", got.Of, want)
	same := must.Get(graph.Adjacent([]string{"a", "b", "c"}, mat.NewDense(3, 3, []float64{0, 1, 2, 1, 0, 1, 2, 1,
		0})))(t)
	must.Be(t, slices.EqualFunc(same.Of, n.Of, slices.Equal), "of a matrix: %v, want %v", same.Of, n.Of)
}

// TestRefused: every fault of a graph is one sentence that names the place.
func TestRefused(t *testing.T) {
	gal := func(text string) error {
		path := filepath.Join(t.TempDir(), "n.gal")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := graph.ReadGAL(path)
		return err
	}
	of := func(_ any, err error) error { return err }
	named := must.Get(graph.NamedEdges([]string{"Orkney", "Shetland", "09162"}, [][2]string{{"Orkney", "Shetland"}}))(t)
	sq := func(name string, x float64) land.Region { return square(name, x, 0, 1, 1, 1) }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"asymmetric": {(&graph.Neighbours{Names: []string{"a", "b"}, Of: [][]int{{1}, nil}}).Check(),
			"area a has the neighbour b, which does not have a"},
		"loop":  {(&graph.Neighbours{Of: [][]int{{0}}}).Check(), "area 0 is its own neighbour"},
		"twice": {(&graph.Neighbours{Of: [][]int{{1, 1}, {0}}}).Check(), "has the neighbour 1 twice"},
		"far":   {(&graph.Neighbours{Of: [][]int{{7}}}).Check(), "area 0 has the neighbour 7"},
		"order": {(&graph.Neighbours{Of: [][]int{{2, 1}, {0}, {0}}}).Check(), "not in ascending order"},
		"none":  {(*graph.Neighbours)(nil).Check(), "there are no areas"},
		"same name": {(&graph.Neighbours{Names: []string{"a", "a"}, Of: [][]int{{1}, {0}}}).Check(),
			`both have the name "a"`},
		"pair": {of(graph.Edges(2, [][2]int{{0, 2}})), "pair 0 is 0 and 2"},
		"self": {of(graph.Edges(2, [][2]int{{1, 1}})), "pair 0 joins area 1 with itself"},
		"name": {of(graph.NamedEdges([]string{"Orkney"}, [][2]string{{"Orkneys", "Orkney"}})),
			`the nearest names are "Orkney"`},
		"matrix": {of(graph.Adjacent(nil, mat.NewDense(2, 2, []float64{0, 1, 0, 0}))),
			"area 0 has the neighbour 1"},
		"weights": {of(graph.Adjacent(nil, mat.NewDense(1, 1, []float64{0.5}))), "the entry 0.5"},
		"no join": {of(named.In([]string{"Orkney", "Shetlands", "09162"})),
			`row 1 is "Shetlands", which is no area of the graph; the nearest names are "Shetland"`},
		"code": {of(named.In([]string{"Orkney", "Shetland", "9162"})), `the nearest names are "09162"`},
		"missing row": {of(named.In([]string{"Orkney", "Shetland"})),
			"area 09162 of the graph is in none of the 2 rows"},
		"two rows": {of(named.In([]string{"Orkney", "Orkney"})), `both have the name "Orkney"`},
		"overlap": {of(graph.Borders{}.Of([]land.Region{sq("a", 0), sq("b", 0.5)})),
			"50% of the smaller of a and b"},
		"duplicate": {of(graph.Borders{}.Of([]land.Region{sq("a", 0), sq("b", 0)})),
			"1e+02% of the smaller of a and b"},
		"two of one":  {of(graph.Borders{}.Of([]land.Region{sq("a", 0), sq("a", 1)})), `both have the name "a"`},
		"gal loop":    {gal("1\na 1\na\n"), "area a is its own neighbour"},
		"gal one way": {gal("2\na 1\nb\nb 0\n"), "which does not have a"},
		"gal unknown": {gal("2\n01 1\n2\n02 0\n"),
			`area 01 has the neighbour "2", which is no area; the nearest codes are`},
		"gal cut":    {gal("3\na 1\nb\nb 1\na\n"), "it ends after 2 of 3 areas"},
		"gal cut in": {gal("2\na 1\nb\nb 2\na\n"), "it ends among the neighbours of area b"},
		"gal twice":  {gal("2\na 0\na 0\n"), `both have the code "a"`},
		"gal more":   {gal("1\na 0\nb 0\n"), `"b" follows the last of 1 areas`},
		"gal count":  {gal("1\na x\n"), `area a has "x" neighbours`},
		"gal empty":  {gal(""), "it is empty"},
		"gal text":   {gal("id,x\n"), "no number of areas"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(0, c.err)(t, c.want) })
	}
}

// FuzzGAL: no text makes the reader panic, or give a graph that Check refuses.
func FuzzGAL(f *testing.F) {
	f.Add([]byte("0 2 layer CODE\na 1\nb\nb 1\na\n"))
	f.Add([]byte("1\na 0\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "n.gal")
		must.Do(t, os.WriteFile(path, text, 0o600))
		if n, err := graph.ReadGAL(path); err == nil {
			must.Do(t, n.Check())
		}
	})
}

// TestDateLine: regions that meet at 180° are neighbours, however their longitudes are written.
func TestDateLine(t *testing.T) {
	box := func(name string, west, east float64) land.Region {
		return must.Get(land.NewRegion(name, [][][]land.Position{{{{Lon: west}, {Lon: east}, {Lon: east, Lat: 1},
			{Lon: west, Lat: 1}, {Lon: west}}}}))(t)
	}
	for _, west := range []float64{180, -180} {
		n := must.Get(graph.Borders{}.Of([]land.Region{box("a", west, west+2), box("b", 178, 180), box("c", 0, 1),
			box("d", -176, -174), box("e", -178, -176)}))(t)
		must.Equal(t, fmt.Sprint(n.Of), "[[1 4] [0] [] [4] [0 3]]", west)
		must.Refuse(graph.Borders{}.Of([]land.Region{box("a", west, west+2), box("b", 178, 180.5)}))(t,
			"25% of the smaller of a and b")
	}
}
