//go:build gpu

package enginetest

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/expfam/lab/expfam/engine"
)

func init() { accelerator = XLA }

// cuda specifies products of float32 in full precision. The default is TF32, which has 10 bits.
const cuda = "xla:cuda,tf32=false"

// XLA returns the XLA engine that tests compare with the engines of the CPU. It is the engine of GOMLX_BACKEND if that
// names XLA, such as xla:cpu, else a GPU in full precision. Without a GPU the test is skipped. All tests of a process
// share the engine, because two clients of one GPU would compete for its memory.
func XLA(t testing.TB) *engine.Engine {
	t.Helper()
	if spec := os.Getenv(engine.Env); !strings.HasPrefix(spec, "xla") {
		why := "this program was built without XLA"
		for _, s := range engine.List() {
			if s.Name == "xla:cuda" {
				why = ""
				if s.Err != nil {
					why = s.Err.Error()
				}
			}
		}
		if why != "" {
			t.Skip(why)
		}
	}
	e, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// opened opens the engine of [XLA] once.
var opened = sync.OnceValues(func() (*engine.Engine, error) {
	switch spec := os.Getenv(engine.Env); {
	case !strings.HasPrefix(spec, "xla"):
		return engine.Open(cuda)
	case strings.HasPrefix(spec, "xla:cuda") && !strings.Contains(spec, "tf32"):
		return engine.Open(spec + ",tf32=false")
	default:
		return engine.Default()
	}
})
