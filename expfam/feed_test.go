package expfam_test

import (
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// TestFeed: graphs whose constants are inputs compute what graphs do that have them compiled in.
func TestFeed(t *testing.T) {
	obs := Observations{{Stat: 3, Size: 5}, {Stat: 0, Size: 4}, {}}
	x := []float64{0.3, -2, 1}
	for _, like := range []Likelihood{
		{Family: NB2{Dispersion: 0.7}},
		{Family: NB2{Dispersion: 1e-5}},
		{Family: NB2{}},
		{Family: NB2{Dispersion: 3}, Link: MustLink("exp(a+b*x)", Constants{"a": 0.5, "b": 2})},
		{Family: BetaBinomial{Correlation: 0.3}},
		{Family: BetaBinomial{Correlation: 1e-6}},
		{Family: Binomial{}, Link: MustLink("sigmoid(s*x)", Constants{"s": 1.5})},
	} {
		terms := must.Get(like.Terms())(t)
		names, values := terms.Constants()
		e := enginetest.Open(t, "go")
		graph := func(fed bool) [][]float64 {
			exec := must.Get(g.NewExec(e.Backend, func(x, stat, size, constants *g.Node) []*g.Node {
				terms := terms
				if fed {
					nodes := map[string]*g.Node{}
					for i, name := range names {
						nodes[name] = g.Reshape(g.Slice(constants, g.AxisElem(i)))
					}
					terms = terms.Feed(nodes)
				}
				return terms.Orders(x, stat, size, 1, 2)
			}))(t)
			defer exec.Finalize()
			out := must.Get(exec.Call([][]float64{x}, [][]float64{obs.Stats()}, [][]float64{obs.Sizes()}, values))(t)
			var all [][]float64
			for _, o := range out {
				all = append(all, o.Value().([][]float64)[0])
			}
			return all
		}
		want, got := graph(false), graph(true)
		for k := range want {
			for j := range x {
				// The graph of NB2{} is that of Poisson, and takes a dispersion of 1e-12 for 0.
				must.Absolute(t, like.String(), got[k][j], want[k][j], 1e-9)
			}
		}
	}
}
