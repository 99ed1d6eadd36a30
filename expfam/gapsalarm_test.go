package expfam_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// TestGapsAlarm: few data beside the parameters of a learned prior are an alarm, and so are gaps beside data of very
// different precision.
func TestGapsAlarm(t *testing.T) {
	for _, c := range []struct {
		gaps, uneven float64
		want         string
	}{{0.5, 2, ""}, {0, 20, ""}, {0.7, 2, "Of the cells 70% have no data, so"}, {0.5, 17, "is 17 times their"}} {
		post := &expfam.Posterior{X: mat.NewDense(2, 2, []float64{0, 1, 1, 0})}
		post.Info.Diagnostics = map[string]float64{"gaps": c.gaps, "uneven": c.uneven}
		got := post.Alarm()
		must.Be(t, strings.Contains(got, c.want) && (c.want != "" || got == ""), "gaps %g, uneven %g: %q", c.gaps,
			c.uneven, got)
	}
}
