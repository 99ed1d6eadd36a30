// Package enginetest runs tests on every engine that a machine has.
package enginetest

import (
	"fmt"
	"os"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
)

// DTypes are the precisions that the library computes in.
var DTypes = []dtypes.DType{dtypes.Float32, dtypes.Float64}

// accelerator is [XLA] in tests with the build tag gpu, and nil in others.
var accelerator func(t testing.TB) *engine.Engine

// On runs a test on the pure-Go engine, where ONNXRUNTIME_SHARED_LIBRARY_PATH
// names its library on ONNX Runtime, and with the build tag gpu on XLA.
func On(t *testing.T, f func(t *testing.T, e *engine.Engine)) {
	for _, spec := range []string{"go", "onnx"} {
		t.Run(spec, func(t *testing.T) {
			if spec == "onnx" && os.Getenv("ONNXRUNTIME_SHARED_LIBRARY_PATH") == "" {
				t.Skip("ONNXRUNTIME_SHARED_LIBRARY_PATH names no ONNX Runtime library")
			}
			f(t, Open(t, spec))
		})
	}
	if accelerator != nil {
		t.Run("xla", func(t *testing.T) { f(t, accelerator(t)) })
	}
}

// Open opens an engine or fails the test.
func Open(t testing.TB, spec string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Call compiles a graph function, runs it once and returns its outputs in
// float64.
func Call[F graph.ExecGraphFn](t testing.TB, e *engine.Engine, f F, args ...any) [][]float64 {
	t.Helper()
	exec, err := graph.NewExec(e.Backend, f)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i := range out {
		values[i] = Float64s(out[i])
	}
	return values
}

// Column makes a vector of a dtype.
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
