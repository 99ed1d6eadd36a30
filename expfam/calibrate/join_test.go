package calibrate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Parts of a study are the study, because a simulation depends on the seed and its number alone.
func TestJoinSBC(t *testing.T) {
	study := SBC{Model: Joint{Prior: few, Likelihood: normal}, Sample: exactly(func(_, _ []float64) {}), Seed: 3}
	part := func(first, n int, seed uint64) *SBCResult {
		s := study
		s.First, s.Simulations, s.Seed = first, n, seed
		return run(t, s)
	}
	want := part(0, 12, 3)
	a, b, c := part(0, 5, 3), part(5, 3, 3), part(8, 4, 3)
	if got := must.Get(JoinSBC(c, a, b))(t); !reflect.DeepEqual(got, want) {
		t.Errorf("three parts are %v, and one machine has %v", got, want)
	}
	for name, parts := range map[string][]*SBCResult{
		"8 comes next":     {a, b, b, c},
		"and 5 comes next": {a, c},
		"another study":    {a, part(5, 7, 4)},
		"no results":       {},
	} {
		if _, err := JoinSBC(parts...); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
