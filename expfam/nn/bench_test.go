package nn_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkUNet is a training step (gradients of all weights) and a step of sampling (heads and one gradient in x).
func BenchmarkUNet(b *testing.B) {
	if os.Getenv("ONNXRUNTIME_SHARED_LIBRARY_PATH") == "" {
		b.Skip("ONNXRUNTIME_SHARED_LIBRARY_PATH names no ONNX Runtime library")
	}
	e := enginetest.Open(b, "onnx")
	for _, side := range []int{32, 64} {
		n := nn.UNet{Rows: side, Columns: side}
		params := n.Params(side*side, heads)
		rng := rand.New(rand.NewPCG(1, 2))
		initial := nn.Initial(params, rng)
		const batch = 8
		data := make([]float32, batch*side*side)
		for i := range data {
			data[i] = float32(rng.NormFloat64())
		}
		levels := make([]float32, batch)
		for name, f := range map[string]func(args []*graph.Node) []*graph.Node{
			"training": func(args []*graph.Node) []*graph.Node {
				w := nn.Unpack(args[0], params)
				loss := graph.ScalarZero(args[0].Graph(), args[0].DType())
				for _, h := range n.Apply(w, nn.Input{X: args[1], Estimate: args[1], LogSigma: args[2],
					LogNoise: args[2]}, heads) {
					loss = graph.Add(loss, graph.ReduceAllMean(graph.Square(graph.Sub(h, args[1]))))
				}
				var leaves []*graph.Node
				for _, p := range params {
					leaves = append(leaves, w[p.Name])
				}
				return graph.Gradient(loss, leaves...)
			},
			"sampling": func(args []*graph.Node) []*graph.Node {
				w := nn.Unpack(args[0], params).Frozen()
				out := n.Apply(w, nn.Input{X: args[1], Estimate: args[1], LogSigma: args[2], LogNoise: args[2]}, heads)
				return append(out, graph.Gradient(graph.ReduceAllSum(graph.Mul(out[0], args[1])), args[1])...)
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, side), func(b *testing.B) {
				exec := must.Get(graph.NewExec(e.Backend, f))(b)
				defer exec.Finalize()
				run := func() {
					args := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(initial, len(initial)),
						tensors.FromFlatDataAndDimensions(data, batch, side*side),
						tensors.FromFlatDataAndDimensions(levels, batch, 1)}
					out := must.Get(exec.Call(args[0], args[1], args[2]))(b)
					must.Do(b, engine.Release(append(args, out...)...))
				}
				run()
				for b.Loop() {
					run()
				}
			})
		}
	}
}
