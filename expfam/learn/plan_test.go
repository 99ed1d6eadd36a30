package learn_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// In a cell a training speaks of its own accord, before the engine compiles and with its plan.
func TestTrainSpeaks(t *testing.T) {
	bars := speaktest.Listen(t)
	c := learntest.Tiny(t)
	c.Fresh = true
	must.Get(learn.Train(few, c))(t)
	if b := bars.One(t); b.First != 0 || b.Last != c.Steps || b.Total != c.Steps || !b.Ended ||
		!strings.Contains(b.Plan, "steps of") {
		t.Errorf("%+v", b)
	}
	c.Progress = func(int, int, float64) {}
	must.Get(learn.Train(few, c))(t)
	must.Be(t, bars.All()[1].Total == 0 && bars.All()[1].Plan != "", "with a Progress of its own: %+v", bars.All()[1])
}

// The plan of a training, and the losses that it shows, go on from where a former run was interrupted.
func TestPlanAndWatchOfAResumedTraining(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	c := learntest.Tiny(t)
	c.Fresh = false
	bars := speaktest.Listen(t)
	var seen []float64
	c.Watch = func(total int, steps, train, heldOut []float64) {
		must.Be(t, total == c.Steps && len(train) == len(steps) && len(heldOut) == len(steps),
			"%d steps in all, %d, %d and %d points", total, len(steps), len(train), len(heldOut))
		seen = slices.Clone(steps)
		if len(steps) == 30 {
			storetest.Interrupt(t)
		}
	}
	_, err := learn.Train(few, c)
	must.Need(t, errors.Is(err, ErrInterrupted), "%v", err)
	before := seen
	var first []float64
	c.Watch = func(_ int, steps, _, heldOut []float64) {
		if first == nil {
			first = slices.Clone(steps)
		}
		seen = slices.Clone(steps)
		must.Be(t, !math.IsNaN(heldOut[len(heldOut)-1]), "a loss is missing")
	}
	prior := learntest.Train(t, few, c)
	must.Be(t, slices.Equal(first, before) && slices.Equal(seen, prior.Curve.Step),
		"first %v, want those of the interrupted run, %v; in the end %v, want %v", first, before, seen,
		prior.Curve.Step)
	for i, b := range bars.All() {
		must.Be(t, len(b.Plans) == 1 && strings.Contains(b.Plan, "80 steps of 64 draws") &&
			strings.Contains(b.Plan, "from step") == (i == 1), "plans of run %d: %q", i, b.Plans)
	}
	must.Equal(t, len(bars.All()), 2, "runs")
}
