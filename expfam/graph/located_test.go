package graph_test

import (
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// A posterior on a graph of regions has their names and outlines: also with coefficients beside the field, of a part of
// the cells, after it was read from the store, and on a list of neighbours that got outlines later.
func TestLocatedPosterior(t *testing.T) {
	var regions []land.Region
	for i := range 12 {
		regions = append(regions, square(string(rune('a'+i)), float64(i%4), float64(i/4), 1, 1, 1))
	}
	n := must.Get(graph.Borders{}.Of(regions))(t)
	must.Need(t, len(n.Outlines()) == 12 && len(n.Edges()) == n.Pairs(), "%d outlines, %d edges", len(n.Outlines()),
		len(n.Edges()))
	back := slices.Clone(n.Names)
	slices.Reverse(back)
	other := must.Get(n.In(back))(t)
	must.Equal(t, other.Regions[0].Name, "l", "the first region in the other order")
	named := must.Get(must.Get(graph.NamedEdges([]string{"b", "a"}, [][2]string{{"a", "b"}}))(t).On(regions[:2]))(t)
	must.Equal(t, named.Regions[0].Name, "b")
	must.Refuse(n.On(regions[1:]))(t, "area a of the graph is none of the 11 regions; the nearest names are \"b\"")
	must.Refuse(n.On(nil))(t, "graph: there are no regions; give one for each of the 12 areas")

	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	y := []float64{1, 2, 3, 4, 1, 0, 2, 3, 1, 2, 5, 2}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}}))(t)
	prior := gp.Unknown{Of: graph.BYM2{Neighbours: n, LevelSD: 1}}
	for _, when := range []string{"drawn", "from the store"} {
		post := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 100, Seed: 1}))(t, when)
		must.Be(t, slices.Equal(post.CellNames(), n.Names) && len(post.Outlines()) == 12, "%s: names %v, %d outlines",
			when,
			post.CellNames(), len(post.Outlines()))
		part := must.Get(post.Part([]int{3, 1}))(t)
		must.Be(t, slices.Equal(part.CellNames(), []string{"d", "b"}) && part.Outlines()[0][0][0] == [2]float64{3, 0},
			"%s: the part has %v", when, part.CellNames())
	}
	both := &expfam.Posterior{X: nil}
	both.Locate(expfam.Product(prior, gp.RBF{Cells: 2}))
	must.Be(t, len(both.Info.Names) == 14 && both.Info.Names[12] == "0" && both.Info.Outlines[13] == nil,
		"beside coefficients: %v", both.Info.Names)
}
