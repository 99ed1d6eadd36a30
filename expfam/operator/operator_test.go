package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// kinds has an operator of every kind, and of their options.
func kinds() map[string]expfam.RowOperator {
	return map[string]expfam.RowOperator{
		"gaussian, reflect":  &Convolution{Rows: 9, Cols: 7, Kernel: Gaussian{SD: 1.3}},
		"gaussian, periodic": &Convolution{Rows: 9, Cols: 7, Kernel: Gaussian{SD: 1.3}, Boundary: Periodic},
		"even box, zero":     &Convolution{Rows: 9, Cols: 8, Kernel: Box{N: 4}, Boundary: Zero},
		"motion, valid":      &Convolution{Rows: 12, Cols: 13, Kernel: Motion{Length: 6, Angle: 30}, Boundary: Valid},
		"taps, reflect":      &Convolution{Rows: 6, Cols: 8, Kernel: Taps{{0, 1, 0.2}, {-1, 3, 0.5}}},
		"line":               &Convolution{Cols: 30, Kernel: Gaussian{SD: 2, Reach: 6}, Boundary: Periodic},
		"line, valid":        &Convolution{Cols: 30, Kernel: Taps{{1, 2, -4}}, Boundary: Valid},
		"downsample":         &Downsample{Rows: 6, Cols: 8},
		"downsample, line":   &Downsample{Cols: 9, Across: 3},
		"area sums": &Areas{Labels: []int{0, 1, 1, -1, 2, 0, 2, 2},
			Weights: []float64{1, 2, 3, nan, 0, 4, 5, 6}},
		"area means": &Areas{Labels: []int{0, 1, 1, -1, 2, 0, 2, 2}, Mean: true},
		"points": &Points{Grid: grid.Grid{Rows: 4, Cols: 5}, X: []float64{0, 1.3, 3.9, -0.4},
			Y: []float64{0, 2.2, 0.5, 3.4}},
		"polygons": &Polygons{Grid: grid.Grid{Rows: 4, Cols: 5}, Regions: []land.Region{
			{Name: "a", Polygons: [][][]land.Position{{closed(at(0.2, 0.3), at(3.1, 0.8), at(2, 2.9))}}},
			{Name: "b", Polygons: [][][]land.Position{{closed(at(2, 2), at(3.1, 2.8), at(2, 3))}}},
		}},
		"rays": &Radon{Rows: 8, Cols: 10, Angles: 5},
		"attenuated rays": &Radon{Rows: 30, Cols: 31, Angles: 9, Detectors: 40, Skip: true,
			Attenuation: slices.Repeat([]float64{0.02}, 930)},
		"sparse": &Sparse{Data: 3, Cells: 5, Entries: []Entry{{2, 1, 0.5}, {0, 4, -1}, {2, 1, 0.25},
			{1, 0, 3}, {0, 0, 1}}},
		"dense":      &Dense{Matrix: mat.NewDense(3, 4, []float64{1, 2, 3, 4, 0, -1, 0, 2, 5, 0, 0, 0.5})},
		"all cells":  &Select{Cells: 5},
		"some cells": &Select{Cells: 5, Keep: []int{4, 0, 4}},
		"composition": Compose{&Downsample{Rows: 6, Cols: 8}, &Convolution{Rows: 6, Cols: 8},
			Scale{Of: &Select{Cells: 48}, By: 2}},
		"stack":         Stack{&Downsample{Rows: 6, Cols: 8}, &Select{Cells: 48, Keep: []int{3}}},
		"blocks":        Design(mat.NewDense(4, 2, []float64{1, 0.3, 1, -2, 1, 0, 1, 4})),
		"blocks, zeros": Design(mat.NewDense(4, 2, []float64{0, 0, 1, -2, 0, 0, 1, 4})),
		"blocks, one column": Blocks{&Select{Cells: 3},
			&Sparse{Data: 3, Cells: 2, Entries: []Entry{{1, 0, 1}, {2, 1, 1}}}},
		"scale":         Scale{Of: &Downsample{Cols: 6}, By: -2, Each: []float64{1, 2, 3}},
		"offset":        Offset{Of: &Downsample{Cols: 6}, By: -2, Each: []float64{1, 2, 3}},
		"blurred sums":  &Convolution{Rows: 70, Cols: 66, Kernel: Box{N: 5}, Boundary: Zero},
		"many selected": &Select{Cells: 600, Keep: rand.New(rand.NewPCG(5, 0)).Perm(600)[:400]},
		"composition of areas": Compose{&Areas{Labels: []int{0, 1, 1, 0}},
			Blocks{&Select{Cells: 4}, &Dense{Matrix: mat.NewDense(4, 1, []float64{1, 2, 3, 4})}}},
	}
}

// normals are rows of independent standard normal numbers.
func normals(seed uint64, rows, cols int) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([][]float64, rows)
	for i := range x {
		x[i] = make([]float64, cols)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	return x
}

// product is H x by the rows of H.
func product(op expfam.RowOperator, x []float64) []float64 {
	data, _ := op.Dims()
	y := make([]float64, data)
	for k := range y {
		op.Row(k, func(j int, w float64) { y[k] += w * x[j] })
	}
	return y
}

// tolerance is rounding in float64 of sums of up to some hundred numbers of order ten.
const tolerance = 1e-12

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	must.Relative(t, what, got, want, tolerance)
}

// Apply is the product with the rows, ⟨Hx, y⟩ = ⟨x, Hᵀy⟩, the gradient of Σ (Hx)²/2 in x is HᵀHx and that of Σ (Hᵀy)²/2
// in y is HHᵀy, on every engine; a row names no cell twice and no weight of 0.
func TestKinds(t *testing.T) {
	for name, op := range kinds() {
		t.Run(name, func(t *testing.T) {
			must.Do(t, traits.Check(op))
			data, cells := op.Dims()
			for k := range data {
				seen := map[int]bool{}
				op.Row(k, func(j int, w float64) {
					must.Be(t, !seen[j] && w != 0 && j >= 0 && j < cells,
						"row %d has cell %d of %d with weight %g, twice or of nothing", k, j, cells, w)
					seen[j] = true
				})
			}
			x, y := normals(1, 3, cells), normals(2, 3, data)
			enginetest.On(t, func(t *testing.T, e *engine.Engine) {
				got := enginetest.Call(t, e, func(x, y *g.Node) []*g.Node {
					hx, hy := op.Apply(x), op.Adjoint(y)
					half := func(v *g.Node) *g.Node { return g.MulScalar(g.ReduceAllSum(g.Square(v)), 0.5) }
					return []*g.Node{hx, hy, g.Gradient(half(hx), x)[0], op.Adjoint(hx), g.Gradient(half(hy), y)[0],
						op.Apply(hy)}
				}, x, y)
				for b := range x {
					want := product(op, x[b])
					var left, right float64
					for k, v := range want {
						near(t, fmt.Sprintf("datum %d", k), got[0][b*data+k], v)
						left += got[0][b*data+k] * y[b][k]
						near(t, fmt.Sprintf("gradient of the adjoint %d", k), got[4][b*data+k], got[5][b*data+k])
					}
					for j := range cells {
						right += got[1][b*cells+j] * x[b][j]
						near(t, fmt.Sprintf("gradient %d", j), got[2][b*cells+j], got[3][b*cells+j])
					}
					near(t, "inner product", right, left)
				}
			})
		})
	}
}

// In float32 an operator rounds as much as sums of its weights do.
func TestFloat32(t *testing.T) {
	op := &Convolution{Rows: 9, Cols: 7, Kernel: Motion{Length: 4, Angle: 20}}
	single := [][]float32{make([]float32, 63)}
	x := make([]float64, 63)
	for j, v := range normals(3, 1, 63)[0] {
		single[0][j] = float32(v)
		x[j] = float64(single[0][j])
	}
	want := product(op, x)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		got := enginetest.Call(t, e, func(x *g.Node) []*g.Node { return []*g.Node{op.Apply(x)} }, single)
		for k, v := range want {
			must.Absolute(t, fmt.Sprintf("datum %d", k), got[0][k], v, 2e-6)
		}
	})
}

// refused is an operator that must not be made, and what its error says.
type refused struct {
	want string
	op   expfam.Operator
}

// refusals checks that Check names what is wrong in one sentence, and that methods panic with it.
func refusals(t *testing.T, all []refused) {
	for _, c := range all {
		t.Run(c.want, func(t *testing.T) {
			err := traits.Check(c.op)
			must.Need(t, err != nil && strings.Contains(err.Error(), c.want) &&
				strings.HasPrefix(err.Error(), "operator: ") && !strings.Contains(err.Error(), "\n"),
				"error %v, want %q in it", err, c.want)
			defer func() { must.Equal(t, fmt.Sprint(recover()), err.Error(), "Dims panics with", err) }()
			c.op.Dims()
			t.Error("Dims does not panic")
		})
	}
}
