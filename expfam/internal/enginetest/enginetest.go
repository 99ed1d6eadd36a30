// Package enginetest runs tests on every engine that a machine has.
package enginetest

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// DTypes are the precisions that the library computes in.
var DTypes = []dtypes.DType{dtypes.Float32, dtypes.Float64}

// accelerator is [XLA] in tests with the build tag gpu, and nil in others.
var accelerator func(t testing.TB) *engine.Engine

// On runs a test on the pure-Go engine and on ONNX Runtime, and with the build tag gpu also on XLA. It skips ONNX
// Runtime on machines without it.
func On(t *testing.T, f func(t *testing.T, e *engine.Engine)) {
	for _, spec := range []string{"go", "onnx"} {
		t.Run(spec, func(t *testing.T) {
			if err := missing(spec); err != nil {
				t.Skip(err)
			}
			f(t, Open(t, spec))
		})
	}
	if accelerator != nil {
		t.Run("xla", func(t *testing.T) { f(t, accelerator(t)) })
	}
}

// Fast returns the fastest engine, for tests of what all engines compute alike, such as the statistics of many draws.
// It is XLA with the build tag gpu, else ONNX Runtime if this machine has it, else pure Go. Each such test needs a
// second test beside it, on few numbers, that runs [On] every engine.
func Fast(t testing.TB) *engine.Engine {
	t.Helper()
	if accelerator != nil {
		return accelerator(t)
	}
	if missing("onnx") == nil {
		return Open(t, "onnx")
	}
	return Open(t, "go")
}

// Benchmark runs a benchmark on the engines of this machine that run lessons.
func Benchmark(b *testing.B, run func(b *testing.B, e *engine.Engine)) {
	for _, spec := range []string{"go", "onnx"} {
		b.Run(spec, func(b *testing.B) {
			e, err := engine.Open(spec)
			if err != nil {
				b.Skip(err)
			}
			run(b, e)
		})
	}
}

// Short returns the first n entries of a table of tests, for engines that take a second to compile each graph. For pure
// Go, and with -full, it returns the whole table. The first entries should be those that differ most.
func Short[T any](e *engine.Engine, n int, table []T) []T {
	if e.String() == "go" || *fulltest.Full {
		return table
	}
	return table[:min(n, len(table))]
}

// missing returns the reason why an engine can't be used on this machine, or nil if it can.
func missing(spec string) error {
	for _, s := range engine.List() {
		if s.Name == spec {
			return s.Err
		}
	}
	return fmt.Errorf("this program was built without %s", spec)
}

// Open opens an engine or fails the test.
func Open(t testing.TB, spec string) *engine.Engine {
	t.Helper()
	return must.Get(engine.Open(spec))(t)
}

// Call compiles a graph function, runs it once and returns its outputs in float64.
func Call[F graph.ExecGraphFn](t testing.TB, e *engine.Engine, f F, args ...any) [][]float64 {
	t.Helper()
	exec := must.Get(graph.NewExec(e.Backend, f))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call(args...))(t)
	values := make([][]float64, len(out))
	for i := range out {
		values[i] = Float64s(out[i])
	}
	return values
}

// Column returns x as a vector of a dtype.
func Column(dtype dtypes.DType, x []float64) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromValue(x)
	}
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return tensors.FromValue(y)
}

// Float64s reads a tensor of any shape as a flat slice.
func Float64s(x *tensors.Tensor) []float64 {
	var y []float64
	x.MustConstFlatData(func(flat any) {
		switch v := flat.(type) {
		case []float64:
			y = append(y, v...)
		case []float32:
			for _, u := range v {
				y = append(y, float64(u))
			}
		default:
			panic(fmt.Sprintf("enginetest: %s is not of floating point", x.Shape()))
		}
	})
	return y
}
