package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/internal/must"
)

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"unknown name", "tpu", `"tpu" is unknown; use xla:cuda, xla:cpu, onnx or go`},
		{"operations at the same time", "go:ops_parallel", "ops_parallel deadlocks"},
		{"the same among options", "go:parallelism=4,ops_parallel", "ops_parallel deadlocks"},
		{"option that is none", "go:no_such_option", "go:no_such_option does not open"},
		{"plugin that is not there", "xla:" + filepath.Join(t.TempDir(), "plugin.so"), "the xla plugin can't be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.spec, "xla") && drivers["xla"].name == "" {
				t.Skip("built without XLA")
			}
			e, err := Open(c.spec)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "engine: ") {
				t.Errorf("Open(%q) = %v, error %v; want %q in it", c.spec, e, err, c.want)
			}
		})
	}
}

// A name that GoMLX knows but that was left out of the build is told apart from a misspelling.
func TestOpenUnlinked(t *testing.T) {
	linked := drivers
	t.Cleanup(func() { drivers = linked })
	drivers = map[string]driver{"go": linked["go"]}
	for _, spec := range []string{"xla:cuda", "stablehlo", "onnx", "onnxruntime"} {
		t.Run(spec, func(t *testing.T) { must.Refuse(Open(spec))(t, "is not linked into this program") })
	}
	t.Run("automatic choice falls back on go", func(t *testing.T) {
		t.Setenv(Env, "")
		e, err := Open("")
		must.Need(t, err == nil && e.String() == "go", "%v, error %v", e, err)
	})
}

func TestOpenHonoursTheEnvironment(t *testing.T) {
	t.Run("a choice", func(t *testing.T) {
		t.Setenv(Env, "go:parallelism=1")
		e, err := Open("")
		must.Need(t, err == nil && e.String() == "go:parallelism=1", "%v, error %v", e, err)
	})
	t.Run("a choice that does not exist", func(t *testing.T) {
		t.Setenv(Env, "abacus")
		must.Refuse(Open(""))(t, `"abacus" is unknown`)
	})
	t.Run("an argument comes first", func(t *testing.T) {
		t.Setenv(Env, "abacus")
		if e, err := Open("go"); err != nil || e.String() != "go" {
			t.Fatalf("%v, error %v", e, err)
		}
	})
}

// A variable that leads nowhere is an error: neither another library nor a download takes its place.
func TestONNXWithoutItsLibrary(t *testing.T) {
	if _, linked := drivers["onnx"]; !linked {
		t.Skip("built without ONNX Runtime")
	}
	nowhere := filepath.Join(t.TempDir(), "libonnxruntime.so")
	home := t.TempDir()
	t.Setenv("HOME", home) // where GoMLX's installer would put it
	t.Setenv("XDG_DATA_HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("ONNXRUNTIME_SHARED_LIBRARY_PATH", nowhere)
	must.Refuse(Open("onnx"))(t, nowhere)
	if files, err := os.ReadDir(home); err != nil || len(files) > 0 {
		t.Errorf("opening left %v behind (%v)", files, err)
	}
	t.Run("automatic choice goes on to go", func(t *testing.T) {
		t.Setenv(Env, "")
		if len(gpus()) > 0 {
			t.Skip("a GPU comes first here")
		}
		must.Equal(t, must.Get(Open(""))(t).String(), "go")
	})
	t.Run("the list says why", func(t *testing.T) {
		for _, s := range List() {
			must.Be(t, s.Name != "onnx" || s.Err != nil && s.Location == "", "%+v", s)
		}
	})
}

func gpus() []string {
	found, _ := filepath.Glob("/dev/nvidia[0-9]*")
	return found
}

func TestList(t *testing.T) {
	var names []string
	for _, s := range List() {
		names = append(names, s.Name)
		if (s.Err == nil) == (s.Name != "go" && s.Location == "") {
			t.Errorf("%s: location %q and error %v; one of them says where it is or why not", s.Name, s.Location, s.Err)
		}
	}
	must.Be(t, len(names) == len(drivers) && names[len(names)-1] == "go",
		"%v lists other than the %d engines of this build, pure Go last", names, len(drivers))
	if x, o := slices.Index(names, "xla:cuda"), slices.Index(names, "onnx"); x >= 0 && o >= 0 && x > o {
		t.Errorf("%v: an accelerator comes before the CPU engines", names)
	}
}

// What opens computes: (1 + x)² on every engine of this machine.
func TestEnginesCompute(t *testing.T) {
	for _, s := range List() {
		t.Run(s.Name, func(t *testing.T) {
			if s.Err != nil {
				t.Skip(s.Err)
			}
			e := must.Get(Open(s.Name))(t)
			out := must.Get(graph.CallOnce(e.Backend, func(x *graph.Node) *graph.Node {
				return graph.Square(graph.OnePlus(x))
			}, []float32{1, -3}))(t)
			// Small integers are exact in float32.
			must.Equal(t, fmt.Sprint(out.Value()), "[4 4]")
		})
	}
}

// Many large products that are ready at the same time: run side by side they
// hold all workers of the pure-Go engine and wait for one another for ever.
func TestGoDoesNotDeadlock(t *testing.T) {
	for _, spec := range []string{"go", "go:parallelism=1", "go:parallelism=2", "go:parallelism=3,ops_sequential"} {
		t.Run(spec, func(t *testing.T) {
			e := must.Get(Open(spec))(t)
			done := make(chan error, 1)
			go func() {
				_, err := graph.CallOnce(e.Backend, func(x *graph.Node) *graph.Node {
					var sum *graph.Node
					for i := range 12 {
						y := graph.AddScalar(x, float64(i))
						z := graph.ReduceAllSum(graph.MatMul(y, graph.Transpose(y, 0, 1)))
						if sum == nil {
							sum = z
						} else {
							sum = graph.Add(sum, z)
						}
					}
					return sum
				}, make2D(300, 300))
				done <- err
			}()
			select {
			case err := <-done:
				must.Be(t, err == nil, "%v", err)
			case <-time.After(time.Minute): // it takes about a second
				t.Fatal("deadlock")
			}
		})
	}
}

func make2D(rows, cols int) [][]float32 {
	m := make([][]float32, rows)
	for i := range m {
		m[i] = make([]float32, cols)
	}
	return m
}

func TestDefaultOpensOnce(t *testing.T) {
	a := must.Get(Default())(t)
	b, _ := Default()
	must.Be(t, a == b, "two clients of one device")
	must.Equal(t, must.Get(Float64())(t).String(), "go")
}
