package expfam

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestStream(t *testing.T) {
	t.Run("same seed and name, same bits", func(t *testing.T) {
		a, b := Stream(1, "x"), Stream(1, "x")
		for range 8 {
			must.Need(t, a.Uint64() == b.Uint64(), "streams differ")
		}
	})
	t.Run("another seed or name, other bits", func(t *testing.T) {
		first := Stream(1, "x").Uint64()
		for name, rng := range map[string]uint64{"seed": Stream(2, "x").Uint64(), "name": Stream(1, "y").Uint64()} {
			must.Be(t, rng != first, "%s is ignored", name)
		}
	})
}
