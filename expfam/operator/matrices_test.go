package operator

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

var nan = math.NaN()

// matrixOf is H with all its zeros.
func matrixOf(op expfam.RowOperator) *mat.Dense {
	data, cells := op.Dims()
	h := mat.NewDense(data, cells, nil)
	for k := range data {
		op.Row(k, func(j int, w float64) { h.Set(k, j, w) })
	}
	return h
}

func equal(t *testing.T, what string, got, want mat.Matrix) {
	t.Helper()
	must.Be(t, mat.EqualApprox(got, want, tolerance), "%s: %v, want %v", what, mat.Formatted(got), mat.Formatted(want))
}

func TestMatrices(t *testing.T) {
	h := mat.NewDense(2, 3, []float64{1, 0, -2, 0.5, 3, 0})
	equal(t, "dense", matrixOf(&Dense{Matrix: h}), h)
	equal(t, "transposed", matrixOf(&Dense{Matrix: h.T()}), h.T())
	equal(t, "sparse", matrixOf(&Sparse{Data: 2, Cells: 3,
		Entries: []Entry{{1, 1, 4}, {0, 2, -2}, {0, 0, 1}, {1, 0, 0.5}, {1, 1, -1}}}), h)
	equal(t, "selected", matrixOf(&Select{Cells: 3, Keep: []int{2, 0}}),
		mat.NewDense(2, 3, []float64{0, 0, 1, 1, 0, 0}))
	equal(t, "all", matrixOf(&Select{Cells: 2}), mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
}

// Compositions are products of matrices, stacks and blocks are made of blocks.
func TestCompositionsAreProducts(t *testing.T) {
	a, b, c := &Dense{Matrix: mat.NewDense(2, 3, normals(10, 1, 6)[0])},
		&Dense{Matrix: mat.NewDense(3, 4, normals(11, 1, 12)[0])},
		&Dense{Matrix: mat.NewDense(4, 5, normals(12, 1, 20)[0])}
	var ab, abc mat.Dense
	ab.Mul(a.Matrix, b.Matrix)
	abc.Mul(&ab, c.Matrix)
	equal(t, "A B", matrixOf(Compose{a, b}), &ab)
	equal(t, "A B C", matrixOf(Compose{a, b, c}), &abc)
	equal(t, "(A B) C", matrixOf(Compose{Compose{a, b}, c}), &abc)
	equal(t, "A (B C)", matrixOf(Compose{a, Compose{b, c}}), &abc)
	equal(t, "A", matrixOf(Compose{a}), a.Matrix)
	equal(t, "A I", matrixOf(Compose{a, &Select{Cells: 3}}), a.Matrix)

	var stack, blocks mat.Dense
	stack.Stack(b.Matrix, ab.Slice(0, 2, 0, 4))
	equal(t, "stack", matrixOf(Stack{b, Compose{a, b}}), &stack)
	blocks.Augment(a.Matrix, &ab)
	equal(t, "blocks", matrixOf(Blocks{a, Compose{a, b}}), &blocks)
	z := mat.NewDense(3, 2, normals(13, 1, 6)[0])
	var design mat.Dense
	design.Augment(mat.NewDiagDense(3, []float64{1, 1, 1}), z)
	equal(t, "design", matrixOf(Design(z)), &design)

	var twice mat.Dense
	twice.Scale(2, a.Matrix)
	equal(t, "scale", matrixOf(Scale{Of: a, By: 2}), &twice)
	equal(t, "scale of each", matrixOf(Scale{Of: a, Each: []float64{2, 2}}), &twice)
	equal(t, "plain scale", matrixOf(Scale{Of: a}), a.Matrix)
	equal(t, "offset", matrixOf(Offset{Of: a, By: 3}), a.Matrix)

	// Rays that cancel leave no weight behind.
	data := 0
	Compose{&Dense{Matrix: mat.NewDense(1, 2, []float64{1, -1})},
		&Dense{Matrix: mat.NewDense(2, 2, []float64{1, 2, 1, 3})}}.Row(0, func(j int, w float64) {
		if data++; j != 1 || w != -1 {
			t.Errorf("weight %g at %d, want -1 at 1", w, j)
		}
	})
	must.Equal(t, data, 1, "weights")
}

// An offset is H 0 of an affine map: it goes through scales and compositions, and adds up.
func TestOffsets(t *testing.T) {
	a := &Dense{Matrix: mat.NewDense(2, 2, []float64{1, 2, 3, -4})}
	with := Offset{Of: a, By: 1, Each: []float64{0, 4}} // 1, 5
	for name, c := range map[string]struct {
		op   expfam.OffsetOperator
		want []float64
	}{
		"offset":                 {with, []float64{1, 5}},
		"of an offset":           {Offset{Of: with, By: 2}, []float64{3, 7}},
		"scale":                  {Scale{Of: with, By: 2, Each: []float64{1, 3}}, []float64{2, 30}},
		"scale of none":          {Scale{Of: a}, nil},
		"composition":            {Compose{with, with}, []float64{1 + 1 + 2*5, 5 + 3 - 4*5}},
		"inner of a composition": {Compose{a, with}, []float64{11, -17}},
		"outer of a composition": {Compose{with, a}, []float64{1, 5}},
		"composition of none":    {Compose{a, a}, nil},
		"stack":                  {Stack{a, with}, []float64{0, 0, 1, 5}},
		"stack of none":          {Stack{a, a}, nil},
		"blocks":                 {Blocks{with, a, with}, []float64{2, 10}},
		"blocks of none":         {Blocks{a, a}, nil},
		"composition with a stack": {Compose{&Dense{Matrix: mat.NewDense(1, 4, []float64{1, 1, 1, 1})}, Stack{a, with}},
			[]float64{6}},
	} {
		got := c.op.Offset()
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for k, v := range got {
			near(t, fmt.Sprintf("%s: datum %d", name, k), v, c.want[k])
		}
	}
}

// The field of a constant slope seen by points after a blur that keeps it, as the points see it.
func TestPointsAfterABlur(t *testing.T) {
	gr := grid.Grid{Rows: 30, Cols: 30}
	points := &Points{Grid: gr, X: []float64{14.2, 15.5}, Y: []float64{15.1, 13.7}}
	op := Compose{points, &Convolution{Rows: 30, Cols: 30, Kernel: Gaussian{SD: 1.5}}}
	x := make([]float64, gr.Len())
	for j := range x {
		u, v := gr.Centre(j)
		x[j] = 2*u - 0.5*v
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		got := enginetest.Call(t, e, func(x *g.Node) []*g.Node { return []*g.Node{op.Apply(x)} }, [][]float64{x})
		for k, v := range got[0] {
			near(t, fmt.Sprintf("point %d", k), v, 2*points.X[k]-0.5*points.Y[k])
		}
	})
}

// A cell whose covariates are all 0, such as the reference of a factor, is no datum that looks at nothing. A likelihood
// refuses a matrix alone that has such a row.
func TestRowsOfZeros(t *testing.T) {
	z := mat.NewDense(3, 1, []float64{0, -1, 0})
	x := []float64{1, 2, 3, 10}
	for k, v := range product(Design(z), x) {
		near(t, fmt.Sprintf("datum %d", k), v, x[k]+z.At(k, 0)*x[3])
	}
	for _, op := range []expfam.RowOperator{&Dense{Matrix: z},
		&Sparse{Data: 3, Cells: 1, Entries: []Entry{{1, 0, -1}}}} {
		like := expfam.Likelihood{Family: expfam.Normal{}, Operator: op}
		must.Refuse(like.Theta([]float64{1}))(t, "datum 0 of the operator", "looks at no cell")
	}
}

func TestMatricesRefuse(t *testing.T) {
	two, three := &Select{Cells: 2}, &Select{Cells: 3}
	refusals(t, []refused{
		{"a sparse matrix of 0 data and 0 cells", &Sparse{}},
		{"entry 1 is for datum 0 and cell 3 of a sparse matrix of 1×3",
			&Sparse{Data: 1, Cells: 3, Entries: []Entry{{0, 0, 1}, {0, 3, 1}}}},
		{"entry 0 is for datum -1 and cell 0", &Sparse{Data: 1, Cells: 3, Entries: []Entry{{-1, 0, 1}}}},
		{"entry 1, for datum 0 and cell 2, has the weight +Inf",
			&Sparse{Data: 1, Cells: 3, Entries: []Entry{{0, 0, 1}, {0, 2, math.Inf(1)}}}},
		{"Dense has no Matrix", &Dense{}},
		{"row 1, column 0 of the matrix is NaN", &Dense{Matrix: mat.NewDense(2, 2, []float64{1, 2, nan, 3})}},
		{"a selection from 0 cells", &Select{}},
		{"datum 1 is cell 5 of 5", &Select{Cells: 5, Keep: []int{0, 5}}},
		{"0 of 5 cells has no data", &Select{Cells: 5, Keep: []int{}}},
		{"a composition of no operators", Compose{}},
		{"part 1 of a composition is nil", Compose{two, nil}},
		{"part 0 of a composition: a selection from 0 cells", Compose{&Select{}, two}},
		{"part 0 of a composition, all of 2 cells, looks at 2 cells, and part 1, all of 3 cells, has 3 data",
			Compose{two, three}},
		{"a stack of no operators", Stack{}},
		{"part 1 of a stack, all of 3 cells, looks at 3 cells, and part 0, all of 2 cells, at 2", Stack{two, three}},
		{"blocks of no operators", Blocks{}},
		{"part 1 of blocks, all of 3 cells, has 3 data, and part 0, all of 2 cells, has 2", Blocks{two, three}},
		{"part 0 of blocks: a selection from 0 cells", Design(nil)},
		{"part 1 of blocks: row 0, column 1 of the matrix is NaN", Design(mat.NewDense(2, 2, []float64{1, nan, 0, 3}))},
		{"part 0 of a scale is nil", Scale{}},
		{"a scale of 1 numbers for the 2 data", Scale{Of: two, Each: []float64{1}}},
		{"datum 1 of all of 2 cells is multiplied by 0", Scale{Of: two, Each: []float64{1, 0}}},
		{"datum 0 of all of 2 cells is multiplied by NaN", Scale{Of: two, By: nan}},
		{"part 0 of an offset is nil", Offset{}},
		{"an offset of 3 numbers for the 2 data", Offset{Of: two, Each: []float64{1, 2, 3}}},
		{"datum 1 of all of 2 cells has the offset -Inf", Offset{Of: two, Each: []float64{1, math.Inf(-1)}}},
	})
}
