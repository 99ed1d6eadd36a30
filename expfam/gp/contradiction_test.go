package gp_test

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
)

// Two readings of one place that no x₀ explains raise an alarm, as with every other sampler.
func TestContradictionIsAnAlarm(t *testing.T) {
	twice := &operator.Select{Cells: 4, Keep: []int{1, 1}}
	like := expfam.Likelihood{Family: expfam.Normal{SD: .01}, Operator: twice}
	for want, y := range map[string][]float64{"2 of the data": {1, 3}, "": {1.99, 2.01}} {
		c := expfam.Must(gp.Exact(gp.RBF{Cells: 4}, like, expfam.Must(like.Observe1(y...))))
		if got := expfam.Must(c.Sample(50, 1)).Alarm(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("alarm %q, want %q; log evidence %g", got, want, c.LogEvidence)
		}
	}
}
