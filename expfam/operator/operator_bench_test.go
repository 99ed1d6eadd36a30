package operator

import (
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkOperators is HᵀHx of 32 images of 64×64 cells: what a step of conjugate gradients
// takes besides a Jacobian product of the prior.
func BenchmarkOperators(b *testing.B) {
	const n, batch = 64, 32
	labels := make([]int, n*n)
	for j := range labels {
		labels[j] = j/n/13*6 + j%n/11
	}
	points := &Points{Grid: grid.Grid{Rows: n, Cols: n}}
	for _, p := range normals(1, 300, 2) {
		points.X, points.Y = append(points.X, min(max(32+12*p[0], 0), 63)),
			append(points.Y, min(max(32+12*p[1], 0), 63))
	}
	x := make([]float32, batch*n*n)
	for j, v := range normals(2, 1, len(x))[0] {
		x[j] = float32(v)
	}
	for _, c := range []struct {
		name string
		op   expfam.Operator
	}{
		{"gaussian", &Convolution{Rows: n, Cols: n, Kernel: Gaussian{SD: 2}}},
		{"motion", &Convolution{Rows: n, Cols: n, Kernel: Motion{Length: 9, Angle: 30}}},
		{"blocks", &Downsample{Rows: n, Cols: n, Down: 8}},
		{"areas", &Areas{Labels: labels}},
		{"points", points},
		{"15 angles", &Radon{Rows: n, Cols: n, Angles: 15}},
		{"60 angles", &Radon{Rows: n, Cols: n, Angles: 60}},
	} {
		for _, spec := range []string{"go", "onnx"} {
			in := tensors.FromFlatDataAndDimensions(x, batch, n*n)
			exec := must.Get(g.NewExec(enginetest.Open(b, spec).Backend,
				func(x *g.Node) *g.Node { return c.op.Adjoint(c.op.Apply(x)) }))(b)
			b.Run(c.name+"/"+spec, func(b *testing.B) {
				for b.Loop() {
					out := must.Get(exec.Call(in))(b)
					must.Do(b, engine.Release(out...))
				}
			})
			exec.Finalize()
		}
	}
}
