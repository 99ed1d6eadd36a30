package hmc_test

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/internal/must"
)

// In a cell the chains speak of their own accord: of each transition, with those that diverged.
func TestSampleSpeaks(t *testing.T) {
	bars := speaktest.Listen(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 0, 4))
	if _, err := hmc.Sample(gp.RBF{Cells: 3}, like, obs, hmc.Options{Chains: 2, Warmup: 50, Draws: 100}); err != nil {
		t.Log(err) // so few draws need not converge
	}
	b := bars.One(t)
	must.Be(t, b.First == 0 && b.Last == 300 && b.Total == 300 && b.Value == 0 && b.Ended, "%+v", b)
	want := "2 chains of 50 transitions of warm-up and 100 draws, 3 cells"
	must.Be(t, b.Plan == want && b.Name == "divergent", "plan %q, value %q", b.Plan, b.Name)
}
