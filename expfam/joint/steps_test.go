package joint

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The fewer proposals a trial accepted, the more steps a draw takes: most of all if it accepted none.
func TestStepsFor(t *testing.T) {
	for rate, want := range map[float64]int{0: 40, 0.01: 40, 0.2: 18, 0.5: 6, 0.9: 3, 1: 3} {
		must.Equal(t, stepsFor(rate), want, "steps at the rate", rate)
	}
}
