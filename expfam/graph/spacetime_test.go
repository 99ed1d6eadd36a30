package graph_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

// covariance returns the covariance of a linear prior from its products.
func covariance(p interface {
	Dim() int
	Multiply(v []float64) ([]float64, bool)
}) *mat.Dense {
	cov, unit := mat.NewDense(p.Dim(), p.Dim(), nil), make([]float64, p.Dim())
	for j := range unit {
		unit[j] = 1
		column, _ := p.Multiply(unit)
		cov.SetCol(j, column)
		unit[j] = 0
	}
	return cov
}

// TestField: the products with the covariance of a field are those of the matrix of all cells, for every type and pair
// of priors, also on a graph with islands.
func TestField(t *testing.T) {
	n := must.Get(graph.Edges(7, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {4, 5}}))(t)
	whole := must.Get(graph.Edges(7, append(path(7), [2]int{1, 4})))(t)
	times := []gp.Family{graph.Walk{Cells: 6, SD: 0.7}, graph.Walk{Cells: 6, Order: 2, SD: 0.7, SlopeSD: 1},
		graph.AR1{Cells: 6, SD: 0.7, Correlation: 0.8, LevelSD: 1}, graph.Seasonal{Cells: 6, Period: 3, SD: 0.4}}
	areas := []gp.Family{graph.BYM2{Neighbours: n, SD: 0.5, Mixing: 0.6}, graph.Leroux{Neighbours: n, SD: 0.5,
		Mixing: 0.6},
		graph.ICAR{Neighbours: whole, SD: 0.5}, graph.CAR{Neighbours: whole, SD: 0.5, Dependence: 0.9},
		graph.DAGAR{Neighbours: n, SD: 0.5, Correlation: 0.5}}
	for i, time := range times {
		for j, area := range areas {
			for kind := graph.NoInteraction; kind <= graph.TypeIV; kind++ {
				p := graph.SpaceTime{Time: time, Area: area, Interaction: kind, InteractionSD: 0.3, Level: 1,
					LevelSD: 2}
				if kind == graph.NoInteraction {
					p.InteractionSD = 0
				}
				near(t, fmt.Sprintf("time %d, area %d, type %d", i, j, kind), covariance(must.Get(p.Field())(t)),
					given(t, p))
			}
			k := graph.Kronecker{Time: time, Area: area}
			near(t, fmt.Sprintf("kronecker of time %d, area %d", i, j), covariance(must.Get(k.Field())(t)), given(t, k))
		}
	}
}

// TestInteractions: the four types are the products of Knorr-Held, with the means taken out.
func TestInteractions(t *testing.T) {
	n := rook(t, 2, 3)
	time, area := graph.Walk{Cells: 4, SD: 0.6}, graph.BYM2{Neighbours: n, SD: 0.5, Mixing: 0.4}
	walk, areas := given(t, graph.Walk{Cells: 4, SD: 1}), must.Get(n.Structure())(t)
	without := given(t, graph.SpaceTime{Time: time, Area: area})
	centre := func(size int) *mat.Dense {
		p := mat.NewDense(size, size, nil)
		p.Apply(func(i, j int, _ float64) float64 {
			if i == j {
				return 1 - 1/float64(size)
			}
			return -1 / float64(size)
		}, p)
		return p
	}
	for kind, of := range map[graph.Type][2]mat.Matrix{graph.TypeI: {centre(4), centre(6)}, graph.TypeII: {walk,
		centre(6)},
		graph.TypeIII: {centre(4), areas}, graph.TypeIV: {walk, areas}} {
		var product, own mat.Dense
		product.Kronecker(of[0], of[1])
		product.Scale(0.09, &product)
		own.Sub(given(t, graph.SpaceTime{Time: time, Area: area, Interaction: kind, InteractionSD: 0.3}), without)
		near(t, fmt.Sprintf("type %d", kind), &own, &product)
	}
}

// TestUnknownNames: the parameters of both sides are told apart.
func TestUnknownNames(t *testing.T) {
	p := graph.SpaceTime{Time: graph.Walk{Cells: 4}, Area: graph.BYM2{Neighbours: line(t, 4)},
		Interaction: graph.TypeIV}
	var names []string
	for _, q := range p.Unknown() {
		names = append(names, q.Name)
	}
	want := "[time sd area sd area mixing interaction sd]"
	must.Be(t, fmt.Sprint(names) == want, "parameters %v, want %s", names, want)
	must.Do(t, gp.Unknown{Of: p}.Check())
	near(t, "given values", given(t, p, 0.6, 0.5, 0.4, 0.3), given(t, graph.SpaceTime{Time: graph.Walk{Cells: 4,
		SD: 0.6},
		Area: graph.BYM2{Neighbours: line(t, 4), SD: 0.5, Mixing: 0.4}, Interaction: graph.TypeIV, InteractionSD: 0.3}))
}
