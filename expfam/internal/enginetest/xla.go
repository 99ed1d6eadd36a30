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

// cuda multiplies float32 in full precision; TF32, its default, has 10 bits.
const cuda = "xla:cuda,tf32=false"

// XLA is the engine that tests compare with those of the CPU: that of
// GOMLX_BACKEND if it names XLA, such as xla:cpu, else a GPU in full precision.
// Without one the test is skipped. All tests of a process share it: two clients
// of one GPU would compete for its memory.
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
