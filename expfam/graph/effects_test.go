package graph_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// TestSparse: the sparse precision of every prior gives the mean and the covariance of Given, and its log determinant
// changes with the numbers as that of the dense precision does.
func TestSparse(t *testing.T) {
	ringed := ring(t, 9)
	islands := must.Get(graph.Edges(12, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {5, 6}, {6, 7}, {7, 8}, {8, 9}}))(t)
	halves := must.Get(graph.Edges(9, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {5, 6}, {6, 7}, {7, 8}, {4, 8}}))(t)
	wide := rook(t, 5, 6)
	walk := graph.Walk{Cells: 6}
	for name, p := range map[string]interface {
		gp.Family
		Sparse() (*latent.Field, error)
	}{
		"icar":               graph.ICAR{Neighbours: ringed, LevelSD: 2, Level: 1},
		"icar without level": graph.ICAR{Neighbours: ringed},
		"icar of two":        graph.ICAR{Neighbours: halves, LevelSD: 1},
		"bym2":               graph.BYM2{Neighbours: ringed, LevelSD: 2},
		"bym2 with islands":  graph.BYM2{Neighbours: islands},
		"leroux":             graph.Leroux{Neighbours: islands, LevelSD: 1},
		"car":                graph.CAR{Neighbours: halves, LevelSD: 3},
		"ar1":                graph.AR1{Cells: 7, LevelSD: 1, Level: -1}, "walk": graph.Walk{Cells: 8, LevelSD: 1},
		"walk at places": graph.Walk{Cells: 6, At: []float64{3, 4, 4.5, 7, 7.1, 9}, Level: 1},
		"walk of order 2 at places": graph.Walk{Cells: 6, Order: 2, At: []float64{3, 4, 4.5, 7, 7.1, 9}, SlopeSD: 2,
			LevelSD: 1},
		"groups": graph.Groups{Names: []string{"a", "b", "c"}, LevelSD: 2},
		"sum": &graph.Sum{Level: 1, LevelSD: 2, Terms: []graph.Term{
			graph.Group{Name: "village", Of: []string{"b", "a", "b", "c"}},
			graph.Smooth{Name: "age", Of: []float64{3, 1, 2, 7}},
			graph.Linear{Name: "rain", Of: []float64{1, 0, 2, 5}, SD: 3},
			graph.Block{Name: "district", Of: graph.BYM2{Neighbours: ringed},
				At: &operator.Select{Cells: 9, Keep: []int{4, 4, 0, 2}}}}},
		"walk of order 2": graph.Walk{Cells: 8, Order: 2, SlopeSD: 0.7, LevelSD: 1},
		"no interaction":  graph.SpaceTime{Time: walk, Area: graph.ICAR{Neighbours: ringed}, LevelSD: 2},
		"bym2 in time":    graph.SpaceTime{Time: walk, Area: graph.BYM2{Neighbours: islands}, LevelSD: 2},
		"without level":   graph.SpaceTime{Time: graph.AR1{Cells: 4}, Area: graph.BYM2{Neighbours: ringed}},
		"type I": graph.SpaceTime{Time: graph.AR1{Cells: 4}, Area: graph.Leroux{Neighbours: ringed}, LevelSD: 1,
			Interaction: graph.TypeI},
		"type II": graph.SpaceTime{Time: graph.Walk{Cells: 5, Order: 2}, Area: graph.BYM2{Neighbours: ringed},
			LevelSD: 1, Interaction: graph.TypeII},
		"type III": graph.SpaceTime{Time: walk, Area: graph.ICAR{Neighbours: halves}, LevelSD: 1,
			Interaction: graph.TypeIII},
		"type IV": graph.SpaceTime{Time: walk, Area: graph.BYM2{Neighbours: halves}, LevelSD: 1,
			Interaction: graph.TypeIV},
		"type IV with wide sums": graph.SpaceTime{Time: graph.Walk{Cells: 26, Order: 2}, Area: graph.ICAR{
			Neighbours: wide}, LevelSD: 1, Interaction: graph.TypeIV},
	} {
		t.Run(name, func(t *testing.T) {
			f := must.Get(p.Sparse())(t)
			var offsets []float64
			for _, at := range []float64{0.3, 0.6} {
				var values []float64
				for range p.Unknown() {
					values = append(values, at)
				}
				mean, cov, err := p.Given(values)
				must.Do(t, err)
				precision, logDet := densePrecision(t, f, values)
				var chol mat.Cholesky
				if !chol.Factorize(precision) {
					t.Fatal("the precision is not positive definite")
				}
				offsets = append(offsets, logDet-chol.LogDet())
				rows := mat.NewDense(len(mean), f.Nodes(), nil)
				for i, row := range f.Rows {
					for _, e := range row {
						rows.Set(i, e.Node, rows.At(i, e.Node)+e.Weight)
					}
					if f.Offset[i] != mean[i] {
						t.Fatalf("the mean of cell %d is %g, and not %g", i, f.Offset[i], mean[i])
					}
				}
				var solved, got mat.Dense
				must.Do(t, chol.SolveTo(&solved, rows.T()))
				got.Mul(rows, &solved)
				scale := 1e-12
				for i := range mean {
					scale = math.Max(scale, cov.At(i, i))
				}
				for i := range mean {
					for j := range mean {
						// Dense factors of precisions of 1e10 beside small ones have rounding errors of 1e-6 and more.
						if d := got.At(i, j) - cov.At(i, j); math.Abs(d) > 5e-5*scale {
							t.Fatalf("covariance (%d, %d) is %g, and not %g", i, j, got.At(i, j), cov.At(i, j))
						}
					}
				}
			}
			if d := offsets[1] - offsets[0]; math.Abs(d) > 1e-4 { // rounding errors of 1e10
				t.Errorf("the log determinant is off by %g", d)
			}
		})
	}
}

// densePrecision returns Q + V C Vᵀ and its log determinant up to a constant.
func densePrecision(t *testing.T, f *latent.Field, values []float64) (*mat.SymDense, float64) {
	q, c := make([]float64, len(f.Pattern.Row)), make([]float64, len(f.Wide))
	logDet := must.Get(f.Fill(values, q, c))(t)
	m := mat.NewSymDense(f.Nodes(), nil)
	for j := range f.Nodes() {
		for e := f.Pattern.Start[j]; e < f.Pattern.Start[j+1]; e++ {
			m.SetSym(f.Pattern.Row[e], j, q[e])
		}
	}
	for k, column := range f.Wide {
		v := mat.NewVecDense(f.Nodes(), nil)
		for _, e := range column {
			v.SetVec(e.Node, e.Weight)
		}
		m.SymRankOne(m, c[k], v)
	}
	return m, logDet
}
