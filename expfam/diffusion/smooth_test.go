package diffusion

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Priors that are mainly a level have a return to higher noise, and others the usual one.
func TestReturnsOfSmoothPriors(t *testing.T) {
	terms := expfam.Must(expfam.Likelihood{Family: expfam.Poisson{}}.Terms())
	for _, c := range []struct {
		prior expfam.Prior
		back  string
	}{
		{gp.RBF{}, "back=1,"}, {gp.RBF{Length: 0.85}, "back=2,"}, {gp.RBF{Cells: 10, Length: 0.05}, "back=1,"},
		{gp.RBF{Cells: 1}, "back=1,"},
	} {
		s := expfam.Must(Sampler{Engine: enginetest.Open(t, "go")}.orDefault(c.prior))
		setup := must.Get(newSetup(t.Context(), c.prior, terms, s))(t)
		got := setup.sampler.Method.String()
		must.Be(t, strings.Contains(got, c.back), "%v: %s, want %s", c.prior, got, c.back)
	}
}
