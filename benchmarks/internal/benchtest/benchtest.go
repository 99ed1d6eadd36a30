// Package benchtest has what the tests of the benchmarks share: engines, and a store of their own.
package benchtest

import (
	"flag"
	"log"
	"os"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/fulltest"
)

// Main runs all tests of a package. It gives everyday tests a store of their own, so that nothing an earlier run stored
// stands in for what they compute. With -full they take hours, and go on where they stopped.
func Main(m *testing.M) {
	flag.Parse()
	if *fulltest.Full {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "expfam-store-*")
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("EXPFAM_STORE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
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

// Fast returns the fastest engine: ONNX Runtime if this machine has it, else pure Go.
func Fast(t testing.TB) *engine.Engine {
	t.Helper()
	for _, s := range engine.List() {
		if s.Name == "onnx" && s.Err == nil {
			return Open(t, "onnx")
		}
	}
	return Open(t, "go")
}

// Call compiles a graph function, runs it once on pure Go and returns its outputs in float64.
func Call[F graph.ExecGraphFn](t testing.TB, f F, args ...any) [][]float64 {
	t.Helper()
	exec, err := graph.NewExec(Open(t, "go").Backend, f)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		x.MustConstFlatData(func(flat any) {
			switch v := flat.(type) {
			case []float64:
				values[i] = append(values[i], v...)
			case []float32:
				for _, u := range v {
					values[i] = append(values[i], float64(u))
				}
			}
		})
	}
	return values
}
