package operator

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// Districts keep their names through operators and posteriors.
func TestNames(t *testing.T) {
	gr := grid.Grid{Rows: 2, Cols: 2}
	box := func(name string, west, east float64) land.Region {
		return region(t, name, [][]land.Position{closed(at(west, -0.5), at(east, -0.5), at(east, 1.5), at(west, 1.5))})
	}
	districts := &Polygons{Grid: gr, Regions: []land.Region{box("Lamu", -0.5, 0.5), box("Wajir", 0.5, 1.5)}}
	areas := &Areas{Labels: []int{0, 0, 1, -1}, Names: []string{"North", "South"}}
	plain := &Areas{Labels: []int{0, 0, 1, 1}}
	two := &Dense{Matrix: mat.NewDense(2, 2, []float64{1, 0, 1, 1})}
	for name, c := range map[string]struct {
		op   expfam.RowOperator
		want []string
	}{
		"polygons":         {districts, []string{"Lamu", "Wajir"}},
		"areas":            {areas, []string{"North", "South"}},
		"areas, unnamed":   {plain, nil},
		"scaled":           {Scale{Of: districts, By: 2}, []string{"Lamu", "Wajir"}},
		"with an offset":   {Offset{Of: areas, By: 2}, []string{"North", "South"}},
		"a stack":          {Stack{districts, areas}, []string{"Lamu", "Wajir", "North", "South"}},
		"a stack, in part": {Stack{plain, districts}, []string{"0", "1", "Lamu", "Wajir"}},
		"a stack, unnamed": {Stack{plain, plain}, nil},
		"composed": {Compose{Scale{Of: districts}, &Select{Cells: 4, Keep: []int{3, 2, 1, 0}}},
			[]string{"Lamu", "Wajir"}},
		"of sums": {Compose{two, districts}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			post := must.Get((&expfam.Posterior{X: mat.NewDense(2, 4,
				[]float64{1, 2, 3, 4, 5, 6, 7, 8})}).Through(c.op))(t)
			got := post.CellNames()
			must.Need(t, slices.Equal(got, c.want), "names %q, want %q", got, c.want)
			if c.want == nil {
				return
			}
			must.Equal(t, must.Get(post.Part([]int{1}))(t).CellNames(), c.want[1:2], "a part has the names")
			path := t.TempDir() + "/post"
			must.Do(t, post.Save(path))
			again, err := expfam.LoadPosterior(path, expfam.Likelihood{})
			must.Be(t, err == nil && slices.Equal(again.CellNames(), c.want),
				"a file has the names %q, %v", again.CellNames(), err)
		})
	}
	// What the data look at has the names of the data.
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)"),
		Operator: expfam.SumOf{Operator: districts}}
	seen, err := (&expfam.Posterior{X: mat.NewDense(1, 4, nil), Likelihood: like}).Seen()
	must.Be(t, err == nil && slices.Equal(seen[0].CellNames(), []string{"Lamu", "Wajir"}), "%v, %v", seen, err)
	refusals(t, []refused{
		{"2 of 4 areas have no cell, as districts without the centre of a cell: area 1 (Lamu), area 3 (Kilifi); " +
			"take more cells, use Polygons",
			&Areas{Labels: []int{0, 0, 2, -1}, Names: []string{"Wajir", "Lamu", "Tana", "Kilifi"}}},
		{"areas with the label 2 and 2 Names", &Areas{Labels: []int{0, 1, 2}, Names: []string{"Wajir", "Lamu"}}},
	})
}
